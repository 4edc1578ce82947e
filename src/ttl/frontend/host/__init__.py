"""The host domain: a program that is only read, its tensors without data."""
