"""``ttmlir.compile``: compiles a model of any supported framework."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ttmlir.loaded import CompileError


def compile(*given: Any, options: str = "", goldens: bool = False, **more: Any) -> Any:
    """Compile a model to a binary that runs, on a simulated system if there is no card.

    ``compile(module, *inputs)`` with a module of PyTorch or an exported program is ``ttmlir.torch.compile``; the path of a file that
    ``torch.export.save`` wrote (``"model.pt2"``) is its program;
    ``compile(function, *inputs)`` with a function of JAX is ``ttmlir.jax.compile``. With inputs only,
    ``@compile((64, 128), (128, 32))`` is a decorator for a function on tensors of PyTorch: ``ttmlir.torch.compile``.

    Raises:
        CompileError: for a model that cannot be compiled.
    """
    from ttmlir.torch import compile as compile_torch

    if goldens:
        more["goldens"] = True
    if given and isinstance(given[0], str | PathLike):
        return compile_torch(_loaded(given[0]), *given[1:], options=options, **more)
    if given and _is_state(given[0]):
        raise CompileError(
            "a state_dict has the weights of a model, not its computation\n  what works: ttmlir.compile(module, *inputs) with "
            "the module that has them, module.load_state_dict(weights)"
        )
    if given and isinstance(given[0], type):
        name = given[0].__name__
        raise CompileError(f"{name} is a class, not a model\n  what works: an object of it, {name}(...)")
    if given and _is_exported(given[0]):
        return compile_torch(*given, options=options, **more)
    if given and callable(given[0]) and not hasattr(given[0], "untyped_storage"):
        from ttmlir.frameworks import compile_for_framework

        model, *arguments = given
        return compile_for_framework(model, arguments, options=options, **more)
    return lambda function: compile_torch(function, *given, options=options, **more)


def _is_state(given: Any) -> bool:
    """Whether an object is a state dictionary: an ordered one, or with names such as ``layer.weight``."""
    return isinstance(given, OrderedDict) or (
        isinstance(given, Mapping) and any("." in str(key) for key in given)
    )


def _loaded(path: str | PathLike[str]) -> Any:
    """The program in a file that ``torch.export.save`` wrote. Raises ``CompileError``."""
    what = f"{str(path)!r}"
    if not str(path).endswith(".pt2"):
        raise CompileError(
            f"{what} is not a model, and no shape\n  what works: a module, a function, the path of a .pt2 file that torch.export.save "
            "wrote, or, for a decorator, a shape such as (64, 128)"
        )
    if not Path(path).is_file():
        raise CompileError(f"there is no file {what}")
    from torch.export import load

    from ttmlir.torch.exporting import quiet

    try:
        with quiet():
            return load(path)
    except Exception as problem:  # torch says what it found there in many ways
        reason = next(iter(str(problem).splitlines()), type(problem).__name__)
        raise CompileError(f"{what} is not a file that torch.export.save wrote: {reason}") from None


def _is_exported(model: Any) -> bool:
    """Whether the model is the result of ``torch.export``. A program that has one has imported that module."""
    exporting = sys.modules.get("torch.export")
    return exporting is not None and isinstance(model, exporting.ExportedProgram)
