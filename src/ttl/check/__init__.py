"""Analyses over the ``ttl`` dialect, one per file: an operation in, diagnostics out. They never raise."""
