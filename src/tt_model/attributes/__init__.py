"""Attributes and types of the dialects: the records of ``tt_model.layouts`` as text and in IR."""
