"""Modules of the dialect with exactly one rule broken, systematically from the definitions of its operations.

Every mutation is illegal by construction: it breaks what the definition of the operation says (number and type of operands, results,
regions and properties, dominance, the place of an operation), or a rule of the language that a table here names. Nothing of ours is
asked whether a mutation is legal. ``cells`` are all of them for some modules; ``Cell.text`` is one as text, in the generic form.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    Float16Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f16,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    OptPropertyDef,
    OptRegionDef,
    VarRegionDef,
)
from xdsl.irdl.constraints import VerificationContext
from xdsl.irdl.operations import OptOperandDef, OptResultDef, VarOperandDef, VarResultDef
from xdsl.utils.exceptions import VerifyException

from ttl.dialects import ttl
from ttl.dialects.attributes import NetPartAttr, NodeGridAttr, PipeAttr
from ttl.dialects.microcores import MicrocoresAttr
from ttl.ir.printer import print_module
from ttl.protocol.devices import ChipDomain, ChipGraph

HUGE = 10**6
Change = Callable[[Operation], object]


@dataclass(frozen=True, slots=True)
class Cell:
    """One broken rule at one operation of one module."""

    kind: str
    """The name of the operation."""
    rule: str
    """What is broken."""
    module: int
    """Which of the modules."""
    position: int
    """Which operation of it, in the order of a walk."""
    change: Change

    def text(self, modules: Sequence[ModuleOp]) -> str:
        """The module with the change, in the generic form."""
        module = modules[self.module].clone()
        op = next(op for number, op in enumerate(module.walk()) if number == self.position)
        self.change(op)
        return print_module(module, generic=True)


def cells(modules: Sequence[ModuleOp]) -> list[Cell]:
    """Every change of every operation of some modules."""
    found = []
    for number, module in enumerate(modules):
        for position, op in enumerate(module.walk()):
            if op.name.startswith("ttl."):
                found += [Cell(op.name, rule, number, position, change) for rule, change in changes(op)]
    return found


def chosen(every: Sequence[Cell], count: int, seed: int) -> list[Cell]:
    """So many cells: one of each operation and rule, in a small module, before a second one; the order by chance."""
    choice = random.Random(seed)
    by_rule: dict[tuple[str, str], list[Cell]] = {}
    for cell in every:
        by_rule.setdefault((cell.kind, cell.rule), []).append(cell)
    groups = list(by_rule.values())
    choice.shuffle(groups)
    last = {cell.module: cell.position for cell in every}
    for group in groups:
        choice.shuffle(group)
        group.sort(key=lambda cell: last[cell.module] // 50)
    picked: list[Cell] = []
    for turn in range(max(map(len, groups))):
        picked += [group[turn] for group in groups if turn < len(group)]
        if len(picked) >= count:
            break
    return picked[:count]


def changes(op: Operation) -> Iterator[tuple[str, Change]]:
    """All that can be broken at an operation, by name."""
    yield from _operands(op)
    yield from _properties(op)
    yield from _results(op)
    yield from _regions(op)
    yield from _places(op)
    yield from _of_the_language(op)


# --- operands ---------------------------------------------------------------------------------------------------


def _definition(op: Operation):
    return type(op).get_irdl_definition()  # type: ignore[attr-defined]


def _holds(constraint, given: Attribute | Sequence[Attribute]) -> bool:
    """Whether an attribute, or types, satisfy a constraint of a definition, which xDSL is asked."""
    try:
        constraint.verify(given, VerificationContext())
    except VerifyException:
        return False
    return True


def _visible(op: Operation) -> list[SSAValue]:
    """Values that an operation may use: those before it, and those around it."""
    values: list[SSAValue] = []
    at: Operation | None = op
    while at is not None and at.parent is not None:
        before = at.prev_op
        while before is not None:
            values += before.results
            before = before.prev_op
        values += at.parent.args
        at = at.parent_op()
    return values


def _one_of_each_type(values: Sequence[SSAValue]) -> list[int]:
    seen: dict[type[Attribute], int] = {}
    for number, value in enumerate(values):
        seen.setdefault(type(value.type), number)
    return list(seen.values())


# Operands without a constraint in their definition: the types that the language has there.
ANY_OPERANDS: Mapping[str, tuple[type[Attribute], ...]] = MappingProxyType(
    {
        "ttl.print": (ttl.TransferType, ttl.GroupType, ttl.PipeNetType, ttl.SliceType, ttl.SemaphoreType),
        "ttl.extern_call": (
            ttl.TransferType,
            ttl.GroupType,
            ttl.PipeNetType,
            ttl.SliceType,
            ttl.BlockMemoryType,
        ),
    }
)
"""Types that they do not take."""
# Operands that may be of any number in the definition, of which the language says how many there are.
COUNTED = MappingProxyType(
    {
        "ttl.block_read": ("offsets",), "ttl.block_store": ("offsets",), "ttl.block_accumulate": ("offsets",),
        "ttl.block_view": ("offsets",), "ttl.block_part": ("offsets",), "ttl.block_insert": ("offsets",),
        "ttl.element_read": ("coordinates",), "ttl.read_index": ("coordinates",), "ttl.element_write": ("coordinates",),
        "ttl.tensor_slice": ("offsets", "dynamic_sizes"), "ttl.get_remote_multicast_semaphore": ("starts", "stops"),
        "ttl.print": ("values",), "ttl.extern_call": ("values",), "ttl.compute_region": ("inputs", "outputs"),
        "ttl.yield": ("values",), "ttl.tile_compute": ("inputs",),
    }
)  # fmt: skip


def _operands(op: Operation) -> Iterator[tuple[str, Change]]:
    start = 0
    for name, defined in _definition(op).operands:
        given = getattr(op, name, None)
        many = [] if given is None else [given] if isinstance(given, SSAValue) else list(given)
        for offset, _ in enumerate(many[:2]):
            index = start + offset
            yield from _other_operands(op, name, defined, many, offset, index)
        is_many = isinstance(defined, VarOperandDef | OptOperandDef)
        counted = name in COUNTED.get(op.name, ()) or op.name in _COMPUTE
        if many and (not is_many or counted):
            yield f"operand {name} missing", _with_operands(start, -1)
        if many and (counted or not _has_many(op)):
            yield f"operand {name} too many", _with_operands(start, 1)
        start += len(many)


_COMPUTE = frozenset(kind.name for kind in ttl.COMPUTE.values())


def _has_many(op: Operation) -> bool:
    return any(isinstance(defined, VarOperandDef | OptOperandDef) for _, defined in _definition(op).operands)


def _other_operands(op, name, defined, many, offset, index) -> Iterator[tuple[str, Change]]:
    def wrong(type_: Attribute) -> bool:
        if not _holds(
            defined.constr, [type_ if place == offset else one.type for place, one in enumerate(many)]
        ):
            return True
        if op.name in ANY_OPERANDS:
            return isinstance(type_, ANY_OPERANDS[op.name])
        return op.name in _COMPUTE and isinstance(
            type_, ttl.TransferType | ttl.BlockMemoryType | ttl.DataflowBufferType
        )

    visible = _visible(op)
    for number in _one_of_each_type(visible):
        type_ = visible[number].type
        if wrong(type_):
            word = getattr(type_, "name", "other")

            def other(own: Operation, number: int = number) -> None:
                own.operands[index] = _visible(own)[number]

            yield f"operand {name} of {word}", other
    if not _holds(
        defined.constr, [f16 if place == offset else one.type for place, one in enumerate(many)]
    ) or (op.name in _COMPUTE):

        def half(own: Operation) -> None:
            constant = ConstantOp(FloatAttr(0.5, f16))
            _before(own, constant)
            own.operands[index] = constant.result

        yield f"operand {name} of f16", half

    def after(own: Operation) -> None:
        if own.parent is None or not isinstance(own.parent.parent_op(), Operation):
            return
        late = ConstantOp(IntegerAttr(0, IndexType()))
        own.parent.insert_op_after(late, own)
        own.operands[index] = late.result

    if isinstance(many[offset].type, IndexType):
        yield f"operand {name} of a later operation", after


def _before(op: Operation, *others: Operation) -> None:
    assert op.parent is not None
    op.parent.insert_ops_before(list(others), op)


def _sized(op: Operation, index: int, by: int) -> None:
    """Change the count of the segment that an operand is in, where an operation has segments."""
    sizes = op.properties.get("operandSegmentSizes")
    if not isinstance(sizes, DenseArrayBase):
        return
    counts = [int(value) for value in sizes.get_values()]
    end = 0
    for segment, count in enumerate(counts):
        end += count
        if index < end:
            counts[segment] += by
            break
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, counts)


def _with_operands(index: int, by: int) -> Change:
    """An operand once more, or not at all."""

    def change(op: Operation) -> None:
        _sized(op, index, by)
        values = list(op.operands)
        op.operands = [*values[:index], *values[index : index + 1] * (1 + by), *values[index + 1 :]]

    return change


# --- properties -------------------------------------------------------------------------------------------------


def _integer(number: int) -> Attribute:
    return IntegerAttr(number, i64)


def _array(*numbers: int) -> Attribute:
    return DenseArrayBase.from_list(i64, list(numbers))


_WORDS = [StringAttr("sometimes"), StringAttr("")]
_PLACES = [_integer(-1), _integer(16), _integer(HUGE)]
# Values that a property of the right kind cannot have.
VALUES: Mapping[tuple[str, str], Sequence[Attribute]] = MappingProxyType(
    {
        ("ttl.create_dfb", "buffer_index"): [_integer(-1), _integer(32), _integer(HUGE)],
        ("ttl.create_dfb", "group"): [_integer(-1)],
        ("ttl.create_dfb", "byte_offset"): [_integer(-1), _integer(HUGE * HUGE)],
        ("ttl.create_dfb", "scope"): _WORDS,
        ("ttl.create_semaphore", "initial_value"): [_integer(-1), _integer(2**32)],
        ("ttl.create_pipe_net", "pipes"): [
            ArrayAttr([PipeAttr([HUGE], [0])]), ArrayAttr([PipeAttr([0], [HUGE])]), ArrayAttr([_integer(1)]),
        ],
        ("ttl.create_pipe_net", "parts"): [
            ArrayAttr([NetPartAttr(ChipGraph(ChipDomain((("device", (HUGE,)),)), "own"), (1, 1))]), ArrayAttr([_integer(1)]),
        ],
        ("ttl.operation", "grid"): [NodeGridAttr([100, 100])],
        ("ttl.operation", "arg_names"): [ArrayAttr([StringAttr("x")] * 99), ArrayAttr([_integer(1)])],
        ("ttl.dim", "axis"): [_integer(-1), _integer(99)],
        ("ttl.pipe_coordinate", "axis"): [_integer(-1), _integer(99)],
        ("ttl.pipe_coordinate", "of"): _WORDS,
        ("ttl.require_dst", "tiles"): [_integer(0), _integer(-1), _integer(400)],
        ("ttl.acquire_dst", "index"): [_integer(-1), _integer(16), _integer(99)],
        ("ttl.print", "num_pages"): [_integer(0), _integer(-1)],
        ("ttl.print", "pieces"): [ArrayAttr([]), ArrayAttr([StringAttr("x")] * 99), ArrayAttr([_integer(1)])],
        ("ttl.extern_call", "pieces"): [ArrayAttr([]), ArrayAttr([StringAttr("x")] * 99), ArrayAttr([_integer(1)])],
        ("ttl.extern_call", "effects"): [StringAttr("whatever it likes")],
        ("ttl.extern_call", "result_bits"): [_integer(0), _integer(-1), _integer(7)],
        ("ttl.extern_call", "condition"): [_integer(-1)],
        ("ttl.tensor_slice", "sizes"): [_array(), _array(0, 0), _array(-5, 1), _array(1, 1, 1, 1, 1, 1, 1)],
        ("ttl.tensor_slice", "single"): [_array(), _array(5, 5), _array(1, 1, 1, 1, 1, 1, 1)],
        ("ttl.lookup", "members"): [_array(), _array(2**40), _array(-1, 2**31)],
        ("ttl.grid_slice", "block_factors"): [_array(), _array(0, 0), _array(-1, 1), _array(1, 1, 1, 1, 1, 1)],
        ("ttl.signpost", "edge"): _WORDS,
        ("ttl.extern_access", "kind"): _WORDS,
        ("ttl.redistribute", "strategy"): _WORDS,
        ("ttl.extern_call", "touched"): [StringAttr("whatever it likes"), StringAttr("read:2x2x2:1x1x1")],
        ("ttl.tile_proc", "microcores"): [MicrocoresAttr([])],
        ("ttl.thread", "roles"): [ArrayAttr([]), ArrayAttr([SymbolRefAttr("NOC7")]), ArrayAttr([_integer(1)])],
        ("ttl.wait", "how"): _WORDS,
        ("ttl.dfb_push", "how"): _WORDS,
        ("ttl.dfb_pop", "how"): _WORDS,
        ("ttl.semaphore_wait", "comparison"): _WORDS,
        ("ttl.write_mask", "kind"): _WORDS,
        ("ttl.write_mask", "rows"): [_integer(-1)],
        ("ttl.write_mask", "columns"): [_integer(-1)],
        ("ttl.write_scaler", "along"): _WORDS,
        ("ttl.write_scaler", "count"): [_integer(0), _integer(33)],
        ("ttl.tile_read", "strides"): [_array(), _array(HUGE, HUGE), _array(0, 0, 0, 0, 0, 0, 0)],
        ("ttl.tile_read", "offset"): [_integer(-1), _integer(HUGE)],
        ("ttl.tile_read", "mode"): _WORDS,
        ("ttl.tile_compute", "row"): [StringAttr("sometimes")],
        ("ttl.tile_fold", "row"): [StringAttr("sometimes"), StringAttr("exp")],
        ("ttl.tile_fold", "strides"): [_array(0, 0, 0, 0, 0, 0, 0)],
        ("ttl.tile_fold", "extents"): [_array(HUGE), _array(0), _array(1, 1, 1, 1, 1, 1, 1)],
        ("ttl.tile_fold", "steps"): [_array(HUGE), _array(1, 1, 1, 1, 1, 1, 1)],
        ("ttl.tile_fold", "beside"): _PLACES,
        ("ttl.tile_reduce", "strides"): [_array(0, 0, 0, 0, 0, 0, 0)],
        ("ttl.tile_reduce", "extents"): [_array(HUGE), _array(0), _array(1, 1, 1, 1, 1, 1, 1)],
        ("ttl.tile_reduce", "steps"): [_array(HUGE), _array(1, 1, 1, 1, 1, 1, 1)],
        ("ttl.tile_reduce", "pool"): _WORDS,
        ("ttl.tile_reduce", "within"): _WORDS,
        ("ttl.tile_matmul", "depth"): [_integer(0), _integer(-1), _integer(HUGE)],
        ("ttl.tile_matmul", "left_strides"): [_array(0, 0, 0, 0, 0, 0, 0)],
        ("ttl.tile_matmul", "right_strides"): [_array(0, 0, 0, 0, 0, 0, 0)],
    }
)  # fmt: skip
# Properties of which every value of the right kind is legal, where one is by itself.
FREE = frozenset(
    {
        ("ttl.operation", "sym_name"), ("ttl.compute_kernel", "sym_name"), ("ttl.datamovement_kernel", "sym_name"),
        ("ttl.thread", "sym_name"), ("ttl.thread", "inferred"), ("ttl.tensor_slice", "shard_of"),
        ("ttl.create_dfb", "name"), ("ttl.create_pipe_net", "name"), ("ttl.create_semaphore", "name"),
        ("ttl.signpost", "name"), ("ttl.assert", "message"), ("ttl.extern_call", "header"), ("ttl.extern_call", "callee"),
        ("ttl.tile_matmul", "left_step"), ("ttl.tile_matmul", "right_step"), ("ttl.tile_matmul", "transposed"),
    }
)  # fmt: skip
PLACES = ("place", "unit")
"""Of every operation on tiles."""


def illegal_values(kind: str, name: str) -> Sequence[Attribute] | None:
    """Values that a property cannot have; None where nobody has said whether there are any."""
    if name == "operandSegmentSizes":
        return [DenseArrayBase.from_list(i32, [-1, 9]), DenseArrayBase.from_list(i32, [99] * 2)]
    if kind.startswith("ttl.tile_") and name in PLACES:
        return _PLACES if name == "place" else _WORDS
    return [] if (kind, name) in FREE else VALUES.get((kind, name))


def _properties(op: Operation) -> Iterator[tuple[str, Change]]:
    wrong_kinds = (UnitAttr(), IntegerAttr(1, i32), StringAttr("?"), DenseArrayBase.from_list(f32, [1.0]))
    for name, defined in _definition(op).properties.items():
        if name in op.properties and not isinstance(defined, OptPropertyDef):
            yield f"property {name} missing", _with_property(name, None)
        for wrong in wrong_kinds:
            if not _holds(defined.constr, wrong) or (
                isinstance(wrong, DenseArrayBase) and isinstance(op.properties.get(name), DenseArrayBase)
            ):
                yield f"property {name} is {wrong.name}", _with_property(name, wrong)
        for number, value in enumerate(illegal_values(op.name, name) or ()):
            if name in op.properties or op.name != "ttl.print":
                yield f"property {name}, value {number}", _with_property(name, value)
    yield "property unknown", _with_property("nobody_knows", UnitAttr())
    if isinstance(op, ttl.BlockComputeOp):
        for param in op.row.params:
            for word, wrong in (("unit", UnitAttr()), ("type", ttl.TransferType())):
                yield f"parameter {param.name} is a {word}", _with_parameter(param.name, wrong)


def _with_parameter(name: str, value: Attribute) -> Change:
    return lambda op: op.attributes.update({name: value})


def _with_property(name: str, value: Attribute | None) -> Change:
    return lambda op: op.properties.pop(name) if value is None else op.properties.update({name: value})


# --- results and regions ----------------------------------------------------------------------------------------

# Results whose type the operands say.
INFERRED = frozenset(
    {
        "ttl.dfb_reserve", "ttl.dfb_wait", "ttl.block_read", "ttl.block_insert", "ttl.tensor_accessor", "ttl.grid_slice",
        "ttl.tensor_slice", "ttl.get_tile", "ttl.tile_read", *_COMPUTE,
    }
)  # fmt: skip
_TILE = ttl.TileType(32, 32, "ui8")
_OTHER_TYPES: tuple[Attribute, ...] = (
    ttl.BlockMemoryType([7, 7], _TILE),
    ttl.SliceType([7, 7], _TILE),
    ttl.value_type(ttl.BlockMemoryType([7, 7], _TILE).block_type),
    ttl.AccessorType(
        ttl.tensor_type(
            (7, 7),
            ttl.BlockMemoryType([7], f32).block_type.dtype,
            ttl.EncodingAttr("dram", ttl.LayoutAttr("tiled")),
        )
    ),
    _TILE,
)


def _results(op: Operation) -> Iterator[tuple[str, Change]]:
    start = 0
    for name, defined in _definition(op).results:
        is_many = isinstance(defined, VarResultDef | OptResultDef)
        given = getattr(op, name, None)
        count = 0 if given is None else 1 if isinstance(given, SSAValue) else len(given)
        if count:
            index = start
            for type_ in (Float16Type(), IndexType(), ttl.TransferType(), *_OTHER_TYPES):
                types = [type_, *(result.type for result in op.results[start + 1 : start + count])]
                is_other = op.name in INFERRED and type(type_) is type(op.results[index].type)
                if not _holds(defined.constr, types) or is_other:
                    yield f"result {name} of {type_.name}", _with_result(index, type_)
        if not is_many:
            yield f"result {name} missing", _with_count(-1)
            yield f"result {name} too many", _with_count(1)
        start += count
    if not _definition(op).results:
        yield "result too many", _with_count(1)


def _again(op: Operation, types: Sequence[Attribute], regions: Sequence[Region] | None = None) -> Operation:
    """The operation with other results or regions, in its place."""
    moved = [region.clone() for region in op.regions] if regions is None else regions
    new = type(op).create(
        operands=list(op.operands), result_types=types, properties=dict(op.properties),
        attributes=dict(op.attributes), regions=moved,
    )  # fmt: skip
    _before(op, new)
    for old, result in zip(op.results, new.results):
        old.replace_all_uses_with(result)
    for old in op.results[len(new.results) :]:
        for use in list(old.uses):  # what used it goes with it
            use.operation.operands[use.index] = op.operands[0] if op.operands else _some_value(new)
    assert op.parent is not None
    op.parent.erase_op(op, safe_erase=False)
    return new


def _some_value(op: Operation) -> SSAValue:
    """A value that an operation may use: a number, where there is none yet."""
    visible = _visible(op)
    if visible:
        return visible[0]
    number = ConstantOp.from_int_and_width(0, IndexType())
    _before(op, number)
    return number.result


def _with_result(index: int, type_: Attribute) -> Change:
    return lambda op: _again(
        op, [type_ if place == index else each.type for place, each in enumerate(op.results)]
    )


def _with_count(by: int) -> Change:
    def change(op: Operation) -> None:
        types = [result.type for result in op.results]
        _again(op, types[:by] if by < 0 else [*types, IndexType()])

    return change


def _regions(op: Operation) -> Iterator[tuple[str, Change]]:
    defined = _definition(op).regions
    yield "region too many", lambda own: own.add_region(Region(Block()))
    if not defined or any(isinstance(each, OptRegionDef | VarRegionDef) for _, each in defined):
        return

    yield "region missing", lambda own: _again(own, own.result_types, [])
    yield "region of two blocks", lambda own: own.regions[0].add_block(Block())
    yield "region without a block", lambda own: _again(own, own.result_types, [Region()])
    yield "region with an argument too many", lambda own: own.regions[0].block.insert_arg(f16, 0)
    if op.regions[0].blocks and op.regions[0].block.args:

        def other(own: Operation) -> None:
            argument = own.regions[0].block.args[0]
            again = own.regions[0].block.insert_arg(ttl.TransferType(), 0)
            argument.replace_all_uses_with(again)
            own.regions[0].block.erase_arg(argument)

        if op.name != "ttl.operation":
            yield "region with an argument of another type", other


# --- places -----------------------------------------------------------------------------------------------------

MOVES = frozenset(
    {
        "ttl.tensor_slice", "ttl.copy", "ttl.wait", "ttl.wait_any", "ttl.dma_barrier", "ttl.create_group", "ttl.group_add",
        "ttl.group_wait", "ttl.if_pipe_src", "ttl.if_pipe_dst", "ttl.semaphore_wait", "ttl.semaphore_set",
        "ttl.semaphore_inc", "ttl.element_read", "ttl.read_index", "ttl.element_write", "ttl.dfb_resident",
        "ttl.write_mask", "ttl.write_scaler",
    }
)  # fmt: skip
"""What data movement kernels do."""
COMPUTES = frozenset(
    {
        "ttl.block_read", "ttl.block_store", "ttl.block_accumulate", "ttl.retype", "ttl.compute_region",
        *_COMPUTE,
    }
)  # fmt: skip
"""What compute kernels do."""
IN_KERNELS = (
    MOVES | COMPUTES | {"ttl.dfb_reserve", "ttl.dfb_wait", "ttl.dfb_push", "ttl.dfb_pop", "ttl.block_view"}
)
RESOURCES = frozenset({"ttl.create_dfb", "ttl.create_semaphore", "ttl.create_pipe_net"})


def _operation_around(op: Operation) -> ttl.OperationOp:
    around: Operation | None = op
    while not isinstance(around, ttl.OperationOp):
        assert around is not None
        around = around.parent_op()
    return around


def _kernel_around(op: Operation) -> Operation | None:
    around: Operation | None = op
    while around is not None and not isinstance(around, ttl.UserKernelOp):
        around = around.parent_op()
    return around


def _kernels_of(op: Operation, kind: type[Operation]) -> list[ttl.UserKernelOp]:
    return [kernel for kernel in _operation_around(op).kernels if isinstance(kernel, kind)]


def _move_to(find: Callable[[Operation], Block]) -> Change:
    """Move an operation to the end of a block; before what ends it, where something does."""

    def change(op: Operation) -> None:
        block = find(op)
        op.detach()
        block.add_op(op)

    return change


def _places(op: Operation) -> Iterator[tuple[str, Change]]:
    kernel = _kernel_around(op)
    if kernel is not None and op is not kernel and not op.results:
        # Without results that somebody uses: what is wrong is the place alone, or an operand that is not seen there.
        if op.name in IN_KERNELS:
            yield "in the body of the operation", _move_to(lambda own: _operation_around(own).body.block)
        yield "outside of any operation", _move_to(_module_block)
    if op.name in RESOURCES:
        yield "in a kernel", lambda own: _operation_around(own).kernels[0].body.block.add_op(own.clone())
    for names, word, kind in (
        (MOVES, "compute", ttl.ComputeKernelOp),
        (COMPUTES, "movement", ttl.DataMovementKernelOp),
    ):
        if op.name in names and kernel is not None and _kernels_of(op, kind):
            yield (
                f"in a {word} kernel",
                lambda own, kind=kind: _kernels_of(own, kind)[0].body.block.add_op(own.clone()),
            )
    if (
        op.operands
        and isinstance(op.operands[0].owner, Operation)
        and op.operands[0].owner.parent is op.parent
    ):

        def early(own: Operation) -> None:
            maker = own.operands[0].owner
            assert isinstance(maker, Operation) and maker.parent is not None
            own.detach()
            maker.parent.insert_op_before(own, maker)

        yield "before its operand", early
    if op.name == "ttl.yield":
        yield "not at the end", lambda own: _before(own, own.clone())


def _module_block(op: Operation) -> Block:
    around: Operation = _operation_around(op)
    assert around.parent is not None
    return around.parent


# --- rules of the language --------------------------------------------------------------------------------------


def _always_reached(op: Operation) -> bool:
    """Whether an operation is in a kernel, in no branch and in loops that run by their constants."""
    around = op.parent_op()
    while around is not None and not isinstance(around, ttl.UserKernelOp):
        if around.name != "affine.for":
            return False
        bounds = [around.properties[name].data for name in ("lowerBoundMap", "upperBoundMap")]  # type: ignore[attr-defined]
        numbers = [result.value for bound in bounds for result in bound.results if hasattr(result, "value")]
        if len(numbers) != 2 or numbers[0] >= numbers[1]:
            return False
        around = around.parent_op()
    return around is not None


def _constant(name: str, index: int, number: int) -> tuple[str, Change]:
    def change(op: Operation) -> None:
        constant = ConstantOp(IntegerAttr(number, IndexType()))
        _before(op, constant)
        op.operands[index] = constant.result

    return f"{name} is {number}", change


# Operands that are numbers: by place, those that are illegal wherever the operation runs.
_NUMBERS: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType(
    {
        **{
            f"ttl.{name}": [(place, HUGE), (place, -1)]
            for name, place in (
                ("tensor_slice", 1), ("get_remote_semaphore", 1), ("get_remote_multicast_semaphore", 1), ("element_read", 1),
                ("read_index", 1), ("element_write", 2), ("lookup", 0), ("wait_any", 0),
            )
        },
        **{f"ttl.semaphore_{name}": [(1, -1), (1, 2**32)] for name in ("wait", "set", "inc")},
    }
)  # fmt: skip
_TWICE = ("ttl.dfb_push", "ttl.dfb_pop", "ttl.wait", "ttl.group_wait", "ttl.group_add")


def _of_the_language(op: Operation) -> Iterator[tuple[str, Change]]:
    if _always_reached(op):
        for index, number in _NUMBERS.get(op.name, ()):
            if index < len(op.operands):
                yield _constant(f"operand {index}", index, number)
        if op.name in _TWICE and ttl.EXTERN not in op.attributes:  # of those, C++ says how often
            yield "done twice", lambda own: own.parent.insert_op_after(own.clone(), own)
        if isinstance(op, ttl.ReleaseOp) and isinstance(op.block.owner, ttl.AcquireOp):
            yield "released as the other kind", _other_release
    if isinstance(op, ttl.UserKernelOp):
        yield (
            "more than there are processors",
            lambda own: _before(own, *(_renamed(own, f"again_{number}") for number in range(3))),
        )
        if len(_operation_around(op).kernels) > 1:
            yield "the name of another kernel", _named_as_another
    if isinstance(op, ttl.OperationOp):
        yield "twice in a module", lambda own: _before(own, own.clone())
        yield (
            "in a kernel of another",
            lambda own: own.kernels[0].body.block.add_op(_renamed(own, "inside")),
        )
    if isinstance(op, ttl.CreateDfbOp):

        def same(own: Operation) -> None:
            again = own.clone()
            for each in (own, again):
                each.properties["buffer_index"] = _integer(3)
            _before(own, again)

        yield "the index of another", same
    if op.name in RESOURCES and op.name != "ttl.create_pipe_net":
        yield "more than a node has", lambda own: _before(own, *(own.clone() for _ in range(65)))
    if isinstance(op, ttl.SemaphoreIncOp):

        def several(own: Operation) -> None:
            remote = own.operands[0].owner
            assert isinstance(remote, ttl.GetRemoteSemaphoreOp)
            everyone = ttl.GetRemoteMulticastSemaphoreOp(remote.semaphore)
            _before(own, everyone)
            own.operands[0] = everyone.result

        if isinstance(op.operands[0].owner, ttl.GetRemoteSemaphoreOp):
            yield "of several nodes", several


def _other_release(op: Operation) -> None:
    kind = ttl.DfbPopOp if isinstance(op, ttl.DfbPushOp) else ttl.DfbPushOp
    _before(op, kind.create(operands=list(op.operands), properties=dict(op.properties)))
    assert op.parent is not None
    op.parent.erase_op(op)


def _renamed(op: Operation, name: str) -> Operation:
    again = op.clone()
    again.properties["sym_name"] = StringAttr(name)
    return again


def _named_as_another(op: Operation) -> None:
    other = next(each for each in _operation_around(op).kernels if each is not op)
    op.properties["sym_name"] = other.sym_name


# --- types and attributes, as text ------------------------------------------------------------------------------

_ELEMENT = r"(?:!ttl\.tile<\d+x\d+, \w+>|[a-z]\w*)"
# A pattern of a type or attribute, and what no type of its kind can be.
TEXTS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "dfb": (
            rf"!ttl\.dfb<\[([^\]]*)\], ({_ELEMENT}), (\d+)>",
            (r"!ttl.dfb<[], \2, \3>", r"!ttl.dfb<[0, 1], \2, \3>", r"!ttl.dfb<[-4, 1], \2, \3>", r"!ttl.dfb<[?, 1], \2, \3>",
             r"!ttl.dfb<[\1], \2, 0>", r"!ttl.dfb<[\1], \2, -1>", r"!ttl.dfb<[\1], f64, \3>", r"!ttl.dfb<[\1], index, \3>",
             r"!ttl.dfb<[\1], \2>", r"!ttl.dfb<[\1], !ttl.transfer, \3>", r"!ttl.dfb<>", r"!ttl.dfb"),
        ),
        "block": (
            rf"!ttl\.block<\[([^\]]*)\], ({_ELEMENT})>",
            (r"!ttl.block<[], \2>", r"!ttl.block<[0, 1], \2>", r"!ttl.block<[?, 1], \2>", r"!ttl.block<[\1], i1>",
             r"!ttl.block<[\1], \2, 2>", r"!ttl.block<\1>"),
        ),
        "slice": (
            rf"!ttl\.slice<\[([^\]]*)\], ({_ELEMENT})>",
            (r"!ttl.slice<[], \2>", r"!ttl.slice<[0, 1], \2>", r"!ttl.slice<[-7, 1], \2>", r"!ttl.slice<[\1], f64>",
             r"!ttl.slice<[\1]>"),
        ),
        "tile": (
            r"!ttl\.tile<32x32, (\w+)>",
            (r"!ttl.tile<33x32, \1>", r"!ttl.tile<32x8, \1>", r"!ttl.tile<0x32, \1>", r"!ttl.tile<32x32x32, \1>",
             r"!ttl.tile<32, \1>", "!ttl.tile<32x32, f17>", "!ttl.tile<32x32>", "!ttl.tile<?x32, bf16>"),
        ),
        "accessor": (
            r"!ttl\.accessor<tensor<([^#>]*), (#ttl[^:]*?>>)>>",
            ("!ttl.accessor<index>", r"!ttl.accessor<tensor<\1>>", r"!ttl.accessor<tensor<\1, 1 : i64>>", "!ttl.accessor<>"),
        ),
        "transfer": (r"!ttl\.transfer", ("!ttl.transfer<1>", "!ttl.transfers")),
        "pipe": (r"!ttl\.pipe<(?:src|dst)>", ("!ttl.pipe<both>", "!ttl.pipe", "!ttl.pipe<>")),
        "net": (r"!ttl\.pipe_net", ("!ttl.pipe_net<1>",)),
        "remote": (
            r"!ttl\.remote_semaphore<\w+>", ("!ttl.remote_semaphore<everywhere>", "!ttl.remote_semaphore"),
        ),
        "grid": (r"#ttl\.grid<\d+x\d+>", ("#ttl.grid<0x4>", "#ttl.grid<4x-1>", "#ttl.grid<>", "#ttl.grid<4x>", "#ttl.grid<?x4>")),
        "pipe of a net": (
            r"#ttl\.pipe<\[([^\]]*)\] -> \[([^\]]*)\]>",
            (r"#ttl.pipe<[] -> [\2]>", r"#ttl.pipe<[\1] -> []>", r"#ttl.pipe<[\1] -> [0:4:0]>", r"#ttl.pipe<[\1] -> [3:1]>",
             r"#ttl.pipe<[\1] -> [0:1000000]>", r"#ttl.pipe<[\1] -> [1000000]>", r"#ttl.pipe<[\1]>", r"#ttl.pipe<[-1] -> [\2]>"),
        ),
        "encoding": (
            r"#ttl\.encoding<(dram|l1), (#ttl\.layout<[^>]*>)>",
            (r"#ttl.encoding<flash, \2>", r"#ttl.encoding<\1>", r"#ttl.encoding<\1, \1>", r"#ttl.encoding<\1, 1 : i64>",
             r"#ttl.encoding<dst, \2>"),
        ),
        "layout": (
            r"#ttl\.layout<(tiled|row_major), (interleaved)>",
            (r"#ttl.layout<\1>", r"#ttl.layout<striped, \2>", r"#ttl.layout<\1, somehow>", r"#ttl.layout<\1, \2, [32, 32]>",
             r"#ttl.layout<\1, height_sharded, [32, 32], 0x1>", r"#ttl.layout<\1, height_sharded, [0, 32], 1x1>"),
        ),
    }
)  # fmt: skip


def text_changes(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every text in which a type or attribute is none any more, with what was broken: all places that are alike at once."""
    for name, (pattern, wrong) in TEXTS.items():
        for number, text in enumerate(texts):
            found = re.search(pattern, text)
            if found is None:
                continue
            for variant, template in enumerate(wrong):
                yield f"{name} {variant} in {number}", text.replace(found[0], found.expand(template))
            break
