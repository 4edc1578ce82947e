"""``ttl.example``: arguments with which an operation is checked and compiled if no call gives any."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.diag import Diagnostic, error
from ttl.host.memory import MemoryConfig
from ttl.lang.check import describe, fail, public
from ttl.lang.operation import Operation
from ttl.rows.dtypes import BFLOAT16, DTYPES, DType
from ttl.rows.types import Layout
from ttl.source.spans import Span, user_span

_CODE = "TTL1315"
_HOW = (
    "write @ttl.example(ttl.TensorSpec((64, 64)), ...) with one argument for each parameter of the operation"
)


@dataclass(frozen=True, slots=True, init=False)
class TensorSpec:
    """The description of a tensor before it exists: ``shape`` in elements, element type, layout, and memory."""

    shape: tuple[int, ...]
    dtype: DType
    layout: Layout
    memory_config: MemoryConfig | None

    @public
    def __init__(
        self,
        shape: Sequence[int],
        dtype: DType = BFLOAT16,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig | None = None,
    ) -> None:
        """Errors: TTL1315 for properties that no tensor can have."""
        finding = _wrong_spec(shape, dtype, layout, memory_config)
        if finding is not None:
            fail(finding)
        values = (tuple(operator.index(extent) for extent in shape), dtype, layout, memory_config)
        for name, value in zip(("shape", "dtype", "layout", "memory_config"), values, strict=True):
            object.__setattr__(self, name, value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """The arguments of one declaration, and its location."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    span: Span | None


def example(*args: Any, **kwargs: Any) -> Callable[[Operation], Operation]:
    """Declare arguments of an operation, for ``ttl check`` and the compiler: ``ttl.TensorSpec`` for tensors.

    Written above ``@ttl.operation``, any number of times. No code runs: the operation is checked as if the program
    called it with these arguments. Errors: TTL1315.
    """
    span = user_span()

    def declare(target: Operation) -> Operation:
        if not isinstance(target, Operation):
            fail(not_an_operation(target))
        try:
            target.signature.bind(*args, **kwargs)
        except TypeError as mismatch:
            fail(does_not_fit(target.function.__name__, str(mismatch)))
        target.examples = (Example(args=args, kwargs=kwargs, span=span), *target.examples)
        return target

    return declare


def not_an_operation(target: Any) -> Diagnostic:
    """The error for ``ttl.example`` below ``@ttl.operation``, or on a value that is not an operation."""
    return error(
        _CODE,
        f"ttl.example declares arguments of an operation, not of {describe(target)}",
        help="put @ttl.example(...) above @ttl.operation(...)",
    )


def does_not_fit(name: str, mismatch: str) -> Diagnostic:
    """The error for arguments that the operation does not have."""
    return error(_CODE, f"this ttl.example does not fit operation {name}: {mismatch}", help=_HOW)


def _wrong_spec(shape: Any, dtype: Any, layout: Any, memory_config: Any) -> Diagnostic | None:
    if not _is_shape(shape):
        return error(
            _CODE,
            f"the shape of a ttl.TensorSpec is a sequence of positive integers, not {describe(shape)}",
            help="write the extents in elements: ttl.TensorSpec((64, 128))",
        )
    if not isinstance(dtype, DType):
        names = ", ".join(f"ttnn.{item.name}" for item in DTYPES)
        return error(
            _CODE,
            f"the dtype of a ttl.TensorSpec is one of ttnn's, not {describe(dtype)}",
            help=f"one of {names}",
        )
    if not isinstance(layout, Layout):
        return error(
            _CODE,
            f"the layout of a ttl.TensorSpec is ttnn.TILE_LAYOUT or ttnn.ROW_MAJOR_LAYOUT, not {describe(layout)}",
        )
    if memory_config is not None and not isinstance(memory_config, MemoryConfig):
        return error(
            _CODE,
            f"the memory_config of a ttl.TensorSpec is a ttnn.MemoryConfig, not {describe(memory_config)}",
            help="write ttnn.DRAM_MEMORY_CONFIG, or what ttnn.create_sharded_memory_config returns",
        )
    return None


def _is_shape(shape: Any) -> bool:
    if isinstance(shape, str | bytes) or not hasattr(type(shape), "__iter__"):
        return False
    extents = list(shape)
    whole = all(hasattr(type(extent), "__index__") and not isinstance(extent, bool) for extent in extents)
    return bool(extents) and whole and all(operator.index(extent) > 0 for extent in extents)
