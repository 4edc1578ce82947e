"""Modules as graphs of Model Explorer, in its JSON.

The rules are those of tt-explorer of 2024-11-21: a node is called by the location of its operation, ``tensor.empty`` stand behind
the others, and each use of a result is an output of its own, which says shape, element type and layout. Beside them: devices and
other values that are not tensors have edges without a layout, layouts of TTNN are said as those of TTIR are, and operations
in regions of operations (kernels, say) are nodes within them. A ``tensor.empty`` without a name stands beside the operation that
writes to it: a group of all of them would have edges across the whole graph, which take a browser minutes to lay out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    ModuleOp,
    NameLoc,
    TensorType,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from tt_model.attributes.tt import TTLayoutAttr
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.layouts.values import dimensions_text
from ttmlir.bindings.printing import attribute_text, value_name

GRAPH_ID = "ttir-graph"
_QUOTED = re.compile(r'"([^"]*)"')
# Longer attributes, such as constants, are cut to so many characters.
_LONGEST = 400

Graph = dict[str, Any]
Node = dict[str, Any]
# Attributes of the nodes of operations, in addition to those in the module.
Facts = Mapping[Operation, Mapping[str, str]]


def graph_of(module: ModuleOp, *, facts: Facts | None = None, graph_id: str = GRAPH_ID) -> Graph:
    """The graph of a module. ``facts`` are further attributes of nodes, such as an estimated time."""
    writer = _GraphWriter(facts or {})
    for op in module.ops:
        writer.operations_in(op, ())
    writer.edges()
    return {"id": graph_id, "nodes": writer.nodes}


def node_ids(module: ModuleOp) -> dict[Operation, str]:
    """The nodes of a module's operations."""
    writer = _GraphWriter({})
    for op in module.ops:
        writer.operations_in(op, ())
    return {op: node["id"] for op, node in writer.of_operation.items()}


def location_name(op: Operation) -> str:
    """Return the name that a location gives its operation: the text between its first quotes, else ``unknown``."""
    return name_of_place(attribute_text(op.location))


def name_of_place(text: str) -> str:
    """Return the name in a printed location: the text between its first quotes, else ``unknown``."""
    quoted = _QUOTED.search(text)
    return quoted[1] if quoted is not None and quoted[1] else "unknown"


class _GraphWriter:
    def __init__(self, facts: Facts) -> None:
        self.nodes: list[Node] = []
        self.of_operation: dict[Operation, Node] = {}
        self._of_argument: dict[SSAValue, Node] = {}
        self._facts = facts
        self._counts: Counter[str] = Counter()
        self._outputs: Counter[str] = Counter()
        self._uses: list[tuple[Operation, Node]] = []

    def operations_in(self, op: Operation, above: tuple[str, ...]) -> None:
        """Add nodes for the operations in an operation's regions."""
        inside = (*above, _symbol(op) or location_name(op))
        for region in op.regions:
            for block in region.blocks:
                self._block(block, inside)

    def _block(self, block: Block, inside: tuple[str, ...]) -> None:
        behind = []
        for op in block.ops:
            if op.name == "tensor.empty":
                behind.append(op)
            else:
                self._operation(op, inside)
        for op in behind:
            self._operation(op, inside)

    def _operation(self, op: Operation, inside: tuple[str, ...]) -> None:
        name = location_name(op)
        namespace = "/".join((*inside, location_name(_used_by(op))))
        node = self._node(name, _label(op), namespace)
        node["attrs"] = [{"key": key, "value": value} for key, value in self._attributes(op)]
        self.of_operation[op] = node
        self._uses.append((op, node))
        for value in op.operands:
            if isinstance(value, BlockArgument) and value not in self._of_argument:
                self._of_argument[value] = self._node(name, value_name(value), namespace)
        if op.regions:
            self.operations_in(op, inside)

    def _node(self, name: str, label: str, namespace: str) -> Node:
        node: Node = {
            "id": f"{name}__{self._counts[name]}",
            "label": label,
            "namespace": namespace,
            "subgraphIds": [],
            "attrs": [],
            "incomingEdges": [],
            "outputsMetadata": [],
        }
        self._counts[name] += 1
        self.nodes.append(node)
        return node

    def _attributes(self, op: Operation) -> Iterator[tuple[str, str]]:
        for key, value in sorted({**op.attributes, **op.properties}.items()):
            yield key, _attribute(value)
        for result in op.results:
            if isinstance(result.type, TensorType):
                yield from ((key.lower(), said) for key, said in _layout(result.type.encoding))
                break
        yield from self._facts.get(op, {}).items()

    def edges(self) -> None:
        """Add an edge for each operand of each operation.

        Each use of a value has its own output at the node that defines the value.
        """
        for op, node in self._uses:
            for position, value in enumerate(op.operands):
                owner = value.owner
                source = (
                    self._of_argument.get(value) if isinstance(owner, Block) else self.of_operation.get(owner)
                )
                if source is None:
                    continue
                output = str(self._outputs[source["id"]])
                self._outputs[source["id"]] += 1
                node["incomingEdges"].append(
                    {
                        "sourceNodeId": source["id"],
                        "sourceNodeOutputId": output,
                        "targetNodeInputId": str(position),
                    }
                )
                attrs = [{"key": key, "value": said} for key, said in _tensor(value, node["label"])]
                source["outputsMetadata"].append({"id": output, "attrs": attrs})


def _used_by(op: Operation) -> Operation:
    """Return the operation whose group shows this one: for a ``tensor.empty`` without a name, the first user."""
    if op.name != "tensor.empty" or isinstance(op.location, NameLoc):
        return op
    return next((use.operation for use in op.results[0].uses), op)


def _label(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _symbol(op: Operation) -> str:
    name = op.properties.get("sym_name") or op.attributes.get("sym_name")
    return "" if name is None else attribute_text(name).strip('"')


def _attribute(value: Attribute) -> str:
    if isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        text = attribute_text(value.type)
        return f"elements of {text}"
    text = attribute_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _tensor(value: SSAValue, target: str) -> Iterator[tuple[str, str]]:
    yield "__tensor_tag", target
    type_ = value.type
    if not isinstance(type_, TensorType):
        yield "type", attribute_text(type_)
        return
    shape = type_.get_shape()
    yield "shape", f"[{', '.join(map(str, shape))}]"
    yield "element_type", attribute_text(type_.element_type)
    yield "rank", str(len(shape))
    yield from _layout(type_.encoding)


def _layout(encoding: Attribute) -> Iterator[tuple[str, str]]:
    if isinstance(encoding, TTLayoutAttr):
        space = encoding.data.memref.space
        yield "Memory Space", "" if space is None else space.keyword
        yield "Memory Layout", encoding.data.memory_layout.keyword
        yield "Grid Shape", dimensions_text(encoding.data.grid.shape)
    elif isinstance(encoding, TTNNLayoutAttr):
        layout = encoding.data
        yield "Memory Space", layout.buffer_type.keyword
        yield "Memory Layout", layout.memory_layout.keyword
        yield "Grid Shape", dimensions_text(layout.grid.shape)
        tile = layout.tile_shape
        yield "Page Layout", "tile" if tuple(tile) != (1, 1) else "row_major"
        yield "Data Type", layout.data_type.keyword
