"""``ttrt``: reads and runs the binaries of TT-MLIR, on a simulated system where there is no card.

    ttrt run model.ttnn
    ttrt read --section mlir model.ttnn

The same from Python: ``ttrt.common.api.API``, ``ttrt.binary``, ``ttrt.runtime``.
"""
