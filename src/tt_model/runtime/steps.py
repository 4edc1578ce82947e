"""The operations of a binary as functions: checks of operands, computation, and place of the result.

A table of the binary is read once, when its program is prepared; running it is one call. Operands that the real
operations refuse are refused, with the fix. Elementwise operations, reductions, softmax and products require tiles. Not
all of a card's operations are known to refuse other pages, so that these are a warning, and an error in a strict run.
"""

from __future__ import annotations

from collections.abc import Callable

from tt_model.operations import shared, ttnn
from tt_model.operations.elementwise import TTNNElementwiseOp
from tt_model.operations.file_tables import class_in_file, tables_of_files
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.stages import PerClass
from tt_model.runtime import placement
from tt_model.runtime.operands import Fields, Step
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.step_kinds import collectives, computing, in_place, reshaping, windows
from tt_model.runtime.step_kinds.by_reference import step_by_reference
from tt_model.runtime.step_kinds.mesh_shard import mesh_shard
from tt_model.runtime.tt_lang import prepare_generic, prepare_tt_lang


def operation_of(table: str, fields: Fields) -> type[TTNNOperation]:
    """The class of the operation that a table describes. Raises ``RuntimeProblem`` for an unknown table."""
    kind = class_in_file(table, fields)
    if kind is not None:
        return kind
    known = tables_of_files()
    if table in known:
        words = ", ".join(known[table])
        raise RuntimeProblem(f"there is no {table} of the type {fields.get('type')}; known are {words}")
    raise RuntimeProblem(f"there is no operation {table}; known are {', '.join(known)}")


def is_of(operation: Fields, *kinds: type[TTNNOperation]) -> bool:
    """Whether an operation of a binary belongs to one of the classes ``kinds``."""
    kind = class_in_file(operation.get("type_type", "NONE"), operation.get("type", {}))
    return kind is not None and issubclass(kind, kinds)


def first_device(program: Fields) -> Fields:
    """Return the fields of the first ``GetDeviceOp`` of a program; empty for a program without one."""
    operations = program.get("operations", [])
    return next((one.get("type", {}) for one in operations if is_of(one, ttnn.TTNNGetDeviceOp)), {})


def prepare(kind: type[TTNNOperation], fields: Fields) -> Step:
    """The function of an operation of a class. Raises ``RuntimeProblem`` if its table lacks information."""
    make = STEPS.of(kind)
    try:
        return step_by_reference(kind, fields) if make is None else make(fields)
    except KeyError as problem:
        written = kind.ROW.flatbuffer
        assert written is not None
        raise RuntimeProblem(f"the table {written.table} has no {problem.args[0]}") from None


STEPS = PerClass[Callable[[Fields], Step]](
    (ttnn.TTNNGetDeviceOp, placement.get_device),
    (ttnn.TTNNToMemoryConfigOp, placement.to_memory_config),
    (ttnn.TTNNToLayoutOp, placement.to_layout),
    (ttnn.TTNNTypecastOp, placement.typecast),
    (ttnn.TTNNToDeviceOp, placement.to_device),
    (ttnn.TTNNFromDeviceOp, placement.from_device),
    (ttnn.TTNNEmptyOp, placement.empty),
    (ttnn.TTNNFullOp, placement.full),
    ((TTNNElementwiseOp, ttnn.TTNNClampOp), computing.eltwise),
    (shared.TTNNMatmulOp, computing.matmul),
    (shared.TTNNReductionOp, computing.reduction),
    (ttnn.TTNNEmbeddingOp, reshaping.embedding),
    (shared.TTNNSoftmaxOp, computing.softmax),
    (shared.TTNNTransposeOp, reshaping.transpose),
    (ttnn.TTNNConv2dOp, windows.conv2d),
    (shared.TTNNConcatOp, reshaping.concat),
    (shared.TTNNReshapeOp, reshaping.reshape),
    (shared.TTNNSliceOp, reshaping.cut_out),
    (ttnn.TTNNMaxPool2dOp, windows.max_pool2d),
    (ttnn.TTNNCopyOp, in_place.copy),
    (shared.TTNNUpdateCacheOp, in_place.update_cache),
    (shared.TTNNFillCacheOp, in_place.fill_cache),
    (ttnn.TTNNDeallocateOp, placement.deallocate),
    (ttnn.TTNNAllGatherOp, collectives.all_gather),
    (ttnn.TTNNReduceScatterOp, collectives.reduce_scatter),
    (shared.TTNNMeshShardOp, mesh_shard),
    (shared.TTNNTTLangOp, prepare_tt_lang),
    (ttnn.TTNNGenericOp, prepare_generic),
    absent={ttnn.TTNNAllocOp: "files of 2024-11-21 cannot hold it"},
)
