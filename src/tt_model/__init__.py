"""Models and the means to run them: layouts, dialects, files, meaning, costs and a system without a card.

The lower storey of TT-MLIR. ``ttmlir`` makes models on top of it and has the vendor's names; ``ttrt`` has its commands. Nothing
in here knows a pass or a framework.
"""
