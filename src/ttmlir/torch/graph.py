"""A graph of ATen as TTIR: node by node, by the table; nodes that do not depend on inputs are computed by torch at once.

A node that cannot be lowered does not end the conversion: its result is replaced by a tensor of the same shape, so that all
obstacles are reported together.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tt_model.integers.bounds import WAY_OUT, for_any_input
from ttl.ir.refusals import Refused
from ttmlir.compositions.dimensions import program_shape
from ttmlir.ir import F32Type
from ttmlir.torch.functions.integers import rule_for
from ttmlir.torch.lowering import GraphLowering
from ttmlir.torch.many_dimensions import with_fewer
from ttmlir.torch.node_builder import element_type, value_in
from ttmlir.torch.nodes import bound_arguments, flat, is_of_aten, is_random, no_row, overload_of, plain
from ttmlir.torch.places import NodePlace, place_of
from ttmlir.torch.row import AtenRow, AtenValue
from ttmlir.ttir_builder import Operand

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A node that cannot be lowered."""

    place: NodePlace
    operation: str
    reason: str
    way: str

    def __str__(self) -> str:
        module = f" in module {self.place.module}" if self.place.module else ""
        return f"{self.place}: {self.operation}{module}: {self.reason}\n  what works: {self.way}"


@dataclass
class GraphWalk(GraphLowering):
    """The lowering of one graph; ``table`` has the rows by their overloads."""

    table: Mapping[str, AtenRow] = field(kw_only=True)
    obstacles: list[Obstacle] = field(default_factory=list)

    def lower(self, node: Any) -> None:
        """Lower one node of the graph, a call."""
        self._node, self._few = node, None
        self.builder.place = place_of(node)
        if node.target is operator.getitem:
            several, index = node.args
            self.values[node] = self.values[several][index]
            return
        if str(node.target) == "with_effects" and "_linalg_check_errors" in str(node.args[1]):
            self.values[node] = [None]  # torch raises an error there; a device cannot raise errors
            return
        try:
            self.values[node] = self._lowered(node)
        except Refused as problem:
            self._stand_in(node, problem.condition, problem.way_out)
        except ValueError as problem:  # of the builder: shapes and attributes that no operation has
            self._stand_in(node, str(problem), "other shapes or arguments")

    def output(self, node: Any) -> Operand:
        """Return the operand of a result of the graph.

        For a result that cannot be lowered, record the obstacle and return a substitute.
        """
        self._node = node
        self.builder.place = place_of(node)
        try:
            return self.operand(self.values[node])
        except Refused as problem:
            self._stand_in(node, problem.condition, problem.way_out)
            return self.values[node].operand  # type: ignore[no-any-return]

    def _lowered(self, node: Any) -> Any:
        row = self.table.get(overload_of(node))
        arguments = bound_arguments(node, self.values)
        known = self._computed_now(node, arguments)
        if known is not None:
            return known
        metas = node.meta.get("val")
        results = list(metas) if isinstance(metas, list | tuple) else [metas]
        spans = self._spans(node, arguments, results)
        rule = rule_for(overload_of(node), arguments)
        if rule is None and row is None:
            raise self.refuse(*no_row(node))
        fewer = with_fewer(self, arguments)
        if fewer is not None:
            arguments, self._few = fewer
        given = (rule or row.make)(self, *arguments)  # type: ignore[union-attr]
        if isinstance(given, list | tuple):
            return [
                self._with(self._result(one, meta), span) for one, meta, span in zip(given, results, spans)
            ]
        return self._with(self._result(given, metas), spans[0])

    def _spans(self, node: Any, arguments: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        """Return the spans of the results; None for a result without one, such as a float that is not followed.

        Raises ``Refused`` if the results exclude the last bound of arguments, and so need 64 bits for any arguments.
        """
        could = any(self.bounds.left)
        spans = [
            None
            if one is None or (len(results) > 1 and not self.is_used(at))
            else self.bounds.of_node(node, arguments, one, at)
            for at, one in enumerate(results)
        ]
        if could and not any(self.bounds.left):
            assert self.bounds.last is not None
            raise self.refuse(for_any_input(*self.bounds.last), WAY_OUT)
        return spans

    def _with(self, value: AtenValue | None, spans: Any) -> AtenValue | None:
        return value if value is None or spans is None else replace(value, spans=spans)

    def _result(self, given: Any, meta: torch.Tensor) -> AtenValue | None:
        if given is None:
            return None
        if self._few is not None:
            value = (
                given
                if isinstance(given, AtenValue)
                else self.again(given, tuple(self.builder.get_shape(given)))
            )
            return replace(self.reshape(value, tuple(meta.shape)), dtype=meta.dtype)
        if isinstance(given, AtenValue):
            got, wanted = (given.shape, given.dtype), (tuple(meta.shape), meta.dtype)
            assert got == wanted, f"{self._node.target} gives {got}, and torch {wanted}"
            return given
        operand = value_in(given)
        extents, expected = tuple(self.builder.get_shape(operand)), tuple(meta.shape) or (1,)
        assert extents == expected, f"{self._node.target} gives {extents}, and torch {expected}"
        return AtenValue(tuple(meta.shape), meta.dtype, operand=operand)

    def _computed_now(self, node: Any, arguments: Sequence[Any]) -> Any:
        """Compute a function of torch whose tensors are all known.

        None if an operand is not known, if the result is random, and for functions that are not torch's own.
        """
        import torch

        tensors = [one for argument in arguments for one in flat(argument) if isinstance(one, AtenValue)]
        if any(one.known is None for one in tensors) or is_random(node) or not is_of_aten(node):
            return None
        positional = [plain(argument) for argument in arguments]
        schema = node.target._schema.arguments
        first = [one for one, argument in zip(positional, schema) if not argument.kwarg_only]
        named = {argument.name: one for one, argument in zip(positional, schema) if argument.kwarg_only}
        with torch.no_grad():
            result = node.target(*first, **named)
        if isinstance(result, list | tuple):
            return [AtenValue.of(one) if isinstance(one, torch.Tensor) else None for one in result]
        return AtenValue.of(result) if isinstance(result, torch.Tensor) else None

    def _stand_in(self, node: Any, reason: str, way: str) -> None:
        self.obstacles.append(Obstacle(self.builder.place, str(node.target), reason, way))
        metas = node.meta.get("val")
        several = metas if isinstance(metas, list | tuple) else [metas]
        empty = [self._empty(meta) for meta in several]
        self.values[node] = empty if isinstance(metas, list | tuple) else empty[0]

    def _empty(self, meta: Any) -> AtenValue | None:
        if meta is None:
            return None
        try:
            element = element_type(meta.dtype, self.builder.context)
        except Refused:
            element = F32Type.get(self.builder.context)
        operation = self.builder.empty(list(program_shape(meta.shape)), element)
        return AtenValue(tuple(meta.shape), meta.dtype, operand=operation.result)
