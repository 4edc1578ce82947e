"""A walk over the control flow of a kernel that follows every path: what block states and transfers are found with."""
