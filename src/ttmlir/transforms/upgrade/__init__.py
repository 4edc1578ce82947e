"""Conversion of TT-MLIR text of 2025 and later to the dialects of 2024-11-21, by rules."""
