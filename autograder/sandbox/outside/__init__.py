"""The part of the sandbox that starts it, asks it and ends it."""
