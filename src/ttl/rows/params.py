"""The kinds of parameters of rows: each converts an argument of the user into a value or into a diagnostic."""

from __future__ import annotations

import operator
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import Argument, CombinedRemedy, DropArguments, RoundedUp
from ttl.diag.values import kind_of
from ttl.rows.dtypes import DTYPES, DType, dtype_named
from ttl.rows.row import Param
from ttl.rows.types import Layout

NO_DTYPE = "TTL0417"
NOT_COMPUTED = "TTL0432"


def is_of_node(value: Any) -> bool:
    """Whether a number is known only when kernels run. The compiler's front end handles such a number."""
    return getattr(type(value), "is_number_of_node", False) is True


def number(name: str, doc: str, *, default: Any = ...) -> Param:
    """A parameter: any real number."""

    def check(value: Any) -> Any:
        if type(value) is float or (type(value) is int and value.bit_length() < 64):
            return value
        if isinstance(value, bool):
            return int(value)
        if is_of_node(value):
            return value
        if isinstance(value, Integral) and int(value).bit_length() < 64:
            return int(value)
        if isinstance(value, Real) and not isinstance(value, np.ndarray):
            try:
                return float(value)
            except OverflowError:
                return error("TTL0415", f"`{name}` must be a number that a float can hold, up to 1.8e308")
        return error(
            "TTL0415",
            f"`{name}` must be a number, not {kind_of(value)}",
            help=f"`{name}` is one number for the whole block, known before the operation runs",
        )

    return Param(name=name, annotation="float", doc=doc, check=check, default=default)


def integer(name: str, doc: str, *, default: Any = ...) -> Param:
    """A parameter: a whole number."""

    def check(value: Any) -> Any:
        whole = _index(value)
        if whole is None:
            return error("TTL0415", f"`{name}` must be a whole number, not {kind_of(value)}")
        return whole

    return Param(name=name, annotation="int", doc=doc, check=check, default=default)


def flag(name: str, doc: str, *, default: bool) -> Param:
    """A parameter: True or False."""

    def check(value: Any) -> Any:
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        return error("TTL0415", f"`{name}` must be True or False, not {kind_of(value)}")

    return Param(name=name, annotation="bool", doc=doc, check=check, default=default)


def dims(doc: str) -> Param:
    """A parameter: one or several dimensions; their range depends on the block, so the rule checks it."""

    def check(value: Any) -> Any:
        whole = _indexes(value)
        if whole is None:
            return error(
                "TTL0415",
                f"`dims` must be a list of dimensions, not {kind_of(value)}",
                help="write dims=[-1] for the innermost, dims=[0] for the outermost dimension",
            ).remedied_by(Argument(name="dims", value="[-1]", position=1))
        return whole

    return Param(name="dims", annotation="Sequence[int] | int", doc=doc, check=check)


def shape(doc: str, *, default: Any = ...) -> Param:
    """A parameter: a shape in tiles (tiled) or elements (row-major), with at least one extent, all positive."""

    def check(value: Any) -> Any:
        if value is None and default is None:
            return None
        extents = _indexes(value)
        if extents is None or not extents:
            return error(
                "TTL0415",
                f"`shape` must be a tuple of extents, not {kind_of(value)}",
                help="write the shape of the block in its unit, such as shape=(2, 4) for 2x4 tiles",
            )
        if min(extents) < 1:
            return error(
                "TTL0416",
                f"`shape` is {extents}, every extent must be at least 1",
                help="where a division gives 0, round it up: -(-n // 64) in place of n // 64",
            ).remedied_by(RoundedUp(description="round it up"))
        return extents

    annotation = "Sequence[int] | int" if default is ... else "Sequence[int] | int | None"
    return Param(name="shape", annotation=annotation, doc=doc, check=check, default=default)


def dtype(doc: str, *, default: Any = ...) -> Param:
    """A parameter: an element type of ours, or an object with the name of one (of the real ttnn, of torch)."""

    def check(value: Any) -> Any:
        if isinstance(value, DType) or (value is None and default is None):
            return value
        return dtype_named(value) or no_dtype(value)

    annotation = "DType" if default is ... else "DType | None"
    return Param(name="dtype", annotation=annotation, doc=doc, check=check, default=default)


def only(name: str, annotation: str, doc: str, value: Any, help: str) -> Param:
    """An option with a single supported value; other values are refused (TTL0432)."""

    def check(given: Any) -> Any:
        if not isinstance(given, bool) and (tuple(given) if isinstance(given, list) else given) == value:
            return value
        message = f"`{name}` must be {value}, not {kind_of(given)}: other values are not supported"
        return error(NOT_COMPUTED, message, help=help).remedied_by(DropArguments(names=(name,)))

    return Param(name=name, annotation=annotation, doc=doc, check=check, default=value)


def no_dtype(value: object) -> Diagnostic:
    """The error for a value that is not an element type of the language (TTL0417)."""
    names = ", ".join(f"ttnn.{known.name}" for known in DTYPES)
    return error(NO_DTYPE, f"`dtype` must be an element type, not {kind_of(value)}", help=f"one of {names}")


def layout(doc: str) -> Param:
    """A parameter: a layout, or None."""

    def check(value: Any) -> Any:
        if value is None or isinstance(value, Layout):
            return value
        name = value if isinstance(value, str) else getattr(value, "name", None)
        if name in (Layout.TILE.value, Layout.ROW_MAJOR.value):
            return Layout(name)
        return error(
            "TTL0415",
            f"`layout` must be ttnn.TILE_LAYOUT or ttnn.ROW_MAJOR_LAYOUT, not {kind_of(value)}",
        )

    return Param(name="layout", annotation="Layout | None", doc=doc, check=check, default=None)


def limits(label: str, low: str, high: str) -> Callable[[float, float], Diagnostic | None]:
    """Return a check that a lower limit is not above an upper one."""

    def check(minimum: float, maximum: float) -> Diagnostic | None:
        if minimum <= maximum:
            return None
        return error(
            "TTL0425",
            f"{label}: `{low}` is {minimum}, above `{high}` which is {maximum}",
            help=f"exchange them: {low}={maximum}, {high}={minimum}",
        ).remedied_by(
            CombinedRemedy(
                remedies=(
                    Argument(name=low, value=str(maximum), position=1),
                    Argument(name=high, value=str(minimum), position=2),
                )
            )
        )

    return check


def _index(value: Any) -> int | None:
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        whole = operator.index(value)
    except TypeError:
        return None
    return whole if whole.bit_length() < 64 else None


def _indexes(value: Any) -> tuple[int, ...] | None:
    single = _index(value)
    if single is not None:
        return (single,)
    if isinstance(value, (str, bytes, dict, set, frozenset)):
        return None
    try:
        numbers = [_index(item) for item in value]
    except (TypeError, ValueError, RuntimeError):
        return None
    return (
        None if any(item is None for item in numbers) else tuple(item for item in numbers if item is not None)
    )
