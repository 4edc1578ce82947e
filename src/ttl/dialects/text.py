"""IR as text, both ways."""

from __future__ import annotations

from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.ir import Dialect

from ttl.dialects.mask import WriteMaskOp
from ttl.dialects.parser import parse_text
from ttl.dialects.printer import print_module
from ttl.dialects.scaler import WriteScalerOp
from ttl.dialects.tiles import TILE_OPERATIONS
from ttl.dialects.ttl import TTL

__all__ = ["context", "parse_module", "print_module"]


def context(*, allow_unregistered: bool = False) -> Context:
    """A context in which our dialect and those of MLIR that it is used with can be read."""
    made = Context(allow_unregistered=allow_unregistered)
    made.load_dialect(Builtin)
    made.load_dialect(TTL)
    for op in TILE_OPERATIONS:
        made.load_op(op)
    made.load_op(WriteScalerOp)
    made.load_op(WriteMaskOp)
    for name in ("affine", "arith", "cf", "func", "math", "memref", "scf", "tensor", "ttkernel"):
        made.register_dialect(name, partial(_upstream, name))
    return made


def _upstream(name: str) -> Dialect:
    match name:
        case "affine":
            from xdsl.dialects.affine import Affine as found
        case "arith":
            from xdsl.dialects.arith import Arith as found
        case "cf":
            from xdsl.dialects.cf import Cf as found
        case "func":
            from xdsl.dialects.func import Func as found
        case "math":
            from xdsl.dialects.math import Math as found
        case "memref":
            from xdsl.dialects.memref import MemRef as found
        case "scf":
            from xdsl.dialects.scf import Scf as found
        case "ttkernel":
            from ttl.dialects.ttkernel import dialect

            found = dialect()
        case _:
            from xdsl.dialects.tensor import Tensor as found
    return found


def parse_module(text: str, file: str = "<string>", *, allow_unregistered: bool = False) -> ModuleOp:
    """A module from its text; operations get their places in it. Raises ``InvalidText``."""
    return parse_text(context(allow_unregistered=allow_unregistered), text, file)
