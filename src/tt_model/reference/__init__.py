"""What operations compute, in float64."""
