"""What the kernels of an operation exchange, played with counters only: blocks, messages, semaphores."""
