"""A kernel as a file of C++ in the form of 2024-11-21: what the serialiser of that day wrote into ``.ttm`` files.

The body of a region becomes a function, is converted to ``emitc`` and printed. What is around it is the same for all kernels of a
processor, whatever they use. No kernel API of a published ttnn has these paths and names any more: ``docs/ttmlir/cpp.md`` lists the
differences.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation

from ttl.emitc.dialect import operation
from ttl.emitc.printer import print_cpp
from ttmlir.attributes.ttkernel import NocConfigAttr, TensixConfigAttr
from ttmlir.transforms.ttkernel_to_emitc import ConvertTTKernelToEmitC, kernel_function

_COMPUTE = "compute_kernel_api/"
_COMPUTE_HEADERS = (
    "common.h",
    "tilize.h",
    "untilize.h",
    "eltwise_binary.h",
    "tile_move_copy.h",
    "eltwise_unary/eltwise_unary.h",
    "eltwise_unary/exp.h",
    "eltwise_unary/sfpu_split_includes.h",
    "eltwise_unary/recip.h",
)
_MACROS = ("#define REDUCE_OP PoolType::SUM", "#define REDUCE_DIM ReduceDim::REDUCE_COL")


def emitc_module(block: Block, config: Attribute) -> ModuleOp:
    """The module of ``emitc`` of a kernel. Raises ``NotLegalized``."""
    function = kernel_function(block, "kernel_main")
    converted = ModuleOp([function])
    ConvertTTKernelToEmitC().apply(Context(), converted)
    body = converted.body.block
    body.insert_ops_before(list(_before(config)), function)
    body.add_ops(_after(config))
    return converted


def text_of_2024(block: Block, config: Attribute) -> str:
    """The file of a kernel. Raises ``NotLegalized``."""
    return print_cpp(emitc_module(block, config))


def _before(config: Attribute) -> Iterator[Operation]:
    yield operation("include", include=StringAttr("cstdint"), is_standard_include=UnitAttr())
    match config:
        case NocConfigAttr():
            yield _include("dataflow_api.h")
        case TensixConfigAttr():
            yield _include("llk_defs.h")
            yield from (_include(f"{_COMPUTE}{name}") for name in _COMPUTE_HEADERS)
            yield from map(_verbatim, _MACROS)
            yield _include(f"{_COMPUTE}reduce.h")
            yield _verbatim("namespace NAMESPACE {")


def _after(config: Attribute) -> Iterator[Operation]:
    if isinstance(config, TensixConfigAttr):
        yield _verbatim("void MAIN { kernel_main(); }")
        yield _verbatim("} // namespace NAMESPACE")


def _include(name: str) -> Operation:
    return operation("include", include=StringAttr(name))


def _verbatim(text: str) -> Operation:
    return operation("verbatim", value=StringAttr(text))
