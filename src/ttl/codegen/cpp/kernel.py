"""A kernel as a file of C++."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Operation

from ttl.codegen.cpp.arithmetic import HELPERS
from ttl.codegen.cpp.body import BodyPrinter
from ttl.codegen.cpp.branches import write_if
from ttl.codegen.cpp.comments import Comments
from ttl.codegen.cpp.debug import write_extern, write_print, write_zone
from ttl.codegen.cpp.facts import KernelFacts
from ttl.codegen.cpp.loops import write_for, write_while
from ttl.codegen.cpp.writer import CppWriter
from ttl.dialects.external import ExternCallOp
from ttl.dialects.ttkernel import DPrintOp, KernelOp, ProgramOp, ZoneOp
from ttl.rows.row import Generation
from ttl.source.spans import Span

_WRITERS: Mapping[type[Operation], Callable[[BodyPrinter, Any], None]] = MappingProxyType(
    {
        scf.ForOp: write_for,
        scf.WhileOp: write_while,
        scf.IfOp: write_if,
        DPrintOp: write_print,
        ZoneOp: write_zone,
        ExternCallOp: write_extern,
    }
)


@dataclass(frozen=True, slots=True)
class KernelFile:
    """The file of one kernel. ``lines`` has the place in the user's program of its lines, numbered from 1."""

    text: str
    lines: Mapping[int, Span]


def kernel_file(program: ProgramOp, kernel: KernelOp, generation: Generation) -> KernelFile:
    """The file of one kernel."""
    facts = KernelFacts(program, kernel)
    writer = CppWriter()
    comments = Comments()
    body = BodyPrinter(facts, generation, writer=writer, comments=comments, writers=_WRITERS)
    with writer.indented():
        for line in facts.preamble.lines:
            writer.line(line)
        if facts.preamble.lines:
            writer.line()
        body.block(kernel.body.block)
    macros = facts.macros(generation, body.headers)
    includes = [
        *(f"#include <{header}>" for header in facts.standard_headers(body.arithmetic.headers)),
        "",
        *((*macros, "") if macros else ()),
        # The user's headers (absolute paths) come last, because they use those of the kernel API.
        *(f'#include "{header}"' for header in sorted(facts.kernel_headers(body.headers), key=os.path.isabs)),
    ]
    head = "\n".join(
        (
            facts.comment(),
            "\n".join(includes) + "\n",
            *(HELPERS[helper] for helper in sorted(body.arithmetic.helpers)),
            "void kernel_main() {\n",
        )
    )
    first = head.count("\n") + 1
    return KernelFile(
        text=f"{head}{writer.text().rstrip()}\n}}\n",
        lines={first + number: span for number, span in writer.spans()},
    )
