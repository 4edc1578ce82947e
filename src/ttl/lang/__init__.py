"""What a user's program touches. No engine in here: an execution (the simulator, say) stands behind it."""
