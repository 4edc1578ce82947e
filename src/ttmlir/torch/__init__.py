"""Models of PyTorch: ``compile`` makes a binary of a module, which runs on a simulated device where there is no card.

layer = ttmlir.torch.compile(module.eval(), (32, 784))
layer.run(images)                 # what module(images) gives
layer.save("layer.ttnn")
"""

from __future__ import annotations

from ttmlir.torch.compiling import compile, to_ttir

__all__ = ["compile", "to_ttir"]
