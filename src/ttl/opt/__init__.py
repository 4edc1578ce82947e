"""``ttl-opt``: the tool of ``ttl.ir`` with our dialects and passes."""
