"""The operations of a row segment: its loads, computations and stores for a few rows, and the strips that they use.

A strip holds the rows of one value as float32, or one number per row where all columns are equal or only column 0
matters. Strips are reused as soon as their value is no longer needed.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from ttl.native import machine
from ttl.sim.native.nodes import Format, Map, ValueNode
from ttl.sim.native.plan import Segment, SegmentPlan, together

RESULT = -1
_NO_PARAMS = (0.0, 0.0, 0.0)
# Operations that combine the elements of a row, or that depend on the row or column.
_ALONG_ROWS = frozenset(
    {
        "column_f32", "column_bf16", "column_f16", "column_block", "splat", "pad", "sum_columns",
        "sum_squares_columns", "max_columns", "add_rows", "max_rows",
    }
)  # fmt: skip
_LOADS = {Format.BF16: "load_bf16", Format.F16: "load_f16"}
_STORES = {Format.BF16: "store_bf16", Format.F16: "store_f16"}
_COLUMNS = {Format.BF16: "column_bf16", Format.F16: "column_f16"}
_MANTISSAS = {Format.BFP8: 7.0, Format.BFP4: 3.0}


class SegmentKind(IntEnum):
    """The form of an operand in memory (``native/machine/opcodes.h``)."""

    NONE = 0
    FLOATS = 1
    HALVES = 2
    NUMBER = 3


class Where(IntEnum):
    """The table that the index of an argument counts in (``native/machine/program.h``)."""

    NOTHING = 0
    SLOT = 1
    PLACE = 2
    NUMBER = 3


class SegmentArgument(NamedTuple):
    """An operand or the result of an operation."""

    kind: SegmentKind
    where: Where
    place: int

    def dense(self) -> SegmentArgument:
        """The numbers of rows as a row of their own; an argument that is one number for all rows is unchanged."""
        return (
            self
            if self.where is Where.NUMBER
            else SegmentArgument(SegmentKind.FLOATS, self.where, self.place)
        )


_NOTHING = SegmentArgument(SegmentKind.NONE, Where.NOTHING, 0)


class SegmentOperation(NamedTuple):
    """One operation on a strip; with ``of_column`` it works on one number per row."""

    opcode: str
    of_column: bool
    width: int
    d: SegmentArgument
    args: tuple[SegmentArgument, SegmentArgument, SegmentArgument]
    params: tuple[float, ...]


class OperandAddresses:
    """The numbering of the sources, maps and numbers that all steps of a program share."""

    def __init__(self, plan: SegmentPlan) -> None:
        self._plan = plan
        self.maps: list[Map] = []
        self._map_places: dict[Map, int] = {}
        self.numbers: list[float] = []
        self.ids: list[int] = []  # of the numbers that may differ between calls; -1 for all others
        self._number_places: dict[str, int] = {}

    def source(self, node: ValueNode) -> int:
        """Return where a leaf or a value in a buffer is read."""
        if node.kind == "leaf":
            return node.index
        assert node.buffer is not None
        return -2 - node.buffer

    def target(self, node: ValueNode) -> int:
        """Return where a product or a move writes."""
        return RESULT if node.buffer is None else -2 - node.buffer

    def format(self, node: ValueNode) -> Format:
        """The format a leaf or a value in a buffer is read in."""
        return node.format if node.buffer is None else self._plan.buffers[node.buffer].format

    def map(self, map: Map | None) -> int:
        """The place of a map; -1 for no map."""
        if map is None:
            return -1
        if map not in self._map_places:
            self._map_places[map] = len(self.maps)
            self.maps.append(map)
        return self._map_places[map]

    def number(self, node: ValueNode) -> SegmentArgument:
        """A number as an operand."""
        # Two numbers that are equal now need not be so in another call; repr keeps zeros of both signs apart.
        text = repr(node.number) if node.index < 0 else f"number {node.index}"
        if text not in self._number_places:
            self._number_places[text] = len(self.numbers)
            self.numbers.append(node.number)
            self.ids.append(node.index)
        return SegmentArgument(SegmentKind.NUMBER, Where.NUMBER, self._number_places[text])


class SegmentCode:
    """The operations of one segment."""

    def __init__(self, plan: SegmentPlan, segment: Segment, addresses: OperandAddresses) -> None:
        self.domain = segment.domain
        self.places: list[tuple[int, int, bool]] = []
        self.operations: list[SegmentOperation] = []
        self.slots = 0
        self._plan = plan
        self._addresses = addresses
        self._free: list[int] = []
        # Strips of values: all of a row, or one number per row.
        self._rows: dict[ValueNode, int] = {}
        self._numbers: dict[ValueNode, int] = {}
        # Values that were computed directly into memory.
        self._written: dict[ValueNode, SegmentArgument] = {}
        # Squares that are not computed: the sum of each row is computed from the operand that is squared.
        self._squares = {node.args[0] for node in segment.nodes if self._sums_squares(node)}
        nodes = [node for node in segment.nodes if node not in self._squares]
        last: dict[ValueNode, int] = {}
        for position, node in enumerate(nodes):
            for arg in self._args(node):
                last[arg] = position
        inside = set(segment.nodes)
        for position, node in enumerate(nodes):
            self._used_here = {user for user in node.users if user in inside and together(user, node)}
            self._dying = [arg for arg in dict.fromkeys(self._args(node)) if last[arg] == position]
            self._compute(node)
            self._release(self._dying)
            if not self._used_here:
                self._release([node])
        self.width = max([operation.width for operation in self.operations])
        self.splits_columns = all(
            operation.opcode not in _ALONG_ROWS
            and not operation.of_column
            and operation.width == self.width
            and not any(
                segment_argument.kind is SegmentKind.NUMBER and segment_argument.where is not Where.NUMBER
                for segment_argument in operation.args
            )
            for operation in self.operations
        )

    def _sums_squares(self, node: ValueNode) -> bool:
        if node.kind != "columns" or node.opcode != "sum_columns":
            return False
        (arg,) = node.args
        is_square = arg.opcode == "square" or (arg.opcode == "mul" and arg.args[0] is arg.args[1])
        return is_square and arg.users == [node] and together(node, arg) and not arg.column

    def _args(self, node: ValueNode) -> tuple[ValueNode, ...]:
        """Return the values that are read to compute a value."""
        if node.kind == "columns" and node.args[0] in self._squares:
            return node.args[0].args[:1]
        return node.args

    # --- strips -----------------------------------------------------------------------------------------------

    def _take(self) -> int:
        if self._free:
            return self._free.pop()
        self.slots += 1
        return self.slots - 1

    def _release(self, nodes: list[ValueNode]) -> None:
        for node in nodes:
            for strips in (self._rows, self._numbers):
                slot = strips.pop(node, None)
                if slot is not None:
                    self._free.append(slot)

    def _emit(
        self,
        opcode: str,
        d: SegmentArgument,
        args: list[SegmentArgument],
        width: int,
        *,
        params: tuple[float, ...] = (),
        of_column: bool = False,
    ) -> None:
        three = (*args, *(_NOTHING,) * (3 - len(args)))
        padded = (*params, *_NO_PARAMS)[:3]
        self.operations.append(SegmentOperation(opcode, of_column, width, d, three[:3], padded))  # type: ignore[arg-type]

    def _place(self, node: ValueNode, map: Map | None = None, fixed: bool = False) -> SegmentArgument:
        """Return where a leaf or buffer lies."""
        return self._place_at(self._addresses.source(node), self._addresses.format(node), map, fixed)

    def _place_at(self, source: int, format: Format, map: Map | None, fixed: bool) -> SegmentArgument:
        place = (source, self._addresses.map(map), fixed)
        if place not in self.places:
            self.places.append(place)
        kind = SegmentKind.HALVES if format in (Format.BF16, Format.F16) else SegmentKind.FLOATS
        return SegmentArgument(kind, Where.PLACE, self.places.index(place))

    # --- operands ---------------------------------------------------------------------------------------------

    def _outside(self, node: ValueNode) -> tuple[SegmentArgument, Format]:
        """Return where a value that this segment does not compute lies."""
        source, map, fixed = node, None, False
        if node.kind == "view":
            source, map, fixed = node.args[0], node.map, node.fixed[0]
        return self._place(source, map, fixed), self._addresses.format(source)

    def _row_numbers(self, node: ValueNode) -> SegmentArgument:
        """One number per row: column 0 of a value, which stands for the others where they are equal."""
        if node.kind == "number":
            return self._addresses.number(node)
        if node not in self._numbers:
            if node in self._rows:
                place, format = SegmentArgument(SegmentKind.FLOATS, Where.SLOT, self._rows[node]), Format.F32
                width = node.extents[2]
            elif node in self._written:
                place, format, width = self._written[node], Format.F32, 1
            else:
                place, format = self._outside(node)
                width = 1
            slot = self._numbers[node] = self._take()
            d = SegmentArgument(SegmentKind.NUMBER, Where.SLOT, slot)
            self._emit(_COLUMNS.get(format, "column_f32"), d, [place], width)
        return SegmentArgument(SegmentKind.NUMBER, Where.SLOT, self._numbers[node])

    def _dense_numbers(self, node: ValueNode) -> SegmentArgument:
        """Return the numbers of a row as a row of its own, for operations of columns."""
        return self._row_numbers(node).dense()

    def _whole_rows(self, node: ValueNode, width: int, *, halves: bool = False) -> SegmentArgument:
        """Rows as float32; with ``halves``, rows in memory may stay bfloat16."""
        if node in self._rows:
            return SegmentArgument(SegmentKind.FLOATS, Where.SLOT, self._rows[node])
        if node in self._written:
            return self._written[node]
        if node.kind == "number" or node.column:
            numbers = self._row_numbers(node)
            slot = self._rows[node] = self._take()
            self._emit("splat", SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot), [numbers], width)
            return SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot)
        place, format = self._outside(node)
        if place.kind is SegmentKind.FLOATS or (halves and format is Format.BF16):
            return place
        slot = self._rows[node] = self._take()
        self._emit(_LOADS[format], SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot), [place], width)
        return SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot)

    def _operand(self, node: ValueNode, width: int, *, halves: bool = False) -> SegmentArgument:
        """Rows, or one number per row where all columns are equal."""
        if node.kind == "number" or node.column:
            return self._row_numbers(node)
        return self._whole_rows(node, width, halves=halves)

    # --- values -----------------------------------------------------------------------------------------------

    def _compute(self, node: ValueNode) -> None:
        width = node.extents[2]
        if node.kind == "spread":
            self._rename_numbers(node)
        elif node.kind == "rows":
            self._sum_rows(node)
            return
        elif node.kind == "columns":
            self._reduce_columns(node, width)
        elif node.column:
            self._compute_numbers(node)
        else:
            self._compute_rows(node, width)
        self._store(node, width)

    def _rename_numbers(self, node: ValueNode) -> None:
        """Use the numbers of the operand's rows as the numbers of the value's rows."""
        (arg,) = node.args
        numbers = self._row_numbers(arg)
        if arg in self._dying:
            self._numbers[node] = self._numbers.pop(arg)
            return
        slot = self._numbers[node] = self._take()
        self._emit(
            "copy",
            SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot),
            [numbers.dense()],
            1,
            of_column=True,
        )

    def _reduce_columns(self, node: ValueNode, width: int) -> None:
        (arg,) = self._args(node)
        source_width = node.args[0].extents[2]
        rows = self._whole_rows(arg, source_width, halves=True)
        slot = self._numbers[node] = self._take()
        opcode = node.opcode if arg is node.args[0] else "sum_squares_columns"
        self._emit(opcode, SegmentArgument(SegmentKind.NUMBER, Where.SLOT, slot), [rows], source_width)
        if node.column:
            return
        block = self._rows[node] = self._take()
        numbers = SegmentArgument(SegmentKind.NUMBER, Where.SLOT, slot)
        self._emit("column_block", SegmentArgument(SegmentKind.FLOATS, Where.SLOT, block), [numbers], width)

    def _compute_numbers(self, node: ValueNode) -> None:
        args = [self._dense_numbers(arg) for arg in node.args]
        temporary: int | None = None
        if args[0].kind is SegmentKind.NUMBER and (
            node.opcode == "where" or all(a.kind is SegmentKind.NUMBER for a in args)
        ):
            temporary = self._take()
            splat = SegmentArgument(SegmentKind.FLOATS, Where.SLOT, temporary)
            self._emit("splat", splat, [args[0]], 1, of_column=True)
            args[0] = splat
        if temporary is not None:
            self._free.append(temporary)
        self._release(self._dying)  # element for element: the result may lie over an operand
        slot = self._numbers[node] = self._take()
        d = SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot)
        self._emit(node.opcode, d, args, 1, params=node.params, of_column=True)

    def _compute_rows(self, node: ValueNode, width: int) -> None:
        opcode = node.opcode
        if opcode in machine().HOT:
            args = [self._operand(arg, width, halves=True) for arg in node.args]
        elif opcode in machine().BINARY:
            args = [self._operand(arg, width) for arg in node.args]
        elif opcode in machine().TABLED:
            args = [self._whole_rows(arg, width, halves=True) for arg in node.args]
        elif opcode == "where":
            args = [self._whole_rows(node.args[0], width)]
            args += [self._operand(arg, width) for arg in node.args[1:]]
        elif opcode == "copy":
            args, opcode = self._copied(node.args[0], width)
        else:
            args = [self._whole_rows(arg, width) for arg in node.args]
        is_looked_up = opcode in machine().TABLED and args[0].kind is SegmentKind.HALVES
        target = self._direct_target(node, may_be_halves=is_looked_up or opcode in machine().HOT)
        if target is None:
            # A strip of numbers that the operation reads must not be reused for the rows that it writes.
            self._release([arg for arg in self._dying if arg not in self._numbers])
            slot = self._rows[node] = self._take()
            target = SegmentArgument(SegmentKind.FLOATS, Where.SLOT, slot)
        elif self._used_here:
            self._written[node] = target
        self._emit(opcode, target, args, width, params=node.params)

    def _copied(self, arg: ValueNode, width: int) -> tuple[list[SegmentArgument], str]:
        """Return the arguments and the instruction that copy a value; loading it is a copy."""
        if arg.kind == "number" or arg.column or arg in self._rows or arg in self._written:
            return [self._whole_rows(arg, width)], "copy"
        place, format = self._outside(arg)
        return [place], "copy" if place.kind is SegmentKind.FLOATS else _LOADS[format]

    def _sum_rows(self, node: ValueNode) -> None:
        (arg,) = node.args
        width = arg.extents[2]
        if node.fixed[1]:
            rows = self._whole_rows(arg, width, halves=True)
            temporary = self._take()
            opcode = "sum_columns" if node.opcode == "add_rows" else "max_columns"
            self._emit(opcode, SegmentArgument(SegmentKind.NUMBER, Where.SLOT, temporary), [rows], width)
            self._free.append(temporary)
            source, width = SegmentArgument(SegmentKind.FLOATS, Where.SLOT, temporary), 1
        elif not node.needs_columns:
            source, width = self._dense_numbers(arg), 1
        else:
            source = self._whole_rows(arg, width)
        target = self._place(node, node.map, node.fixed[0])
        self._emit(node.opcode, target, [source], width)

    # --- storing ----------------------------------------------------------------------------------------------

    def _targets(self, node: ValueNode) -> list[tuple[int, Format, int]]:
        """The places to which the value is written besides the strip: target, format and number of columns."""
        targets = []
        if node.buffer is not None:
            columns = self._plan.buffers[node.buffer].extents[2]
            targets.append((self._addresses.source(node), self._addresses.format(node), columns))
        if node is self._plan.root:
            targets.append((RESULT, self._plan.out_format, node.extents[2]))
        return targets

    def _direct_target(self, node: ValueNode, *, may_be_halves: bool) -> SegmentArgument | None:
        """The memory to which the value goes, if that is its only target and the operation can write it; else None.

        A value that is used again is then read from that memory, so it must be stored there without rounding.
        """
        targets = self._targets(node)
        if len(targets) != 1:
            return None
        source, format, _ = targets[0]
        if format is Format.F32 or (format is Format.BF16 and may_be_halves and not self._used_here):
            return self._place_at(source, format, None, False)
        return None

    def _store(self, node: ValueNode, width: int) -> None:
        if node not in self._rows and node not in self._numbers:
            return  # written already
        for source, format, columns in self._targets(node):
            target = self._place_at(source, format, None, False)
            if columns == 1 and node.column:
                self._emit("copy", target, [self._dense_numbers(node)], 1)
                continue
            rows = self._whole_rows(node, width)
            if format in _MANTISSAS:
                self._emit("block_float", target, [rows], width, params=(_MANTISSAS[format],))
            else:
                self._emit(_STORES.get(format, "copy"), target, [rows], width)
