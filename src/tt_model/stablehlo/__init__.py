"""StableHLO: its dialect as text, what of it is known when a model is compiled, and what TTIR is made of it."""
