"""Integers: their width and sign, the formats of the chip that hold them, and arithmetic that formats lack."""
