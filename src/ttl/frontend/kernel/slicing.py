"""Tensors while an operation is read: accessors, and slices whose bounds may depend on the node."""

from __future__ import annotations

from math import prod
from typing import Any

from xdsl.ir import SSAValue

from ttl.diag import Diagnostic
from ttl.diag.values import is_int
from ttl.dialects import ttl as ir
from ttl.frontend.kernel.tensors import distributed_type, extents_of, tensor_type
from ttl.frontend.kernel.trace import OperationTrace, varies
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeInteger, NodeRatio
from ttl.host.tensor import Tensor
from ttl.lang.check import fail
from ttl.lang.transfers import TensorSlice
from ttl.rows.dtypes import DType
from ttl.rules import launches, slices
from ttl.rules.distribution import Distribution


class TracedSlice(TensorSlice):
    """A slice of a tensor. ``extents`` are ints, or integers known on the node only."""

    __slots__ = ("dtype", "extents", "layout", "single", "ssa")

    def __init__(
        self, ssa: SSAValue, extents: tuple[Any, ...], single: tuple[bool, ...], dtype: DType, layout: Any
    ) -> None:
        self.ssa = ssa
        self.extents = extents
        self.single = single
        self.dtype = dtype
        self.layout = layout

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in tiles or elements."""
        return self.extents


class Slices:
    """Tensors of the operation, and slices of them."""

    def __init__(self, trace: OperationTrace) -> None:
        self._trace = trace
        self.arguments: list[tuple[str, Tensor]] = []
        self._accessors: dict[int, SSAValue] = {}

    def slice(self, tensor: Tensor, index: Any, distribution: Distribution | None = None) -> TracedSlice:
        """``tensor[index]`` in a kernel; with a ``distribution``, a part of the node's shard."""
        if self._trace.kind != "data movement":
            fail(slices.slice_outside(self._trace.what))
        entries = index if isinstance(index, tuple) else (index,)
        extents = extents_of(tensor)
        bounds, single = self._bounds(entries, extents, tensor)
        sizes = [stop - start for start, stop in bounds]
        known = tuple(size if isinstance(size, int) else -1 for size in sizes)
        # The sizes are checked without the starts.
        parts = tuple(slice(0, size) if isinstance(size, int) else slices.INTEGER for size in sizes)
        finding = slices.partial_error(parts, tuple(map(known_index, extents)), tensor.layout)
        if finding is not None:
            fail(finding)
        result = self._trace.emit(
            ir.TensorSliceOp(
                self.accessor(tensor),
                [self._trace.builder.index(start) for start, _ in bounds],
                sizes=known,
                single=single,
                dynamic_sizes=[size.ssa() for size in sizes if isinstance(size, NodeInteger)],
                shard_of=None if distribution is None else distributed_type(tensor, distribution),
            )
        )
        return TracedSlice(result.result, tuple(sizes), single, tensor.dtype, tensor.layout)

    def accessor(self, tensor: Tensor) -> SSAValue:
        """A tensor in the IR. A tensor that is not an argument becomes an argument."""
        known = self._accessors.get(id(tensor))
        if known is None:
            self._require_on_the_devices(tensor)
            assert self._trace.body is not None
            argument = self._trace.body.insert_arg(tensor_type(tensor), len(self._trace.body.args))
            self.arguments.append((f"captured{len(self.arguments)}", tensor))
            known = self.accessor_of(tensor, argument)
        return known

    def argument(self, tensor: Any) -> SSAValue:
        """Return the argument of the operation for a tensor, which becomes one if necessary."""
        owner = self.accessor(tensor).owner
        assert isinstance(owner, ir.TensorAccessorOp)
        return owner.tensor

    def _require_on_the_devices(self, tensor: Tensor) -> None:
        """Refuse a tensor on a mesh that is not an argument: the operation runs on the devices of its arguments."""
        shards = tensor.shards
        if shards is None or len(shards) == 1 or prod(self._trace.grid[:-2]) == len(shards):
            return
        devices = [len(given.shards) for _, given in self.arguments if given.shards is not None]
        if len(self._trace.grid) > 2 or not devices or devices[0] > len(shards):
            fail(launches.not_on_the_devices(len(shards)))

    def accessor_of(self, tensor: Tensor, argument: SSAValue) -> SSAValue:
        """Make the accessor of a tensor that is an argument of the operation, and remember it."""
        assert self._trace.body is not None
        value: SSAValue = self._trace.builder.emit_first(
            self._trace.body, ir.TensorAccessorOp(argument)
        ).result
        self._accessors[id(tensor)] = value
        return value

    def _bounds(
        self, entries: tuple[Any, ...], extents: tuple[int, ...], tensor: Tensor
    ) -> tuple[list[tuple[Any, Any]], tuple[bool, ...]]:
        layout = tensor.layout
        if not varies(entries) and not varies(extents):
            part = slices.slice_part(entries, extents, layout)
            if isinstance(part, Diagnostic):
                fail(part)
            return list(part[0]), part[2] or (False,) * len(extents)
        expanded = slices.expand(entries, extents, layout)
        if isinstance(expanded, Diagnostic):
            fail(expanded)
        finding = slices.partial_error(
            tuple(map(known_index, expanded)), tuple(map(known_index, extents)), layout
        )
        if finding is not None:
            fail(finding)
        bounds: list[tuple[Any, Any]] = []
        for axis, entry in enumerate(expanded):
            if isinstance(entry, slice):
                start = 0 if entry.start is None else entry.start
                bounds.append((start, extents[axis] if entry.stop is None else entry.stop))
            else:
                first = int(entry) if is_int(entry) else entry
                bounds.append((first, first + 1))
        return bounds, tuple(not isinstance(entry, slice) for entry in expanded)


def known_index(entry: Any) -> Any:
    """Return an index, or a slice, with stand-ins for the values that the node computes."""
    match entry:
        case NodeInteger():
            return slices.INTEGER
        case NodeRatio() | NodeFloat():
            return slices.FRACTION
        case slice(start=start, stop=stop, step=step):
            return slice(known_index(start), known_index(stop), known_index(step))
    return entry
