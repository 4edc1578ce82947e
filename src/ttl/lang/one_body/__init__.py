"""Operations written as one body: the thread of each statement, and the kernels that are made of them.

``separated`` is the only entry: a definition without decorated kernels becomes one with them (ADR 53). A caller that reads or
runs an operation calls it first, and all later code sees kernels."""
