"""The language as a user's program sees it. There is no engine in here: an execution, such as the simulator, stands behind it."""
