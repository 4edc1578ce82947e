"""Models and the means to run them: layouts, dialects, files, meaning, costs and a system without a card.

This is the lower layer of TT-MLIR. ``ttmlir`` makes models with it and has the vendor's names; ``ttrt`` has its
commands. No module here depends on a pass or a framework.
"""
