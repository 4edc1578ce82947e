"""Text of TT-MLIR of 2025 and later, in the dialects of 2024-11-21: what has a form there gets it, by rules."""
