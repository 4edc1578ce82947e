"""What modules compute on the way to TTMetal: work on grids, and kernels on the memory of a simulated chip."""
