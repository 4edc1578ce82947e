"""Conversions of ``convert-ttir-to-ttnn``, by kinds of operations."""
