"""The compiler's dialects. ``ttl.dialects.ttl`` is the language's own: it represents exactly the program as written."""
