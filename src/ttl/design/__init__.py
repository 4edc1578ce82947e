"""The designer: from a tile program to the explicit operation that does it (``docs/internals/designing.md``)."""
