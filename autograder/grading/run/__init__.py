"""Grade submissions, in parallel and in processes of their own, and store the results."""
