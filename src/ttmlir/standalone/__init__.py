"""A TTNN module as programs that do not need this package: a C++ project, and a Python script."""
