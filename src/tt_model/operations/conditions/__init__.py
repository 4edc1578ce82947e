"""The conditions that operations are verified against, by subject."""
