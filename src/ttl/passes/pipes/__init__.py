"""Pipes: which nodes take part, how a message gets from one to the other, and the code for it."""
