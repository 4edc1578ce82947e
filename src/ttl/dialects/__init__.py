"""The compiler's dialects. ``ttl.dialects.ttl`` is the language's own: what a program says, and nothing it does not."""
