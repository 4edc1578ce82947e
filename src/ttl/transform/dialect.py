"""The ``transform`` dialect in MLIR 19's text form: sequences, and the steps in them.

A class lists the pieces of a step's text. Where types are omitted, every handle is ``!transform.any_op``. The steps of
``transform.ttl`` are ours; MLIR 19 reads all others except ``loop.tile`` and ``affine.simplify_min_max_affine_ops``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr
from xdsl.dialects.transform import (
    AnyOpType,
    AnyParamType,
    AnyValueType,
    NamedSequenceOp,
    OperationType,
    ParamType,
)
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from ttl.transform.pieces import (
    DYNAMIC,
    AttributesPiece,
    BoundsPiece,
    Draft,
    MatchPiece,
    ModePiece,
    OperandsPiece,
    PointPiece,
    RegionsPiece,
    SizesPiece,
    StringPiece,
    TextPiece,
    TypesPiece,
    ValuePiece,
    WordPiece,
    numbers_in,
)


class TransformStep(IRDLOperation):
    """A step of a sequence. Its operands and its results are handles and parameters."""

    handles = var_operand_def()
    given = var_result_def()
    bodies = var_region_def("single_block")

    PIECES: ClassVar[tuple[TextPiece, ...]] = ()
    REQUIRED: ClassVar[tuple[str, ...]] = ()
    """The required attributes."""
    CHANGES: ClassVar[bool] = False
    """Whether it changes the operations of handles itself, and not by a pass."""

    def text(self, name: str) -> str | None:
        """The value of a string attribute; None if there is no such attribute."""
        value = self.attributes.get(name)
        return value.data if isinstance(value, StringAttr) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """The value of an attribute that is a list of strings."""
        values = self.attributes.get(name)
        return (
            tuple(value.data for value in values if isinstance(value, StringAttr))
            if isinstance(values, ArrayAttr)
            else ()
        )

    def number(self, name: str, default: int = 0) -> int:
        """The value of an integer attribute."""
        value = self.attributes.get(name)
        return value.value.data if isinstance(value, IntegerAttr) else default

    def numbers(self, name: str) -> tuple[int, ...]:
        """The value of an attribute that is a list of integers."""
        return numbers_in(self, name)

    def sizes(self, parameters: Sequence[int]) -> tuple[int, ...]:
        """The sizes, with the values of parameters in place of dynamic ones."""
        left = list(parameters)
        return tuple(left.pop(0) if size == DYNAMIC else size for size in self.numbers("static_sizes"))

    @property
    def suppresses(self) -> bool:
        """Whether a silenceable failure ends only the sequence."""
        return self.text("failures") == "suppress"

    def verify_(self) -> None:
        for name in self.REQUIRED:
            if name not in self.attributes:
                raise VerifyException(f"expected the attribute {name}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        draft = Draft()
        for piece in cls.PIECES:
            piece.read(parser, draft)
        for region in draft.regions:
            if region.blocks and not isinstance(region.block.last_op, YieldStep):
                region.block.add_op(YieldStep.create())
        if len(draft.inputs) != len(draft.operands):
            parser.raise_error(f"{len(draft.operands)} operands and {len(draft.inputs)} types")
        pairs = zip(draft.operands, draft.inputs, strict=True)
        operands = [parser.resolve_operand(name, type_) for name, type_ in pairs]
        return cls.create(
            operands=operands, result_types=draft.outputs, attributes=draft.attributes, regions=draft.regions
        )

    def print(self, printer: Printer) -> None:
        left = list(self.operands)
        for piece in self.PIECES:
            piece.write(printer, self, left)


_ANY, _ONE, _ATTRIBUTES, _TYPES = OperandsPiece(), OperandsPiece(1), AttributesPiece(), TypesPiece()
_GIVES_ONE, _OPERANDS = TypesPiece(gives=1), TypesPiece("operands")
_PLAIN = (_ANY, _ATTRIBUTES, _GIVES_ONE)


@irdl_op_definition
class YieldStep(TransformStep):
    """End a sequence, or a region of a step, with its results."""

    name = "transform.yield"
    PIECES: ClassVar = (_ANY, _ATTRIBUTES, TypesPiece("arrow"))
    traits = traits_def(IsTerminator())


def _step(
    name: str, summary: str, *pieces: TextPiece, required: Sequence[str] = (), changes: bool = False
) -> type[TransformStep]:
    """Make the class of a step."""
    words = name.removeprefix("transform.").replace(".", "_").split("_")
    members: dict[str, Any] = {
        "__doc__": summary,
        "__annotations__": dict.fromkeys(("PIECES", "REQUIRED", "CHANGES"), "ClassVar"),
        "__module__": __name__,
        "name": f"transform.{name}",
        "PIECES": pieces,
        "REQUIRED": tuple(required),
        "CHANGES": changes,
    }
    return irdl_op_definition(
        type("".join(word.capitalize() for word in words) + "Step", (TransformStep,), members)
    )


SEQUENCE = _step(
    "sequence", "Run steps one after the other on the operations of a handle, or, at the top of a module, on the module.",
    _ANY, TypesPiece("arrow"), ModePiece(), AttributesPiece(keyword=True), RegionsPiece(),
)  # fmt: skip
INCLUDE = _step(
    "include", "Run a named sequence on handles.",
    StringPiece("target", symbol=True), ModePiece(), OperandsPiece(parens=True), _ATTRIBUTES, _TYPES,
)  # fmt: skip
FOREACH = _step(
    "foreach", "Run a region for each operation that a handle names.",
    _ANY, TypesPiece("arrow"), AttributesPiece(keyword=True), RegionsPiece(),
)  # fmt: skip
ALTERNATIVES = _step(
    "alternatives", "Run the first of several regions that does not fail, on a copy of the handle's operations.",
    _ANY, TypesPiece("arrow"), AttributesPiece(keyword=True), RegionsPiece(),
)  # fmt: skip
MATCH = _step(
    "structured.match", "Find operations inside those of a handle: by ``ops``, by ``interface`` and by ``attributes``.",
    MatchPiece(), WordPiece("in"), _ANY, _ATTRIBUTES, _GIVES_ONE,
)  # fmt: skip
TILE_USING_FOR = _step(
    "structured.tile_using_for",
    "Tile structured operations with loops; of a compute region the sub-block. Gives the operations inside, and each loop.",
    _ONE, SizesPiece(), _ATTRIBUTES, _GIVES_ONE, changes=True,
)  # fmt: skip
SPLIT = _step(
    "structured.split", "Split a structured operation in two, at an index of one dimension.",
    _ONE, WordPiece("after"), PointPiece(), _ATTRIBUTES, TypesPiece("operands", gives=2, each=True), required=["dimension"], changes=True,
)  # fmt: skip
MULTITILE_SIZES = _step(
    "structured.multitile_sizes",
    "Two sizes up to a target, and where to split, such that both together cover a dimension exactly.",
    _ANY, _ATTRIBUTES, TypesPiece(gives=3, alike=True), required=["dimension", "target_size"],
)  # fmt: skip
CONTINUOUS_TILE_SIZES = _step(
    "structured.continuous_tile_sizes", "Sizes that get smaller, and how much of a dimension each covers.",
    _ANY, _ATTRIBUTES, TypesPiece(gives=2, alike=True), required=["dimension", "target_size"],
)  # fmt: skip
LOOP_TILE = _step(
    "loop.tile", "Tile a perfect nest of loops: outer loops over tiles, inner ones in a tile. Gives the outermost loop.",
    _ONE, SizesPiece("= "), _ATTRIBUTES, _GIVES_ONE, changes=True,
)  # fmt: skip
LOOP_UNROLL = _step(
    "loop.unroll",
    "Do several iterations of a loop in one.",
    _ANY,
    _ATTRIBUTES,
    _OPERANDS,
    required=["factor"],
    changes=True,
)
LOOP_COALESCE = _step("loop.coalesce", "Make one loop of a perfect nest.", *_PLAIN, changes=True)
SIMPLIFY_BOUNDED = _step(
    "affine.simplify_bounded_affine_ops", "Simplify affine operations by the bounds of loops; bounds that are given beside are not needed.",
    _ONE, BoundsPiece(), _ATTRIBUTES, _OPERANDS, changes=True,
)  # fmt: skip
SIMPLIFY_MIN_MAX = _step(
    "affine.simplify_min_max_affine_ops", "Simplify minima and maxima of affine maps by the bounds of loops.",
    _ANY, _ATTRIBUTES, _OPERANDS, changes=True,
)  # fmt: skip
APPLY_REGISTERED_PASS = _step(
    "apply_registered_pass",
    "Run a pass, or a pipeline, on the operations of a handle; the handle, and all handles to operations inside, cannot be used afterwards.",
    StringPiece("pass_name"), WordPiece("to"), _ANY, _ATTRIBUTES, _GIVES_ONE,
)  # fmt: skip
APPLY_CSE, APPLY_DCE, APPLY_LICM = (
    _step(f"apply_{name}", summary, WordPiece("to"), _ANY, _ATTRIBUTES, _OPERANDS)
    for name, summary in (
        ("cse", "Compute equal values once, in the operations of a handle."),
        ("dce", "Erase operations without effect and use, in the operations of a handle."),
        ("licm", "Move loop invariants out of the loops in the operations of a handle."),
    )
)
PARAM_CONSTANT = _step("param.constant", "A parameter.", ValuePiece(), _ATTRIBUTES, TypesPiece("results"))
NUM_ASSOCIATIONS = _step("num_associations", "How many operations a handle names, as a parameter.", *_PLAIN)
MERGE_HANDLES = _step(
    "merge_handles", "One handle to the operations of several.",
    WordPiece("deduplicate", flag=True), _ANY, _ATTRIBUTES, TypesPiece("operands", gives=1),
)  # fmt: skip
SPLIT_HANDLE = _step(
    "split_handle", "A handle for each operation that a handle names.", _ANY, _ATTRIBUTES, _TYPES
)
GET_PARENT = _step(
    "get_parent_op",
    "The operation around each that a handle names: the next one, or that of the name ``op_name``.",
    *_PLAIN,
)
CAST = _step("cast", "The same handle with another type.", _ANY, _ATTRIBUTES, TypesPiece("cast"))
ANNOTATE = _step(
    "annotate",
    "Give an attribute without a value to operations.",
    _ANY,
    StringPiece("name"),
    _ATTRIBUTES,
    _OPERANDS,
    changes=True,
)
PRINT = _step("print", "Show the operations of a handle, on standard error.", _ANY, _ATTRIBUTES, _OPERANDS)
EMIT_REMARK = _step(
    "debug.emit_remark_at", "Say something at the place of every operation that a handle names.",
    _ONE, StringPiece("message", comma=True), _ATTRIBUTES, _OPERANDS,
)  # fmt: skip
MATCH_NAMED = _step(
    "ttl.match_named",
    "Find loops by their variable, or buffers, by the name in the program; ``kind`` is loop or buffer. ``a`` also finds ``a_dfb``.",
    _ONE, StringPiece("named", comma=True), _ATTRIBUTES, _GIVES_ONE, required=["kind"],
)  # fmt: skip
ALLOCATE_DST = _step(
    "ttl.allocate_dst_registers",
    "Decide the unit and the registers of every tile (``ttl-assign-dst``). Gives the compute regions.", *_PLAIN,
)  # fmt: skip
SCHEDULE_PIPELINE = _step(
    "ttl.schedule_pipeline",
    "Overlap data movement and computation; ``strategy`` is conservative, auto (the default) or aggressive.", *_PLAIN, changes=True,
)  # fmt: skip
OPTIMIZE_BUFFER_FACTOR = _step(
    "ttl.optimize_buffer_factor",
    "Choose how many blocks buffers hold (``ttl-buffer-factor``); ``factor`` is a number for all of them.", *_PLAIN, changes=True,
)  # fmt: skip
COALESCE_DMA = _step(
    "ttl.coalesce_dma",
    "Wait once for transfers that can be under way together (``ttkernel-merge-barriers``).",
    *_PLAIN,
)
REORDER_FOR_LOCALITY = _step(
    "ttl.reorder_for_locality",
    "Start transfers that do not depend on each other by what they read or write (``ttl-reorder-transfers``).", *_PLAIN, changes=True,
)  # fmt: skip
INSERT_PREFETCH = _step(
    "ttl.insert_prefetch",
    "Start the transfers of ``distance`` iterations of a loop before the first is waited for (``ttl-prefetch``).", *_PLAIN, changes=True,
)  # fmt: skip
SPLIT_K = _step(
    "ttl.split_k",
    "Let products of blocks take their inner dimension in ``parts`` parts, with blocks as many times smaller (``ttl-split-k``).", *_PLAIN, changes=True,
)  # fmt: skip

STEPS: tuple[type[TransformStep], ...] = (
    YieldStep, SEQUENCE, INCLUDE, FOREACH, ALTERNATIVES, MATCH, TILE_USING_FOR, SPLIT, MULTITILE_SIZES,
    CONTINUOUS_TILE_SIZES, LOOP_TILE, LOOP_UNROLL, LOOP_COALESCE, SIMPLIFY_BOUNDED, SIMPLIFY_MIN_MAX,
    APPLY_REGISTERED_PASS, APPLY_CSE, APPLY_DCE, APPLY_LICM, PARAM_CONSTANT, NUM_ASSOCIATIONS, MERGE_HANDLES,
    SPLIT_HANDLE, GET_PARENT, CAST, ANNOTATE, PRINT, EMIT_REMARK, MATCH_NAMED, ALLOCATE_DST, SCHEDULE_PIPELINE,
    OPTIMIZE_BUFFER_FACTOR, COALESCE_DMA, REORDER_FOR_LOCALITY, INSERT_PREFETCH, SPLIT_K,
)  # fmt: skip


def dialect() -> Dialect:
    """The dialect."""
    operations: list[type[Operation]] = [NamedSequenceOp, *STEPS]
    return Dialect("transform", operations, [AnyOpType, AnyValueType, AnyParamType, OperationType, ParamType])
