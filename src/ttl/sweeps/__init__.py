"""The same work for many items, on the cores of this machine or on a Dask cluster: one process for each core, which outlives its items."""
