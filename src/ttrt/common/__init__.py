"""The commands of ``ttrt`` and their shared helpers."""
