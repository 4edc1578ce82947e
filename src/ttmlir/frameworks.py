"""The framework of a model: it is a module of PyTorch, or a function of JAX."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ttmlir.loaded import CompileError


def compile_for_framework(model: Callable[..., Any], arguments: Sequence[Any], **options: Any) -> Any:
    """Compile a model by the module for its framework, ``ttmlir.jax`` or ``ttmlir.torch``, with the other arguments.

    Raises ``CompileError`` if it belongs to neither.
    """
    framework = framework_of(model, tuple(arguments)) or framework_by_tracing(model, tuple(arguments))
    if framework is None:
        raise CompileError(
            f"{getattr(model, '__name__', model)!s} may be a function of JAX or of PyTorch: call ttmlir.jax.compile or ttmlir.torch.compile, or give "
            "shapes and decorate a function (docs/ttmlir/compile-a-model.md)"
        )
    return import_module(f"ttmlir.{framework}").compile(model, *arguments, **options)


def framework_of(model: Callable[..., Any], arguments: tuple[Any, ...] = ()) -> str | None:
    """Return ``"jax"`` or ``"torch"``; None if the framework cannot be recognised.

    A module of PyTorch is recognised by its class, a function that JAX transformed by its own class; other functions by the names that
    they and the functions that they call use, and by their arguments.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        return "torch"
    if hasattr(model, "lower") and hasattr(model, "trace"):
        return "jax"
    # Arrays are recognised by their classes, which may be of jaxlib.
    for one in (*_leaves(arguments), *_named_in(model, set())):
        package = (one.__name__ if isinstance(one, ModuleType) else _module_of(one)).partition(".")[0]
        if package in ("jax", "jaxlib", "flax", "equinox", "haiku"):
            return "jax"
        if package == "torch":
            return "torch"
    return None


def framework_by_tracing(model: Callable[..., Any], arguments: tuple[Any, ...]) -> str | None:
    """Find the framework of a function that names neither, by tracing it with both.

    If both work, the result is the framework that its module has imported; None if that is not exactly one, or if
    neither works.
    """
    taking = [
        name for name, takes in (("jax", _jax_takes), ("torch", _torch_takes)) if takes(model, arguments)
    ]
    if len(taking) == 1:
        return taking[0]
    known = getattr(model, "__globals__", {})
    packages = {
        (one.__name__ if isinstance(one, ModuleType) else _module_of(one)).partition(".")[0]
        for one in known.values()
    }
    imported = [name for name in taking if name in packages]
    return imported[0] if len(imported) == 1 else None


def _jax_takes(model: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    if "jax" not in sys.modules:
        return False  # a program with a function of JAX has imported JAX
    import jax

    from ttmlir.jax.arguments import described

    try:
        jax.eval_shape(model, *map(described, arguments))
    except Exception:  # any error of the user's function
        return False
    return True


def _torch_takes(model: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    import torch

    from ttmlir.torch.exporting import Examples

    examples = Examples("meta", torch.float32)
    try:
        with torch.no_grad():
            model(*(examples.of(one, "") for one in arguments))
    except Exception:  # any error of the user's function
        return False
    return True


def _leaves(arguments: Any) -> Iterator[Any]:
    if isinstance(arguments, list | tuple):
        for one in arguments:
            yield from _leaves(one)
    elif isinstance(arguments, dict):
        yield from _leaves(list(arguments.values()))
    else:
        yield arguments


def _module_of(one: Any) -> str:
    if isinstance(one, type | FunctionType):
        return one.__module__ or ""
    return type(one).__module__


def _named_in(model: Any, seen: set[int]) -> Iterator[Any]:
    """Yield the objects that the code of a function names, and those that the functions it calls name."""
    if isinstance(model, MethodType):
        yield model.__self__
        model = model.__func__
    if not isinstance(model, FunctionType):
        inner = (
            getattr(model, "func", None)
            or getattr(model, "__wrapped__", None)
            or vars(type(model)).get("__call__")
        )
        if not isinstance(inner, FunctionType):
            return
        model = inner
    if id(model) in seen:
        return
    seen.add(id(model))
    closed = [cell.cell_contents for cell in model.__closure__ or () if _is_filled(cell)]
    names = [model.__globals__[name] for name in _names(model.__code__) if name in model.__globals__]
    for one in (*names, *closed):
        yield one
        if isinstance(one, FunctionType) and one.__module__ == model.__module__:
            yield from _named_in(one, seen)


def _names(code: CodeType) -> Iterator[str]:
    """The names that code and the functions in it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
