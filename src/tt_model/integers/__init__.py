"""Integers: their width and sign, the chip's formats that hold them, and the arithmetic for those that no format holds."""
