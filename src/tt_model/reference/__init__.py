"""The results of operations, in float64."""
