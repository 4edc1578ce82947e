"""Attributes and types of the dialects: the records of ``ttmlir.layouts`` as text and in IR."""
