"""``ttl score``: how far a program is, found out from outside of the processes that run it."""
