"""Learning platforms: collect submissions from their archives, export grades in their formats."""
