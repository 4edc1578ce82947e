"""The order of dimensions: permutations, and the pass that moves and joins transposes."""
