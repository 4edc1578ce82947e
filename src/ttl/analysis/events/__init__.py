"""The events of an operation's kernels as sequences: for the checks that explore states, and for sharing buffers."""
