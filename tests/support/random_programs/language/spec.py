"""A random program as data: what the generator makes, the emitter writes as text and the minimiser takes apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Shape = tuple[int, ...]
Style = Literal["with", "explicit", "inferred"]
Delivery = Literal["direct", "row", "column", "all", "ring", "gather"]


@dataclass(frozen=True, kw_only=True)
class TensorSpec:
    """A tensor argument. ``shape`` in elements; ``data`` names a profile of contents; ``same_as``: this very tensor.

    ``overlaps``: on the host its memory is that of this one, from row ``shift`` of the first dimension on, and
    some more; its contents are so, too.
    """

    name: str
    shape: Shape
    dtype: str
    tiled: bool
    data: str = "whole"
    seed: int = 0
    same_as: str = ""
    overlaps: str = ""
    shift: int = 0


@dataclass(frozen=True, kw_only=True)
class Port:
    """A buffer between a tensor and the compute kernel: its block shape and which slice each item takes.

    ``index`` is the text of the tensor index, in terms of ``item``, ``q0`` ..., ``k``, ``j``, ``me``, ``previous``.
    """

    name: str
    tensor: str
    block: Shape
    index: str
    block_count: int = 2
    style: Style = "with"
    kernel: Literal["read", "write"] = "read"
    delivery: Delivery = "direct"
    loopback: bool = True


@dataclass(frozen=True, kw_only=True)
class Inner:
    """An accumulation over ``count`` steps before an item's statements; ``form`` names its body."""

    name: str
    form: str
    ports: tuple[Port, ...]
    count: int
    shape: Shape
    integer: bool = False
    # The buffer it accumulates through, like this tensor; else it accumulates in an expression.
    through: str = ""
    # Each step takes the block of the step before from that buffer and puts a new one in.
    turns: bool = False
    # Text of the number of steps of an item, up to ``count``, where it is not the same for all.
    trips: str = ""

    @property
    def steps(self) -> str:
        """Text of the number of steps."""
        return self.trips or str(self.count)


@dataclass(frozen=True, kw_only=True)
class Instr:
    """A statement of the compute kernel, for each item. ``args`` are names of earlier values and numbers."""

    name: str
    kind: Literal["op", "loop", "store", "iadd", "overwrite", "through", "carry", "carry_out"]
    args: tuple[Any, ...] = ()
    op: str = ""
    params: tuple[tuple[str, Any], ...] = ()
    shape: Shape = ()
    integer: bool = False
    count: int = 0
    # Output, input, or tensor in whose likeness the buffer is.
    target: str = ""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A whole program."""

    seed: int
    grid: tuple[int, ...]
    tensors: tuple[TensorSpec, ...]
    inputs: tuple[Port, ...]
    inner: tuple[Inner, ...]
    outputs: tuple[Port, ...]
    body: tuple[Instr, ...]
    # Extents of the block grid: what q0, q1, ... of an item are.
    blocks: Shape
    items: str
    tiled: bool
    style: Style = "explicit"
    group_transfer: bool = False
    # SPMD on a mesh of this shape, every device with data of its own.
    mesh: tuple[int, int] | None = None
    carry: str = ""
    # Every node moves its part of ``source`` to ``scratch``, then all wait for all, before the items.
    barrier: bool = False
    # The output that the write kernel reads back, for the item before, and copies on to tensor ``echo``.
    echo: str = ""
    # Tensors whose last bits are free: sums and functions whose rounding is their own went into them.
    inexact: frozenset[str] = frozenset()

    def tensor(self, name: str) -> TensorSpec:
        return next(each for each in self.tensors if each.name == name)
