"""Attributes and types of the dialects, as text has them."""
