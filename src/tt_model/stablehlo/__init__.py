"""StableHLO: its dialect as text, values that are known at compile time, and conversion of element types to TTIR."""
