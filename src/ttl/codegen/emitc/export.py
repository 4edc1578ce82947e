"""A program of kernels as a module of ``emitc``: one ``emitc.file`` for each kernel.

``ttmlir-translate --mlir-to-cpp --file-id=read.cpp`` prints one file. A ``while`` loop, which ``emitc`` cannot express,
gives a diagnostic.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Operation

from ttl.codegen.cpp.arithmetic import HELPERS
from ttl.codegen.cpp.facts import KernelFacts
from ttl.codegen.cpp.sources import file_names
from ttl.codegen.emitc.body import EmitcBody
from ttl.diag import Diagnostic, error
from ttl.dialects.ttkernel import KernelOp, ProgramOp
from ttl.emitc.dialect import operation
from ttl.ir.failure import NotLowered, placed
from ttl.rows.row import Generation


def export(program: ProgramOp, generation: Generation = "0.81") -> ModuleOp:
    """Return the kernels of a program in ``emitc``. Raises ``NotLowered`` for ``while`` loops, which have no form."""
    refused = [placed(_no_while(), _test_of(op)) for op in program.walk() if isinstance(op, scf.WhileOp)]
    if refused:
        raise NotLowered(refused)
    names = file_names(program)
    files: list[Operation] = []
    for kernel in program.kernels:
        body = EmitcBody(KernelFacts(program, kernel), generation)
        content = Block(_content(program, kernel, body))
        identifier = StringAttr(names[kernel.declared_name])
        file = operation("file", regions=[content], id=identifier)
        file.location = kernel.location
        files.append(file)
    return ModuleOp(files)


def _content(program: ProgramOp, kernel: KernelOp, body: EmitcBody) -> list[Operation]:
    main = body.function()
    facts = body.facts
    lines = [operation("verbatim", value=StringAttr(line)) for line in facts.comment().splitlines()]
    standard = [
        operation("include", include=StringAttr(name), is_standard_include=UnitAttr())
        for name in facts.standard_headers(body.standard)
    ]
    macros = [
        operation("verbatim", value=StringAttr(line)) for line in facts.macros(body.generation, body.headers)
    ]
    own = [operation("include", include=StringAttr(name)) for name in facts.kernel_headers(body.headers)]
    helpers = [
        operation("verbatim", value=StringAttr(HELPERS[helper].rstrip())) for helper in sorted(body.helpers)
    ]
    function = operation(
        "func",
        regions=[main],
        sym_name=StringAttr("kernel_main"),
        function_type=FunctionType.from_lists([], []),
    )
    function.location = kernel.location
    return [*lines, *standard, *macros, *own, *helpers, function]


def _test_of(loop: scf.WhileOp) -> Operation:
    """Return the operation that decides whether a loop continues; its location is that of the condition."""
    end = loop.before_region.block.last_op
    if isinstance(end, scf.ConditionOp) and isinstance(end.condition.owner, Operation):
        return end.condition.owner
    return loop


def _no_while() -> Diagnostic:
    return error(
        "TTL1490",
        "a while loop has no form in emitc",
        notes=("emitc has only loops that count",),
        help="write a for loop with a range, or print C++ with --emit cpp, which has while loops",
    )
