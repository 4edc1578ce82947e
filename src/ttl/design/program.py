"""A plan as an explicit operation: readable source, and for each line its place in the author's program."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from math import prod

from ttl.analysis.polynomials import Polynomial
from ttl.design.graph import (
    CarriedValue,
    Compute,
    GraphValue,
    IndexEntry,
    Item,
    KeptPart,
    Load,
    Loop,
    Operand,
    Store,
    Sum,
    items,
    loops_in,
    operands_of,
    tiles_of,
    uses,
)
from ttl.design.keeping import first_of
from ttl.design.pipes import SUMS, net_of, pipes, pipes_of_sums, reads
from ttl.design.plan import DesignPlan, moved
from ttl.design.spread import Nest, NodeShare
from ttl.rows import table
from ttl.rows.matmul import MATMUL
from ttl.rows.row import Op, Params
from ttl.source.parsing import parse
from ttl.source.spans import Span

_SIGNS = {
    "__add__": "+", "__sub__": "-", "__mul__": "*", "__truediv__": "/", "__floordiv__": "//", "__mod__": "%", "__pow__": "**",
    "__matmul__": "@", "__xor__": "^", "__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=",
}  # fmt: skip

# Names of values without a name in the program, by their operation.
_NAMES = {
    table.BROADCAST: "wide",
    table.REDUCE_SUM: "sums",
    table.REDUCE_MAX: "largest",
    table.TRANSPOSE: "turned",
    MATMUL: "product",
    table.FILL: "filled",
}
# The most loads of a program whose blocks are held by nested ``with`` statements.
_MOST_NESTED = 8
# The longest expression, in characters, that is written inside another one.
_LONGEST = 64


@dataclass(slots=True)
class ProgramSource:
    """Lines of source, each with its place in the author's program."""

    lines: list[tuple[str, Span | None]] = field(default_factory=list)
    depth: int = 0

    def add(self, text: str = "", span: Span | None = None) -> None:
        """Add a line."""
        self.lines.append(("    " * self.depth + text if text else "", span))

    @contextmanager
    def block(self, text: str, span: Span | None = None) -> Iterator[None]:
        """Add a line, and indent the lines of the context below it."""
        self.add(text, span)
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Restore the current indentation at the end of the context."""
        depth = self.depth
        yield
        self.depth = depth

    @property
    def text(self) -> str:
        """The whole source."""
        return "\n".join(text for text, _ in self.lines) + "\n"


class ProgramWriter:
    """Writes one plan."""

    def __init__(self, plan: DesignPlan, parameters: list[str]) -> None:
        self._plan = plan
        self._parameters = parameters
        self._source = ProgramSource()
        self._uses = uses(plan.body)
        self._names: dict[GraphValue, str] = {}
        self._inline: dict[GraphValue, Compute] = {}
        # Python limits the nesting of blocks: with many loads, blocks are released explicitly.
        self._nests = sum(isinstance(item, Load) for item in items(plan.body)) <= _MOST_NESTED
        self._nests = self._nests and all(buffer.transfers == 1 for buffer in plan.streams)
        self._held: list[Load] = []
        self._taken = {
            *parameters, "ttl", "math", "pipe", "node", "node_x", "node_y", "part", "in_x", "in_y", "item", "send", "receive", SUMS, "read", "compute", "write", "min", "range", "slice", "abs", *keyword.kwlist,
            *(item.name for item in items(plan.body) if isinstance(item, Loop)), *(first_of(loop).name for loop in plan.made.firsts),
        }  # fmt: skip
        for buffer in plan.every_buffer:
            self._taken |= {
                buffer.name,
                buffer.name.replace("_dfb", "_blk"),
                buffer.name.replace("_dfb", "_xf"),
                net_of(buffer),
            }

    def operation(self) -> ProgramSource:
        """Return the source of the operation."""
        plan, add = self._plan, self._source.add
        span = plan.graph.span
        add(f"@ttl.operation(grid={plan.grid})", span)
        with self._source.block(f"def {plan.graph.name}({', '.join(self._parameters)}):", span):
            if prod(plan.grid) > 1:
                self._where_the_node_is(span)
            for buffer in plan.every_buffer:
                shape = _tuple(buffer.shape)
                count = "" if buffer.block_count == 2 else f", block_count={buffer.block_count}"
                for reason in buffer.reasons:
                    add(f"# {reason}", buffer.item.span)
                add(
                    f"{buffer.name} = ttl.make_dataflow_buffer_like({buffer.tensor}, shape={shape}{count})",
                    buffer.item.span,
                )
            for buffer in plan.streams:
                self._net(net_of(buffer), pipes(buffer, plan), buffer.item.span)
            if plan.sums:
                self._net(SUMS, [pipes_of_sums(plan)], span)
            kernels: list[tuple[str, str, int | None]] = [
                ("datamovement", "read", 0),
                ("compute", "compute", None),
                ("datamovement", "write", 1),
            ]
            for kind, name, mover in reversed(kernels) if plan.writes_first else kernels:
                self._kernel(kind, name, mover)
        return self._source

    def _where_the_node_is(self, span: Span) -> None:
        if any(nest.down is not None for nest in self._plan.nests.values()) or any(
            b.way for b in self._plan.streams
        ):
            self._source.add("node_x, node_y = ttl.node(dims=2)", span)
        if any(nest.down is None for nest in self._plan.nests.values()):
            self._source.add("node = ttl.node(dims=1)", span)
        for nest in self._plan.nests.values():
            self._parts(nest, span)
        for loop in self._plan.made.firsts:
            share = self._plan.share_of(loop)
            assert share is not None
            item = share.name if share.iterations == 1 else f"{share.name} * {share.iterations}"
            self._source.add(f"{first_of(loop).name} = {self._of_item(loop, share, item)}", span)

    def _parts(self, nest: Nest, span: Span) -> None:
        """Add the lines that compute the part of the grid that a node is in, and its place there."""
        if nest.parts is None or nest.down is None:
            return
        (beside, below), wide, high = nest.split, nest.across.nodes, nest.down.nodes
        x, y = _by("node_x", "//", wide), _by("node_y", "//", high)
        part = f"{y} * {beside} + {x}" if beside > 1 and below > 1 else x if beside > 1 else y
        self._source.add(f"# {beside * below} parts of the grid, each of {wide} x {high} nodes", span)
        places = [
            (nest.parts.name, part),
            (nest.across.name, f"node_x % {wide}"),
            (nest.down.name, f"node_y % {high}"),
        ]
        for name, text in places:
            if name not in ("node_x", "node_y") and not text.endswith(" % 1"):
                self._source.add(f"{name} = {text}", span)

    def _net(self, name: str, parts: list[str], span: Span) -> None:
        add = self._source.add
        if len(parts) == 1:
            add(f"{name} = ttl.PipeNet({parts[0]})", span)
        elif parts:
            add(f"{name} = ttl.PipeNet(", span)
            for number, part in enumerate(parts):
                add(f"    {'+ ' if number else ''}{part}", span)
            add(")", span)

    def _block(self, item: Load | Store) -> str:
        """Return the name of a transfer's block; blocks of one buffer are numbered."""
        buffer = self._plan.buffers[item]
        own = [one for one, other in self._plan.buffers.items() if other is buffer]
        name = buffer.name.replace("_dfb", "_blk")
        return name if own[0] is item else f"{name}_{own.index(item) + 1}"

    # --- kernels ----------------------------------------------------------------------------------------------

    def _kernel(self, kind: str, name: str, mover: int | None) -> None:
        span = self._plan.graph.span
        if mover is not None and not any(buffer.mover == mover for buffer in self._plan.streams):
            return
        self._source.add()
        self._source.add(f"@ttl.{kind}()", span)
        with self._source.block(f"def {name}():", span), self._source.kept():
            self._idle(span)
            if mover is None:
                self._body(self._plan.body)
                self._release(0)
            else:
                self._moved(self._plan.body, mover)

    def _idle(self, span: Span) -> None:
        """Exclude idle nodes, at the end of the last column, from kernels that would work before the spread loop."""
        nests = list(self._plan.nests.values())
        if len(nests) != 1 or nests[0].down is not None or isinstance(self._plan.body[0], Loop):
            return
        if nests[0].across.nodes < prod(self._plan.grid):
            self._source.add(f"if node < {nests[0].across.nodes}:", span)
            self._source.depth += 1

    # --- data movement ----------------------------------------------------------------------------------------

    def _moved(self, body: list[Item], mover: int) -> None:
        for item in moved(self._plan, body, mover):
            if isinstance(item, Loop):
                with self._loop(item, mover):
                    self._moved(item.body, mover)
            elif isinstance(item, Sum):
                if mover == 1:
                    self._sent(item)
                if any(True for _ in moved(self._plan, item.body, mover)):
                    with self._source.block("if part == 0:", item.span):
                        self._moved(item.body, mover)
            else:
                self._copies(item)

    def _copies(self, group: list[Load | Store]) -> None:
        add, buffers = self._source.add, [self._plan.buffers[item] for item in group]
        verb = "wait" if isinstance(group[0], Store) else "reserve"
        opened = ", ".join(
            f"{self._plan.buffers[item].name}.{verb}() as {self._block(item)}" for item in group
        )
        with self._source.block(f"with {opened}:", group[0].span):
            for item, buffer in zip(group, buffers, strict=True):
                block, part = self._block(item), f"{item.tensor}[{self._index(item)}]"
                if isinstance(item, Store):
                    add(f"ttl.copy({block}, {part}).wait()", item.span)
                elif buffer.way:
                    with self._source.block(f"if {reads(buffer, self._plan)}:", item.span):
                        add(f"ttl.copy({part}, {block}).wait()", item.span)
                    net = net_of(buffer)
                    add(f"{net}.if_src(lambda pipe: ttl.copy({block}, pipe).wait())", item.span)
                    add(f"{net}.if_dst(lambda pipe: ttl.copy(pipe, {block}).wait())", item.span)
                elif len(group) == 1:
                    add(f"ttl.copy({part}, {block}).wait()", item.span)
                else:
                    add(f"{buffer.name.replace('_dfb', '_xf')} = ttl.copy({part}, {block})", item.span)
            if len(group) > 1:
                for item, buffer in zip(group, buffers, strict=True):
                    add(f"{buffer.name.replace('_dfb', '_xf')}.wait()", item.span)

    def _sent(self, item: Sum) -> None:
        """Send the sums of other parts to the first one, which receives them one after the other."""
        add = self._source.add
        for name, verb, copy in (("send", "wait", "{}, pipe"), ("receive", "reserve", "pipe, {}")):
            with self._source.block(f"def {name}(pipe):", item.span):
                for carried, _ in item.sums:
                    buffer = self._plan.sums[carried][name == "receive"]
                    block = buffer.name.replace("_dfb", "_blk")
                    with self._source.block(f"with {buffer.name}.{verb}() as {block}:", item.span):
                        add(f"ttl.copy({copy.format(block)}).wait()", item.span)
        add(f"{SUMS}.if_src(send)", item.span)
        add(f"{SUMS}.if_dst(receive)", item.span)

    def _index(self, item: Load | Store) -> str:
        shape = tuple(self._plan.graph.tensors[item.tensor].shape)
        return ", ".join(
            _entry(entry, units) for entry, units in zip(item.index, tiles_of(shape), strict=True)
        )

    # --- loops ------------------------------------------------------------------------------------------------

    @contextmanager
    def _loop(self, loop: Loop, mover: int | None) -> Iterator[None]:
        share = self._plan.share_of(loop)
        used = any(
            loop.number in loops_in(item.index) and self._plan.buffers[item].mover == mover
            for item in items(loop.body)
            if isinstance(item, Load | Store)
        )
        if share is None:
            with self._source.block(
                f"for {loop.name} in {_range('0', str(loop.units), loop.step)}:", loop.span
            ):
                yield
            return
        if share.loops[0] is not loop or len(share.loops) > 1:
            own = f"{loop.name} = {self._of_item(loop, share)}"
            is_first = share.loops[0] is loop
            with (
                self._columns(share, loop.span) if is_first else nullcontext(),
                self._own_iterations("item", share, 1, loop.span) if is_first else nullcontext(),
            ):
                if used:
                    self._source.add(own, loop.span)
                yield
        else:
            with (
                self._columns(share, loop.span),
                self._own_iterations(loop.name, share, loop.step, loop.span, used=used),
            ):
                yield

    @contextmanager
    def _columns(self, share: NodeShare, span: Span) -> Iterator[None]:
        """Restrict loops that rows of nodes share to the columns that have iterations of the inner loops."""
        nest = next(nest for nest in self._plan.nests.values() if share in nest.shares)
        is_down = share is nest.down and nest.extent[0] < self._plan.grid[0]
        with self._source.block(f"if node_x < {nest.extent[0]}:", span) if is_down else nullcontext():
            yield

    @contextmanager
    def _own_iterations(
        self, name: str, share: NodeShare, step: int, span: Span, *, used: bool = True
    ) -> Iterator[None]:
        """Write the loop over a node's own iterations: all of them, one without a loop, or a range."""
        own, total, where = share.iterations * step, share.total * step, share.name
        first = where if own == 1 else f"{where} * {own}"
        if total == step and share.nodes == self._nodes(share):
            if used:
                self._source.add(f"{name} = 0", span)
            yield
        elif share.nodes == self._nodes(share) == 1:
            with self._source.block(f"for {name} in {_range('0', str(total), step)}:", span):
                yield
        elif share.in_turn and (share.iterations > 1 or share.nodes < self._nodes(share)):
            first = where if step == 1 else f"{where} * {step}"
            with self._source.block(f"for {name} in {_range(first, str(total), share.nodes * step)}:", span):
                yield
        elif share.iterations == 1 and share.nodes == self._nodes(share):
            if used:
                self._source.add(f"{name} = {first}", span)
            yield
        else:
            last = f"({where} + 1) * {own}" if own != 1 else f"{where} + 1"
            if not share.even or share.nodes != self._nodes(share):
                last = f"min({last}, {total})"
            with self._source.block(f"for {name} in {_range(first, last, step)}:", span):
                yield

    def _nodes(self, share: NodeShare) -> int:
        """Return the number of nodes in the direction of a share; within a part all nodes have work."""
        columns, rows = self._plan.grid
        return {"node": columns * rows, "node_x": columns, "node_y": rows}.get(share.name, share.nodes)

    @staticmethod
    def _of_item(loop: Loop, share: NodeShare, item: str = "item") -> str:
        """Return the source text for the start of a loop's block, from the iteration of all loops of a share."""
        at = share.loops.index(loop)
        inner = prod(one.count for one in share.loops[at + 1 :])
        text = item if inner == 1 else f"{item} // {inner}"
        if at > 0:
            text = f"{text} % {loop.count}"
        return text if loop.step == 1 else f"{text} * {loop.step}"

    # --- mathematics ------------------------------------------------------------------------------------------

    def _body(self, body: list[Item]) -> None:
        """Write items in order.

        Blocks are held to the end of the body, so the items after a load are indented deeper.
        """
        at = 0
        while at < len(body):
            item = body[at]
            at += 1
            match item:
                case Load():
                    group = [item]
                    while at < len(body) and isinstance(body[at], Load):
                        group.append(body[at])  # type: ignore[arg-type]
                        at += 1
                    self._waits(group)
                case KeptPart():
                    self._names[item.value] = self._part(item)
                case Compute():
                    self._computed(item, body[at:])
                case Store():
                    buffer = self._plan.buffers[item]
                    block = self._block(item)
                    with self._source.block(f"with {buffer.name}.reserve() as {block}:", item.span):
                        self._source.add(f"{block}.store({self._text(item.value)})", item.span)
                case Loop():
                    self._compute_loop(item)
                case Sum():
                    self._summed(item)

    def _summed(self, item: Sum) -> None:
        """Send the sums of the other parts; the first part adds them to its own, and continues with the body."""
        pairs = [(carried, op, *self._plan.sums[carried]) for carried, op in item.sums]
        with self._source.block("if part > 0:", item.span):
            for carried, _, own, _ in pairs:
                block = own.name.replace("_dfb", "_blk")
                with self._source.block(f"with {own.name}.reserve() as {block}:", item.span):
                    self._source.add(f"{block}.store({self._names[carried.result]})", item.span)
        with self._source.block("else:", item.span), self._source.kept():
            with self._source.block(f"for _ in range({item.parts - 1}):", item.span):
                for carried, op, _, others in pairs:
                    block = others.name.replace("_dfb", "_blk")
                    received = GraphValue(carried.result.extents, carried.result.dtype)
                    self._names[received] = block
                    both = Compute(carried.result, op, (carried.result, received), (), item.span)
                    with self._source.block(f"with {others.name}.wait() as {block}:", item.span):
                        self._source.add(
                            f"{self._names[carried.result]} = {self._expression(both)}", item.span
                        )
            held = len(self._held)
            self._body(item.body)
            self._release(held)

    def _waits(self, group: list[Load]) -> None:
        opened = []
        for item in group:
            buffer = self._plan.buffers[item]
            self._names[item.value] = self._block(item)
            if not self._nests:
                self._source.add(f"{self._block(item)} = {buffer.name}.wait()", item.span)
                self._held.append(item)
                continue
            opened.append(f"{buffer.name}.wait() as {self._block(item)}")
        if opened:
            self._source.add(f"with {', '.join(opened)}:", group[0].span)
            self._source.depth += 1

    def _part(self, part: KeptPart) -> str:
        """Return the source text of a part of a kept block."""
        block = self._block(part.load)
        dims: list[int] = []
        slices: list[str] = []
        for own, whole in zip(part.index, part.load.index, strict=True):
            if whole.single:
                continue
            if own.single:
                dims.append(len(slices))
            offset = own.start - whole.start
            slices.append(
                ":" if own.size == whole.size else _entry(replace(own, start=offset, single=False), 0)
            )
        while slices and slices[-1] == ":":
            slices.pop()
        text = f"{block}[{', '.join(slices)}]" if slices else block
        return f"ttl.block.squeeze({text}, dims={dims})" if dims else text

    def _release(self, held: int) -> None:
        """Release all blocks that were acquired after the first ``held`` ones."""
        for item in self._held[held:]:
            self._source.add(f"{self._block(item)}.pop()", item.span)
        del self._held[held:]

    def _computed(self, item: Compute, behind: list[Item]) -> None:
        """Write a computation: as an assignment, or inside its only user if it is short; an unused one is left out.

        It is inside its user if the user is in the same body and the value has no name, or if a loop carries the value.
        """
        here = sum(operand is item.value for later in behind for operand in operands_of(later))
        once = self._uses.get(item.value, 0) == 1 and len(self._expression(item)) < _LONGEST
        if once and ((here == 1 and not item.value.name) or self._is_handed_on(item.value)):
            self._inline[item.value] = item
            return
        if item.value not in self._uses:
            return
        text = self._expression(item)
        name = self._named(item.value, item.value.name or _NAMES.get(item.op, item.op.name))
        self._source.add(f"{name} = {text}", item.span)

    def _is_handed_on(self, value: GraphValue) -> bool:
        return any(
            carried.after is value
            for loop in items(self._plan.body)
            if isinstance(loop, Loop)
            for carried in loop.carried
        )

    def _named(self, value: GraphValue, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        self._names[value] = name
        return name

    def _compute_loop(self, loop: Loop) -> None:
        for carried in loop.carried:
            name = self._named(carried.inside, carried.name)
            self._names[carried.result] = name
            before = carried.before
            if isinstance(before, GraphValue):
                text = self._text(before)
            else:
                text = f"ttl.block.fill({_number(before)}, shape={_tuple(carried.inside.type.shape)})"
            self._source.add(f"{name} = {text}", loop.span)
        with self._loop(loop, None), self._source.kept():
            before, held = len(self._source.lines), len(self._held)
            self._body(loop.body)
            pending = list(loop.carried)
            while pending:
                ready = [one for one in pending if not self._is_read_by_others(one, pending)] or pending
                self._hand_on(ready if ready is pending else ready[:1], loop)
                pending = [] if ready is pending else [one for one in pending if one is not ready[0]]
            self._release(held)
            if len(self._source.lines) == before:
                self._source.add("pass", loop.span)

    def _is_read_by_others(self, one: CarriedValue, pending: list[CarriedValue]) -> bool:
        """Whether the new value of another carried name is still computed from this name's old value."""
        return any(one.inside in self._read_in(other.after) for other in pending if other is not one)

    def _read_in(self, value: GraphValue) -> set[GraphValue]:
        """Return the values whose names the text of a value contains."""
        if value not in self._inline:
            return {value}
        read: set[GraphValue] = set()
        for operand in self._inline[value].operands:
            if isinstance(operand, GraphValue):
                read |= self._read_in(operand)
        return read

    def _hand_on(self, group: list[CarriedValue], loop: Loop) -> None:
        names = ", ".join(self._names[one.inside] for one in group)
        texts = ", ".join(self._text(one.after) for one in group)
        if names != texts:
            self._source.add(
                f"{names} = {texts}", loop.span if len(group) > 1 else self._place(group[0], loop)
            )

    def _place(self, carried: CarriedValue, loop: Loop) -> Span:
        item = self._inline.get(carried.after)
        return loop.span if item is None else item.span

    # --- expressions ------------------------------------------------------------------------------------------

    def _text(self, operand: Operand) -> str:
        return _shortest(self._raw(operand))

    def _raw(self, operand: Operand) -> str:
        if not isinstance(operand, GraphValue):
            return f"({_number(operand)})"
        known = self._inline.get(operand)
        return self._names[operand] if known is None else f"({self._call(known)})"

    def _expression(self, item: Compute) -> str:
        return _shortest(self._call(item))

    def _call(self, item: Compute) -> str:
        op, operands = item.op, [self._raw(operand) for operand in item.operands]
        if op.namespace == "operator" and op.dunder is not None:
            if len(operands) == 1:
                return (
                    f"{'-' if op.name == 'neg' else '+'}{operands[0]}"
                    if op.dunder != "__abs__"
                    else f"abs({operands[0]})"
                )
            return f"{operands[0]} {_SIGNS[op.dunder]} {operands[1]}"
        return f"ttl.{op.namespace}.{op.name}({', '.join([*operands, *_parameters(op, item.params)])})"


def _shortest(text: str) -> str:
    """Return an expression without redundant parentheses."""
    return ast.unparse(parse(text, "<design>").body[0])


def _by(name: str, sign: str, size: int) -> str:
    return name if size == 1 else f"{name} {sign} {size}"


def _parameters(op: Op, params: Params) -> list[str]:
    texts = []
    for param, value in zip(op.params, params, strict=True):
        if value == param.default and param.default is not ...:
            continue
        text = _value(param.name, value)
        texts.append(f"{param.name}={text}")
    return texts


def _value(name: str, value: object) -> str:
    if name == "dims" and isinstance(value, tuple):
        return repr(list(value))
    if isinstance(value, float):
        return _number(value)
    spelled = getattr(value, "name", None)
    return f"ttnn.{spelled}" if name == "dtype" and spelled else repr(value)


def _number(value: int | float) -> str:
    text = repr(value)
    return {"inf": "math.inf", "-inf": "-math.inf", "nan": "math.nan"}.get(text, text)


def _tuple(shape: tuple[int, ...]) -> str:
    return repr(tuple(shape))


def _range(first: str, last: str, step: int) -> str:
    if step == 1:
        return f"range({last})" if first == "0" else f"range({first}, {last})"
    return f"range({first}, {last}, {step})"


def _entry(entry: IndexEntry, units: int) -> str:
    if entry.single:
        return str(entry.start)
    if entry.size == units:
        return ":"
    first, last = str(entry.start), str(entry.start + Polynomial.constant(entry.size))
    return f"{first}:{last}" if first.isalnum() and last.isalnum() else f"{first} : {last}"
