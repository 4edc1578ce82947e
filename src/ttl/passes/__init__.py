"""Passes over the ``ttl`` dialect."""
