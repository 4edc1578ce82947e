"""What programs around kernels import as ``ttl.utils``: checks of results, and how work is cut into blocks."""
