"""What the kernels of an operation do that others can notice, as sequences: for the checks' game, and for who shares a buffer."""
