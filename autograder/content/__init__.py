"""The content of a lesson: its exercises, notebook, references and known answers."""
