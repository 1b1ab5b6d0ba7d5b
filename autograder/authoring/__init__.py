"""For authors: build, measure, attack and audit the course."""
