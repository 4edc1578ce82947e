"""What could be better about a program that ran on the emulated chip: rules, each with the numbers that it rests on."""
