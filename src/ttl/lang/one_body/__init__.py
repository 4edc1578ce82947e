"""Operations written as one body: which thread a statement belongs to, and the kernels that come of it.

``separated`` is the one way in: a definition without decorated kernels becomes one with them (ADR 53). A caller that reads or runs
an operation asks here first, and everything behind sees kernels.
"""
