"""``ttmlir.compile``: the way into the compiler for whatever the model is written in."""

from __future__ import annotations

import sys
from typing import Any


def compile(*given: Any, options: str = "", goldens: bool = False, **more: Any) -> Any:
    """A model as a binary that runs, on a simulated system where there is no card.

    ``compile(module, *inputs)`` with a module of PyTorch or an exported program is ``ttmlir.torch.compile``;
    ``compile(function, *inputs)`` with a function of JAX is ``ttmlir.jax.compile``. With inputs only,
    ``@compile((64, 128), (128, 32))`` is a decorator for a function on tensors of PyTorch: ``ttmlir.torch.compile``.

    Raises:
        CompileError: for what cannot be compiled; see there.
    """
    from ttmlir.torch import compile as compile_torch

    if goldens:
        more["goldens"] = True
    if given and _is_exported(given[0]):
        return compile_torch(*given, options=options, **more)
    if given and callable(given[0]) and not hasattr(given[0], "untyped_storage"):
        from ttmlir.frameworks import compile_for_framework

        model, *arguments = given
        return compile_for_framework(model, arguments, options=options, **more)
    return lambda function: compile_torch(function, *given, options=options, **more)


def _is_exported(model: Any) -> bool:
    """Whether it is what ``torch.export`` makes. Who has one has imported that."""
    exporting = sys.modules.get("torch.export")
    return exporting is not None and isinstance(model, exporting.ExportedProgram)
