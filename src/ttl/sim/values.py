"""Values, and the expressions over them that a store turns into values.

A ``Value`` is immutable data of a block's type: a view of a tensor, a computed array, or an expression still to
be computed (``root``). Blocks and pipes pass references to values; nothing is copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ttl import control
from ttl.diag import error
from ttl.lang.expr import BlockExpr, is_same
from ttl.rows.dtypes import Array, DType
from ttl.rows.row import Op, Params, Valid
from ttl.rows.table import OPS
from ttl.rows.types import BlockType
from ttl.sim import show
from ttl.source.code import is_author_equality
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl._core import Expr as _EXPR
    from ttl._core import Value as _VALUE
    from ttl.sim.kernel import RunningLaunch
    from ttl.sim.storage import Storage


if not TYPE_CHECKING:
    _VALUE = control.base("Value", ("array", "epoch", "exact", "root", "storage", "type", "valid"))
    _EXPR = control.base(
        "Expr",
        ("args", "engine", "op", "params", "reads", "site", "size", "type", "used", "valid", "value"),
    )


@control.accelerated
class Value(_VALUE):
    """Data of a block.

    Exactly one of ``array`` (in storage type and element shape; smaller than the block where the rest is
    padding) and ``root`` (the expression that yields it) is set. ``storage`` and ``epoch`` are set when
    ``array`` is a view of a tensor: should the tensor change later, ``memory`` finds the data as they were.
    ``exact`` values are not rounded (partial results of one expression).
    """

    __slots__ = ()

    def __init__(
        self,
        type: BlockType,
        valid: Valid,
        array: Array | None,
        root: Expr | None = None,
        storage: Storage | None = None,
        epoch: int = 0,
        exact: bool = False,
    ) -> None:
        self.type = type
        self.valid = valid
        self.array = array
        self.root = root
        self.storage = storage
        self.epoch = epoch
        self.exact = exact


class Expr(_EXPR, BlockExpr):
    """One application of an operation. ``args`` are values, expressions and numbers."""

    __slots__ = ()

    def __init__(
        self,
        engine: RunningLaunch,
        op: Op,
        args: list[Any],
        params: Params,
        type: BlockType,
        valid: Valid,
        size: int,
        reads: bool,
        site: Site | None,
    ) -> None:
        self.engine = engine
        self.op = op
        self.args = args
        self.params = params
        self.type = type
        self.valid = valid
        self.size = size
        self.reads = reads
        self.used = False
        # The result, once the expression is computed by itself; its other users take it from here.
        self.value: Value | None = None
        self.site = site

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        return self.engine.apply(op, operands, params)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape in tiles (tiled) or elements (row-major)."""
        return self.type.shape

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self.type.dtype

    def __repr__(self) -> str:
        self.used = True
        pending = self.engine.pending
        return show.expression(self.op.name, self.type, pending.array_of(pending.value_of(self)))

    def __del__(self) -> None:
        try:
            if not self.used and self.reads:
                self.engine.note_unused(self.site)
        except AttributeError:  # made by __new__ alone, as copy and pickle do
            return


control.accelerated(Expr)
if control.NATIVE:
    del Expr.__del__  # the native base class notes unused expressions
control.register(expr=Expr, value=Value)
control.configure("arrays", np.asarray, np.ascontiguousarray)
control.configure(
    "operators", {op.dunder: op for op in OPS if op.dunder is not None}, is_same, is_author_equality
)


def fail_uncomputed(engine: RunningLaunch) -> NoReturn:
    """Raise the error for a value without data: computing it failed, and the program caught that and continued.

    It is reported where the value is needed, which may be the end of the operation.
    """
    engine.fail(
        error(
            "TTL1103",
            "a block holds a value whose computation has failed",
            notes=("an exception ended the computation, and the program caught it and continued",),
            help="let the exception end the operation, or make room before it: the values are lost",
        )
    )
