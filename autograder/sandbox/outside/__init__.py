"""The part of the sandbox that starts workers, sends them requests and ends them."""
