"""What each student's work is worth in the end: points, marks by hand, penalties, and the state of it all."""
