"""``stablehlo-distribute``: programs for a mesh of devices become those of one chip, between ``tt.mesh_shard`` calls.

JAX writes them in three ways: as ``sdy.manual_computation`` (``jax.shard_map`` with Shardy), between the custom calls
``@SPMDFullToShardShape`` and ``@SPMDShardToFullShape`` (the same with GSPMD), and, where Shardy has partitioned a program,
as functions on the parts of one device, whose arguments have attributes that say how the whole is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.tt import ShardDirectionAttr, ShardTypeAttr
from tt_model.layouts.enums import ShardDirection, ShardType
from tt_model.layouts.values import dimensions_text
from tt_model.stablehlo.dialect import COLLECTIVES, HLOCustomCall, HLOEffect, operation_named
from tt_model.stablehlo.numbers import array_of, shape_of
from tt_model.stablehlo.reading import attribute
from tt_model.stablehlo.shardy import (
    ManualAxesAttr,
    MeshAttr,
    SdyConstant,
    SdyManualComputation,
    SdyMark,
    SdyMesh,
    SdyOperation,
    SdyShardingGroup,
    ShardingAttr,
    ShardingsAttr,
)
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttl.ir.reports import Report
from ttmlir.transforms.from_stablehlo.shardings import (
    WAY_OUT,
    ChipMesh,
    Cut,
    Tiles,
    cut_by_axes,
    cut_by_tiles,
    gspmd,
    inferred_mesh,
    mesh_of_axes,
)
from ttmlir.transforms.system_desc import MESH_SHAPE

# An attribute of this project for a module that Shardy has partitioned: its functions work on the parts of one device.
PARTITIONED = "tt.partitioned"
MESH_SHARD = "tt.mesh_shard"
_TO_SHARD, _TO_FULL = "SPMDFullToShardShape", "SPMDShardToFullShape"
_SHARDING = "mhlo.sharding"


@dataclass(frozen=True)
class DistributeOverMesh(ModulePass):
    """Rewrite a program for several devices to the program of one chip. The pass is not part of TT-MLIR.

    Expects: StableHLO, with Shardy's manual computations or GSPMD's custom calls where a program is for several
    devices. Guarantees: neither of them; if chips have parts of tensors, ``stablehlo.custom_call @tt.mesh_shard``
    converts between wholes and parts, and the module has ``tt.mesh_shape``. Marks that only say how a tensor might be
    cut are removed.
    """

    name = "stablehlo-distribute"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not is_distributed(op):
            return
        work = _Distribution(op)
        work.run()
        if work.refused:
            raise NotLegalized(reports_of(work.refused, explicitly=True))

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the refusals that the pass would raise, from a run on a copy."""
        if not is_distributed(module):
            return []
        work = _Distribution(module.clone())
        work.run()
        return reports_of(work.refused, explicitly=True)


def is_distributed(module: ModuleOp) -> bool:
    """Whether a module has operations or attributes for several devices."""
    return PARTITIONED in module.attributes or any(
        isinstance(op, (SdyOperation, *COLLECTIVES)) or _target(op) in (_TO_SHARD, _TO_FULL)
        for op in module.walk()
    )


def _target(op: Operation) -> str:
    given = attribute(op, "call_target_name") if isinstance(op, HLOCustomCall) else None
    return given.data if isinstance(given, StringAttr) else ""


def groups_of(op: Operation) -> list[list[int]] | None:
    """The ``replica_groups`` of an operation; None if it does not have them as a table."""
    table = array_of(attribute(op, "replica_groups"))
    return None if table is None or table.ndim != 2 else [[int(one) for one in row] for row in table]


class _Distribution:
    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self.refused: list[tuple[Operation, Refusal]] = []
        self._meshes: dict[str, MeshAttr] = {}
        self._uses_mesh = False

    def run(self) -> None:
        operations = list(self._module.walk())
        for op in operations:
            name, axes = op.properties.get("sym_name"), attribute(op, "mesh")
            if isinstance(op, SdyMesh) and isinstance(name, StringAttr) and isinstance(axes, MeshAttr):
                self._meshes[name.data] = axes
        self._uses_mesh = PARTITIONED in self._module.attributes
        try:
            mesh = self._mesh(operations)
        except Refused as problem:
            first = next(
                (op for op in operations if isinstance(op, (SdyManualComputation, *COLLECTIVES))),
                self._module,
            )
            self.refused.append((first, problem.refusal))
            return
        for op in operations:
            try:
                self._convert(op, mesh)
            except Refused as problem:
                self.refused.append((op, problem.refusal))
        self._module.attributes.pop(PARTITIONED, None)
        if self._uses_mesh and mesh is not None and mesh.chips > 1:
            self._module.attributes[MESH_SHAPE] = DenseArrayBase.from_list(i64, mesh.extents)

    def _mesh(self, operations: Sequence[Operation]) -> ChipMesh | None:
        """The mesh of the module: that of Shardy, or one that fits GSPMD's strings and groups of devices."""
        if self._meshes:
            named = {mesh_of_axes(one.data).extents: one for one in self._meshes.values()}
            if len(named) > 1:
                raise Refused(
                    f"the module has meshes of {', '.join(map(dimensions_text, named))}",
                    "what works: one mesh",
                )
            return mesh_of_axes(next(iter(named.values())).data)
        chips = self._module.attributes.get("mhlo.num_partitions")
        count = chips.value.data if isinstance(chips, IntegerAttr) else 1
        shardings = [one for op in operations if (one := _tiles_of(op)) is not None]
        groups = [given for op in operations if (given := groups_of(op)) is not None]
        sizes = [len(one.places) for one in shardings if isinstance(one, Tiles)]
        if (count := max([count, *sizes, *(sum(map(len, one)) for one in groups)])) == 1:
            return None
        return inferred_mesh(count, shardings, groups)

    def _convert(self, op: Operation, mesh: ChipMesh | None) -> None:
        match op:
            case SdyManualComputation() if mesh is not None:
                self._manual(op, mesh)
            case HLOEffect() if mesh is not None and _target(op) in (_TO_SHARD, _TO_FULL):
                self._spmd(op, mesh)
            case FuncOp():
                if PARTITIONED in self._module.attributes and mesh is not None:
                    self._function(op, mesh)
                _forget_shardings(op)
            case SdyMesh() | SdyShardingGroup():
                Rewriter.erase_op(op)
            case SdyConstant():
                constant = operation_named("stablehlo.constant").create(
                    result_types=[op.results[0].type], properties=dict(op.properties), location=op.location
                )
                Rewriter.replace_op(op, constant)
            case SdyMark():
                op.results[0].replace_all_uses_with(op.operands[0])
                Rewriter.erase_op(op)
            case _ if isinstance(op, COLLECTIVES):
                self._uses_mesh = True
                _forget_sharding(op)
            case _:
                _forget_sharding(op)

    # The computation of one device.

    def _manual(self, op: Operation, mesh: ChipMesh) -> None:
        axes = attribute(op, "manual_axes")
        names = axes.data if isinstance(axes, ManualAxesAttr) else ()
        given, results = (self._cuts(op, name, mesh, names) for name in ("in_shardings", "out_shardings"))
        body = op.regions[0].block
        block, last = op.parent, body.last_op
        if block is None or last is None or len(given) != len(op.operands) or len(results) != len(op.results):
            raise Refused("its numbers of shardings and of tensors differ", WAY_OUT)
        for argument, operand, cut in zip(list(body.args), op.operands, given, strict=True):
            part = self._mesh_shard(operand, argument.type, cut, ShardDirection.FullToShard, op, block)
            argument.replace_all_uses_with(part)
        returned = list(last.operands)
        for inner in list(body.ops):
            if inner is not last:
                body.detach_op(inner)
                block.insert_op_before(inner, op)
        wholes = [
            self._mesh_shard(value, result.type, cut, ShardDirection.ShardToFull, op, block)
            for value, result, cut in zip(returned, op.results, results, strict=True)
        ]
        for result, whole in zip(op.results, wholes, strict=True):
            result.replace_all_uses_with(whole)
        Rewriter.erase_op(op)

    def _cuts(self, op: Operation, name: str, mesh: ChipMesh, manual: Sequence[str]) -> list[Cut]:
        shardings = attribute(op, name)
        if not isinstance(shardings, ShardingsAttr):
            raise Refused(f"its {name} are {shardings}", "what works: shardings as JAX writes them")
        return [cut_by_axes(one, mesh, manual) for one in shardings.data]

    def _spmd(self, op: Operation, mesh: ChipMesh) -> None:
        tiles, block = _tiles_of(op), op.parent
        assert block is not None
        cut = cut_by_tiles(ShardType.Replicate if tiles is None else tiles, mesh.extents)
        assert cut is not None, "the mesh was chosen so"
        to_shard = _target(op) == _TO_SHARD
        direction = ShardDirection.FullToShard if to_shard else ShardDirection.ShardToFull
        value = self._mesh_shard(op.operands[0], op.results[0].type, cut, direction, op, block)
        op.results[0].replace_all_uses_with(value)
        Rewriter.erase_op(op)

    # A function on the parts of one device.

    def _function(self, op: FuncOp, mesh: ChipMesh) -> None:
        """Make a public function take and return whole tensors."""
        visibility = op.properties.get("sym_visibility")
        if len(op.body.blocks) != 1 or (isinstance(visibility, StringAttr) and visibility.data == "private"):
            return
        block = op.body.block
        first, last = block.first_op, block.last_op
        assert first is not None
        assert isinstance(last, ReturnOp)
        inputs: list[Attribute] = []
        for index, argument in enumerate(block.args):
            cut = self._cut_of(op.properties.get("arg_attrs"), index, argument.type, mesh)
            part = argument.type
            inputs.append(_whole_type(part, cut))
            if cut.kind is not ShardType.Devices:
                continue
            whole = Rewriter.replace_value_with_new_type(argument, inputs[-1])
            custom = self._call(whole, part, cut, ShardDirection.FullToShard, op)
            block.insert_op_before(custom, first)
            for use in list(whole.uses):
                if use.operation is not custom:
                    use.operation.operands[use.index] = custom.results[0]
        outputs: list[Attribute] = []
        for index, value in enumerate(list(last.operands)):
            cut = self._cut_of(op.properties.get("res_attrs"), index, value.type, mesh)
            outputs.append(_whole_type(value.type, cut))
            last.operands[index] = self._mesh_shard(
                value, outputs[-1], cut, ShardDirection.ShardToFull, last, block
            )
        op.function_type = FunctionType.from_lists(inputs, outputs)

    def _cut_of(self, listed: Attribute | None, index: int, type: Attribute, mesh: ChipMesh) -> Cut:
        given = listed.data[index] if isinstance(listed, ArrayAttr) else None
        sharding = given.data.get(ShardingAttr.name) if isinstance(given, DictionaryAttr) else None
        if not isinstance(sharding, ShardingAttr):
            return Cut(ShardType.Replicate, (1,), (-1, -1))
        return cut_by_axes(sharding.data, mesh)

    # The call.

    def _mesh_shard(
        self,
        value: SSAValue,
        type: Attribute,
        cut: Cut,
        direction: ShardDirection,
        before: Operation,
        block: Block,
    ) -> SSAValue:
        if value.type != type and cut.kind is not ShardType.Devices:
            raise Refused(
                f"a tensor {value.type} that no axis of the mesh cuts is {type} on one device", WAY_OUT
            )
        if cut.kind is ShardType.Identity:
            return value
        call = self._call(value, type, cut, direction, before)
        block.insert_op_before(call, before)
        return call.results[0]

    def _call(
        self, value: SSAValue, type: Attribute, cut: Cut, direction: ShardDirection, at: Operation
    ) -> Operation:
        self._uses_mesh = True
        shape = cut.shape if cut.kind is ShardType.Devices else (1,)
        return operation_named("stablehlo.custom_call").create(
            operands=[value],
            result_types=[type],
            properties={"call_target_name": StringAttr(MESH_SHARD)},
            attributes={
                "shard_type": ShardTypeAttr(cut.kind),
                "shard_direction": ShardDirectionAttr(direction),
                "shard_shape": DenseArrayBase.from_list(i64, shape),
                "shard_dims": DenseArrayBase.from_list(i64, cut.dims),
            },
            location=at.location,
        )


def _whole_type(part: Attribute, cut: Cut) -> Attribute:
    if cut.kind is not ShardType.Devices:
        return part
    assert isinstance(part, TensorType)
    extents = [extent * count for extent, count in zip(part.get_shape(), cut.shape, strict=True)]
    return TensorType(part.element_type, extents)


def _tiles_of(op: Operation) -> Tiles | ShardType | None:
    """Return GSPMD's tiles of a tensor that is cut or made whole; None for other operations."""
    target = _target(op)
    if target == _TO_FULL:
        return gspmd(_string(op), len(shape_of(op.results[0])))
    if target == _TO_SHARD:
        marked = op.operands[0].owner
        known = _string(marked) if isinstance(marked, Operation) and _target(marked) == "Sharding" else ""
        tiles = gspmd(known, len(shape_of(op.operands[0])))
        return ShardType.Replicate if tiles is ShardType.Identity else tiles
    return None


def _string(op: Operation) -> str:
    given = attribute(op, _SHARDING)
    return given.data if isinstance(given, StringAttr) else ""


def _forget_sharding(op: Operation) -> None:
    op.attributes.pop(ShardingAttr.name, None)


def _forget_shardings(op: FuncOp) -> None:
    """Remove the shardings of arguments and results: the function takes and returns tensors of its types."""
    for name in ("arg_attrs", "res_attrs"):
        listed = op.properties.get(name)
        if not isinstance(listed, ArrayAttr):
            continue
        kept = [
            DictionaryAttr(
                {key: value for key, value in one.data.items() if key not in (ShardingAttr.name, _SHARDING)}
            )
            for one in listed.data
            if isinstance(one, DictionaryAttr)
        ]
        op.properties[name] = ArrayAttr(kept)


__all__ = [
    "MESH_SHAPE",
    "MESH_SHARD",
    "PARTITIONED",
    "DistributeOverMesh",
    "groups_of",
    "is_distributed",
]
