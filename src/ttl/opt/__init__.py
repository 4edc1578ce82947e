"""``ttl-opt``: reads IR as text, runs passes over it and prints it."""
