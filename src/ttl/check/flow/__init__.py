"""A walk over the control flow of a kernel that follows every path: the basis for checks of blocks and transfers."""
