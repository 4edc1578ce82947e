"""The optimizer of TTNN: where results lie on the chip, and in how many shards."""
