"""The language as a user's program sees it.

It contains no engine: an execution, such as the simulator, runs the calls.
"""
