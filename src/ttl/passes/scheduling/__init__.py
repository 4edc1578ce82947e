"""Passes that only a schedule runs: each over the operations of ttl, before values go through buffers."""
