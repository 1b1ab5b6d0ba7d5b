"""Right versions of what 06-language-models asks for, one module for each part of the lesson."""
