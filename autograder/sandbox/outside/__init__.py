"""The part of the sandbox that starts it, sends it requests and ends it."""
