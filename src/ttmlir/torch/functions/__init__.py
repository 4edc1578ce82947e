"""What functions of ATen become, by what they do: one rule for each."""
