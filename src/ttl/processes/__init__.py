"""Programs of users in processes of their own, within limits, of which nothing is left behind."""
