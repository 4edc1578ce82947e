"""The kernels of an operation run against each other with counters only: blocks, messages, semaphores."""
