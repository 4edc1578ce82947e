"""The dialects: classes and functions that make their operations, and ``ir`` with their attributes and types."""
