"""The results of modules in the TTMetal pipeline: work on grids, and kernels on the memory of a simulated chip."""
