"""Similar answers: what two students wrote alike, beyond what everybody was given. It points; it never accuses."""
