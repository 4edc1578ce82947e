"""Operations of TT-Lang inside a model: finding them by name, compiling their kernels for a call, and running them.

This is the only package of models that depends on all of ``ttl``: compiling and running an operation needs its front
end, its checks, its compiler and its executions.
"""
