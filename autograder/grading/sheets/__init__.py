"""The CSV files of learning platforms, read and written so that what is not ours stays as it was."""
