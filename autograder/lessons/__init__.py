"""The lessons: a package each, with all of its content: settings, checks, references, known answers, benchmark."""
