"""The commands of ``ttrt`` and what they share."""
