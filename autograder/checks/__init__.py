"""Tools for writing checks: inputs, comparisons and properties, for any lesson."""
