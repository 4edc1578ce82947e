"""What ``ttmlir-opt`` is made of: the dialects of TT-MLIR, its passes, and those of MLIR that go with them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from xdsl.passes import ModulePass

from ttl.ir import upstream
from ttl.ir.context import DialectTable
from ttl.ir.tool import Tool


def _dialects() -> DialectTable:
    # The rooms of this half arrive one after the other.
    if find_spec("ttmlir.operations.dialects") is None:
        return {}
    table: DialectTable = import_module("ttmlir.operations.dialects").DIALECTS
    return table


def _passes() -> tuple[type[ModulePass], ...]:
    if find_spec("ttmlir.transforms.pipelines") is None:
        return upstream.PASSES
    ours: tuple[type[ModulePass], ...] = import_module("ttmlir.transforms.pipelines").PASSES
    names = {kind.name for kind in ours}
    return (*ours, *(kind for kind in upstream.PASSES if kind.name not in names))


TTMLIR_OPT = Tool(name="ttmlir-opt", dialects=_dialects(), passes=_passes())
main = TTMLIR_OPT.main
