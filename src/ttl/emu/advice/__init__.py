"""Advice on programs that ran on the emulated chip: rules, each of which states the numbers that it rests on."""
