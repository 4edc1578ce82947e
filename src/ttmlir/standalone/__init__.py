"""A TTNN module as programs that need nothing of this package: C++ with its project, and a script of Python."""
