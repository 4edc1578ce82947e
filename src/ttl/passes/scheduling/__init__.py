"""Passes that only a schedule runs, each on operations of ``ttl`` whose values do not go through buffers yet."""
