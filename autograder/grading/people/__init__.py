"""Who is in the class: the roster, and the names by which platforms and students call its members."""
