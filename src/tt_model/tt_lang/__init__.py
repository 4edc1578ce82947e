"""Operations of TT-Lang inside a model: which one a name means, its kernels for a call, and running it.

The only room of models that stands on the whole of ``ttl``: to compile and to run an operation needs its front end, its
checks, its compiler and its executions.
"""
