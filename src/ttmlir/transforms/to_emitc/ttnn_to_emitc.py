"""``convert-ttnn-to-emitc``: operations become calls of the C++ library, for ``ttmlir-translate --mlir-to-cpp``."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from ttl.emitc.printer import print_cpp
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, reports_of
from ttmlir.standalone.cpp_api import CPP_APIS, CppApi
from ttmlir.standalone.to_emitc import LibraryConversion
from ttmlir.transforms.decompose_layouts import in_steps


@dataclass(frozen=True)
class ConvertTTNNToEmitC(ModulePass):
    """Convert TTNN to EmitC.

    Expects: functions of TTNN operations with layouts; a ``ttnn.to_layout`` that stands for several steps is decomposed
    first. Guarantees: functions of the same names on ``ttnn::Tensor``, behind an include of ``ttnn-precompiled.hpp``;
    attributes of the module stay. ``api`` is the date or release of the library that is called: ``2024-11``, or
    ``0.81``. If a conversion is refused, the module stays unchanged.
    """

    name = "convert-ttnn-to-emitc"
    api: str = "2024-11"

    def __post_init__(self) -> None:
        api_of(self.api)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        converted = emitc_of(in_steps(ctx, op), api_of(self.api))
        region = op.body
        region.detach_block(region.block)
        region.add_block(converted)


def emitc_of(module: ModuleOp, api: CppApi) -> Block:
    """Return the block of a converted module; the module stays unchanged. Raises ``NotLegalized``."""
    conversion = LibraryConversion(api)
    operations: list[Operation] = [conversion.include()]
    refused = []
    for op in module.body.block.ops:
        if isinstance(op, FuncOp):
            operations.append(conversion.function(op))
        else:
            refused.append((op, Refusal("it is not a function", "what works: functions of TTNN operations")))
    refused += conversion.refused
    if refused:
        raise NotLegalized(reports_of(refused))
    return Block(operations)


def cpp_of(module: ModuleOp, api: CppApi = "2024-11") -> str:
    """Return the C++ of a module; the module stays unchanged. Raises ``NotLegalized``."""
    converted = ModuleOp([])
    converted.body.detach_block(converted.body.block)
    converted.body.add_block(emitc_of(module, api))
    return print_cpp(converted)


def api_of(text: str) -> CppApi:
    """The API that an option names. Raises ``ValueError``."""
    for api in CPP_APIS:
        if text == api:
            return api
    raise ValueError(f"api is {text}; it is one of {', '.join(CPP_APIS)}")
