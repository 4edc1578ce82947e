"""Checks of single arguments that many functions take. Each returns the value or raises our error."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ttl.diag import Edit, Fix, note
from ttl.diag.remedies import Argument, Mention
from ttl.diag.report import emit
from ttl.host.device import Device, checked_device
from ttl.host.errors import Code, describe, fail
from ttl.host.memory import MemoryConfig, resolve
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, DTYPES, DType
from ttl.rows.types import Layout
from ttl.source.calls import nodes_within
from ttl.source.spans import READING, Span, user_site, user_span


def tensor_of(value: Any, function: str, what: str = "input") -> Tensor:
    """A usable tensor whose data is up to date."""
    if not isinstance(value, Tensor):
        hint: str | tuple[str, ...] = ()
        if type(value).__module__ in ("torch", "numpy"):
            hint = "convert it with ttnn.from_torch"
        elif describe(value).startswith(("a block", "an expression")):
            hint = (
                "functions of TT-NN are for the host; a kernel computes with operators and those of ttl.math"
            )
        fail(
            Code.WRONG_KIND, f"ttnn.{function}: the {what} is a ttnn.Tensor, not {describe(value)}", help=hint
        )
    value._observe()
    return value


def floats(value: Any, function: str, what: str = "input", rank: int | None = None) -> Tensor:
    """A floating-point tensor, of so many dimensions."""
    tensor = tensor_of(value, function, what)
    if not tensor.dtype.is_float:
        fail(
            Code.ELEMENT_TYPE,
            f"ttnn.{function}: the {what} is {tensor.dtype}, not floating-point",
            help="use ttnn.typecast",
        )
    if rank is not None and len(tensor.shape) != rank:
        fail(
            Code.SHAPES, f"ttnn.{function}: the {what} has {rank} dimensions, not shape {tuple(tensor.shape)}"
        )
    return tensor


def indices_of(value: Any, function: str) -> Any:
    """The whole numbers in a tensor, as an array of its shape."""
    tensor = tensor_of(value, function, "tensor of indices")
    return np.asarray(tensor.dtype.load(tensor._data)).reshape(tensor.shape).astype(np.int64)


def count_of(value: Any, function: str, what: str) -> int:
    """A number of something: a positive integer."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        fail(Code.WRONG_KIND, f"ttnn.{function}: {what} is a positive integer, not {describe(value)}")
    return value


def dtype_of(value: Any, default: DType = BFLOAT16) -> DType:
    """An element type; None is the default."""
    if value is None:
        return default
    if not isinstance(value, DType):
        known = _of_torch(value)
        if known is not None:
            return known
        names = ", ".join(f"ttnn.{dtype.name}" for dtype in DTYPES)
        own = f"ttnn.{str(value).removeprefix('torch.')}"
        hint = f"write {own}" if own in names.split(", ") else f"one of {names}"
        older = repr(value) if isinstance(value, str) else str(value)
        remedy = Mention(older=older, current=own) if hint.startswith("write") else None
        fail(
            Code.WRONG_KIND,
            f"an element type is one of ttnn's, not {describe(value)}",
            help=hint,
            remedy=remedy,
        )
    return value


def _of_torch(value: Any) -> DType | None:
    """Return the element type with the name of a torch type, and emit a note (TTL1219); None for other values."""
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        name = str(value).removeprefix("torch.")
    elif getattr(value, "library", None) == "torch" and isinstance(getattr(value, "name", None), str):
        name = value.name  # for a program that is read and not run
    else:
        return None
    known = next((dtype for dtype in DTYPES if dtype.name == name), None)
    if known is None:
        return None
    span = user_span()
    finding = note("TTL1219", f"torch.{name} is used instead of ttnn.{name}").at(span)
    edit = None if span is None else _in_place_of(f"torch.{name}", f"ttnn.{name}", span)
    if edit is None:
        finding = finding.helping(f"write ttnn.{name}")
    else:
        finding = finding.fixed_by(Fix(description=f"write ttnn.{name}", edits=(edit,)))
    emit(finding, once=True)
    return known


def _in_place_of(written: str, meant: str, place: Span) -> Edit | None:
    """Return the edit that replaces a name within the call at a place; None unless the name occurs there once."""
    places = [
        span
        for node, span in nodes_within(place)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == written
    ]
    return Edit(span=places[0], replacement=meant) if len(places) == 1 else None


def layout_of(value: Any, default: Layout = Layout.ROW_MAJOR) -> Layout:
    """A layout; None is the default."""
    if value is None:
        return default
    if not isinstance(value, Layout):
        fail(Code.WRONG_KIND, f"a layout is ttnn.TILE_LAYOUT or ttnn.ROW_MAJOR_LAYOUT, not {describe(value)}")
    return value


def untold(tensor: Tensor, function: str, layout: Any) -> Tensor:
    """Return the tensor, marked as row-major because the program gave no layout."""
    if layout is None and tensor.layout is Layout.ROW_MAJOR:
        reading = READING.get()
        tensor._untold = (function, user_site() if reading is None else reading.span)
    return tensor


def device_of(value: Any) -> Device | None:
    """An open device, or None for the host."""
    return None if value is None else checked_device(value)


def check_type(dtype: DType, layout: Layout) -> None:
    """Block floats share an exponent within a tile, so they only exist in tiles (TTL1019)."""
    if dtype.kind == "block_float" and layout is not Layout.TILE:
        fail(
            Code.BLOCK_FLOAT,
            f"a tensor of {dtype.name} can't have ttnn.ROW_MAJOR_LAYOUT, its values share exponents within a tile",
            help="add layout=ttnn.TILE_LAYOUT",
            remedy=Argument(name="layout", value="ttnn.TILE_LAYOUT"),
        )


def place(config: Any, shape: tuple[int, ...], layout: Layout, device: Device | None) -> MemoryConfig:
    """A memory configuration that is legal for the tensor."""
    grid = None if device is None else device._chip.grid
    return resolve(config, shape, layout, grid)


def number_of(value: Any, function: str, what: str) -> float:
    """A number."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        fail(Code.OUT_OF_RANGE, f"ttnn.{function}: the number {value} does not fit into 64 bits")
    if isinstance(value, (bool, int, float)):
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item") and not isinstance(value, Tensor):
        return value.item()  # type: ignore[no-any-return]
    return fail(Code.WRONG_KIND, f"ttnn.{function}: {what} is a number, not {describe(value)}")
