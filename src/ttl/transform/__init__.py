"""Schedules as sequences of the transform dialect: parsed, run on operations, and made from the compiler's passes."""
