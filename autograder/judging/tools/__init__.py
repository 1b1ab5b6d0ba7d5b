"""What checks are written with: inputs, comparisons and properties, for any lesson."""
