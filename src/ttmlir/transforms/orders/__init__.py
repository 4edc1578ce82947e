"""The order of dimensions: what permutations are, and passes that move and join them."""
