"""The ``ttkernel`` dialect by concern; ``ttl.dialects.ttkernel`` is the list."""
