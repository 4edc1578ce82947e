"""Models of PyTorch: ``compile`` makes a binary from a module, which runs on a simulated device if there is no card.

layer = ttmlir.torch.compile(module.eval(), (32, 784))
layer.run(images)                 # the result of module(images)
layer.save("layer.ttnn")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttmlir.torch.compiling import compile, to_ttir

if TYPE_CHECKING:
    from ttmlir.torch.compiled import TorchModel
    from ttmlir.torch.tensor_kernels import tt_lang_operation

__all__ = ["TorchModel", "compile", "to_ttir", "tt_lang_operation"]


def __getattr__(name: str) -> Any:
    # Parts that depend on the whole of TT-Lang are imported by the modules that use them.
    if name == "tt_lang_operation":
        from ttmlir.torch.tensor_kernels import tt_lang_operation

        return tt_lang_operation
    if name == "TorchModel":
        from ttmlir.torch.compiled import TorchModel

        return TorchModel
    raise AttributeError(f"module 'ttmlir.torch' has no attribute {name!r}")
