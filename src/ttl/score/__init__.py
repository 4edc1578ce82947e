"""``ttl score``: judges how far a program is, from outside of the processes that run it."""
