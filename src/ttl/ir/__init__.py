"""Compiler infrastructure on xDSL that knows no dialect: locations, text both ways, verification, rewriting, the tool."""
