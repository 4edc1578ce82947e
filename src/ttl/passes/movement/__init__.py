"""Data movement kernels: transfers and barriers, nodes and their addresses, semaphores."""
