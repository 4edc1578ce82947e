"""Operations written as one body: the thread of each statement, and the kernels made from the statements.

``separated`` is the only entry: it converts a definition without decorated kernels to one with kernels (ADR 53). A
caller that reads or runs an operation calls it first, so that all later code sees kernels.
"""
