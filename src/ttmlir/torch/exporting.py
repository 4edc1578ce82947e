"""A module as a graph of core ATen, by ``torch.export``: no Python is left in it, and shapes are numbers."""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ttmlir.loaded import CompileError
from ttmlir.torch.builder_calls import TensorBuilder
from ttmlir.torch.nodes import is_of_aten, is_random, overload_of
from ttmlir.torch.places import innermost, place_of
from ttmlir.ttir_builder import drawn

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

# Types of example inputs by their words.
_WORDS = {
    "f32": "float32", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "bool": "bool",
}  # fmt: skip


def module_of_function(function: Callable[..., Any]) -> torch.nn.Module:
    """Wrap a function in a module of the function's name.

    A parameter ``builder`` gets the methods of ``TTIRBuilder`` for tensors, which make operations that torch has no function for.
    """
    import torch

    module: torch.nn.Module = type(getattr(function, "__name__", "model"), (torch.nn.Module,), {})()
    try:
        has_builder = "builder" in inspect.signature(function).parameters
    except ValueError:  # of a builtin function, such as torch.linalg.inv
        builtin, has_builder = function, False

        def function(*given: Any) -> Any:
            return builtin(*given)

    called = _called_forward(function)
    module.forward = partial(called, builder=TensorBuilder()) if has_builder else called
    return module


def _called_forward(function: Callable[..., Any]) -> Callable[..., Any]:
    """Copy a Python function under the name ``forward``: ``torch.export`` keeps source lines only of that function."""
    if not isinstance(function, FunctionType):
        return function
    code = function.__code__.replace(co_name="forward")
    copy = FunctionType(
        code, function.__globals__, argdefs=function.__defaults__, closure=function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def device_of(module: Any) -> str:
    """Return where a module's tensors are for torch: ``meta`` for one that has shapes only."""
    tensors = [*module.parameters(), *module.buffers()] if hasattr(module, "parameters") else []
    return str(tensors[0].device) if tensors and not isinstance(tensors[0], str) else "cpu"


def floats_of(module: Any) -> torch.dtype:
    """The type of a module's floats and the default of its inputs; float32 if it has no floats, or several types."""
    import torch

    tensors = [*module.parameters(), *module.buffers()] if isinstance(module, torch.nn.Module) else []
    dtypes = {one.dtype for one in tensors if one.dtype.is_floating_point}
    return dtypes.pop() if len(dtypes) == 1 else torch.float32


@dataclass
class Examples:
    """Makes example inputs as tensors (zeros or random numbers) from a shape, or from a shape and the name of a type.

    Args:
        device: where tensors are for torch.
        floats: the type of inputs that are described by their shape only.
        are_drawn: whether they are random numbers, with a different seed for each input.
    """

    device: str
    floats: torch.dtype
    are_drawn: bool = False
    _count: int = 0

    def of(self, given: Any, place: str) -> Any:
        """The example of an input. Raises ``CompileError``."""
        import torch

        if isinstance(given, torch.Tensor):
            # torch.export takes the sizes of views for symbolic ones.
            return (given.clone() if given._is_view() else given).to(self.device)
        if given is None or isinstance(given, bool | int | float):
            return given
        if isinstance(given, list | tuple) and len(given) == 2 and isinstance(given[1], str):
            shape, word = given
            if word not in _WORDS:
                raise CompileError(f"{place} is of type {word!r}; there are {', '.join(_WORDS)}")
            return self._like(shape, place, getattr(torch, _WORDS[word]))
        if isinstance(given, list | tuple) and given and all(type(one) is int for one in given):
            return self._like(given, place, self.floats)
        if isinstance(given, list | tuple):
            items = [self.of(one, f"{place}[{index}]") for index, one in enumerate(given)]
            return tuple(items) if isinstance(given, tuple) else items
        if isinstance(given, Mapping):
            return {name: self.of(one, f"{place}[{name!r}]") for name, one in given.items()}
        raise CompileError(
            f"{place} is {given!r}; give a tensor, a shape such as (64, 128), or ((64, 128), 'bf16'), or lists, tuples and "
            "dictionaries of those"
        )

    def _like(self, shape: Any, place: str, dtype: torch.dtype) -> torch.Tensor:
        import torch

        extents = _shape(shape, place)
        try:
            if not self.are_drawn:
                return torch.zeros(extents, dtype=dtype, device=self.device)
            self._count += 1
            is_whole = not dtype.is_floating_point
            return drawn(extents, self._count - 1, is_whole=is_whole).to(self.device, dtype)
        except RuntimeError as problem:  # of the allocator
            raise CompileError(f"{place} has the shape {shape!r}, which is too large: {problem}") from None


def _shape(given: Any, place: str) -> list[int]:
    if not isinstance(given, list | tuple) or not all(isinstance(one, int) and one > 0 for one in given):
        raise CompileError(f"{place} has the shape {given!r}; extents are whole numbers greater than zero")
    return list(given)


def exported(
    module: torch.nn.Module | ExportedProgram,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    kept: frozenset[str],
) -> ExportedProgram:
    """Export the graph of a module for examples of its inputs.

    ``kept`` are the overloads in the table: torch decomposes those of its own functions that are not among them.
    Raises ``CompileError`` for a module that ``torch.export`` rejects, at the user's line if it is known.
    """
    import torch
    from torch.export import ExportedProgram, export

    try:
        from torch.export import default_decompositions
    except ImportError:
        raise CompileError(
            f"torch {torch.__version__} exports no graphs that can be compiled: install 2.6 or newer, pip install 'ttlang[models]'"
        ) from None
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        if isinstance(module, ExportedProgram):
            program = module
        else:
            try:
                with quiet():
                    program = export(module, tuple(args), dict(kwargs))
            except Exception as problem:  # of torch, or of the user's own code
                raise CompileError(_not_exported(module, problem)) from problem
        if program.range_constraints:
            raise CompileError(_sizes_not_known(program))
        if any(needs_decomposition(node, kept) for node in program.graph.nodes):
            table = default_decompositions()
            for overload in [one for one in table if str(one).removeprefix("aten.") in kept]:
                del table[overload]
            program = program.run_decompositions(table)
    return program


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress torch's output on a trace that fails, its stacks and drafts of the graph; the error itself is raised."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(before)


def _sizes_not_known(program: ExportedProgram) -> str:
    """Return the reason to refuse sizes that are symbols: those the user left open, and those that depend on elements."""
    names = [str(one) for one in program.range_constraints]
    if not any(name.startswith(("u", "zu")) for name in names):
        return (
            f"shapes are not all numbers ({', '.join(names)}): layouts and kernels are made for one size\n  what works: "
            "torch.export.export without dynamic_shapes, and a model for each size that is used"
        )
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    first = next((node for node in calls if any(name in str(node.meta.get("val")) for name in names)), None)
    place = "" if first is None else f"{place_of(first)}: {first.target}: "
    if first is not None and overload_of(first) in ("item.default", "_local_scalar_dense.default"):
        return (
            f"{place}a number is taken out of a tensor, and a model is one graph, made before the elements are known\n  what works: "
            "a tensor instead, x.max() for x.max().item(); places of one dimension, w[i.reshape(1)][0] for w[i]"
        )
    return (
        f"{place}the number of elements depends on values of elements, and layouts are made before those are known\n  what works: "
        "torch.where(mask, x, 0), which keeps the shape"
    )


def needs_decomposition(node: Any, kept: frozenset[str]) -> bool:
    """Whether a node must be decomposed: it calls a function without a row in the table, or writes into a tensor.

    A function of torch without tensor operands needs no row, unless it is random or leaves elements undefined: its
    result is computed at once. To decompose one node, torch traces the whole graph again, which takes as long as to
    export it.
    """
    schema = getattr(node.target, "_schema", None)
    if node.op != "call_function" or schema is None:
        return False
    if schema.is_mutable or not is_of_aten(node):
        return schema.is_mutable or overload_of(node) not in kept
    is_computed = not (node.all_input_nodes or is_random(node) or "empty" in str(node.target))
    return overload_of(node) not in kept and not is_computed


def _not_exported(module: Any, problem: Exception) -> str:
    frames = [(frame.filename, str(frame.lineno)) for frame in traceback.extract_tb(problem.__traceback__)]
    file, line = innermost(frames)
    place = f"{file}:{line}: " if file else ""
    name = type(module).__name__
    if type(problem).__name__ == "KernelError":
        return (
            f"{place}{name} calls an operation of TT-Lang that cannot be made for these tensors:\n{problem}"
        )
    if type(problem).__name__ == "GuardOnDataDependentSymNode":
        return (
            f"{place}{name} decides by what is in a tensor, and a model is one graph, made before the elements are known\n"
            "  what works: torch.where(condition, x, y), which computes both; or the decision outside of the model"
        )
    kind = type(problem).__name__
    reason = next((text for text in str(problem).splitlines() if text.strip()), "")
    message = f"{place}{name} has no graph: {kind}: {reason}"
    if "missing a required argument" in reason or "too many positional arguments" in reason:
        code = getattr(getattr(module.forward, "func", module.forward), "__code__", None)
        place = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}: "
        inputs = ", ".join(str(one) for one in inspect.signature(module.forward).parameters.values())
        return f"{place}{name} is called with ({inputs}), and the examples do not fit: {reason}\n  what works: an example for each input"
    return f"{message}\n  torch.export.export(module, inputs) says more"
