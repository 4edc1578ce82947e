"""Schedules as data: sequences of the transform dialect, read, run over operations, and made of the compiler's own passes."""
