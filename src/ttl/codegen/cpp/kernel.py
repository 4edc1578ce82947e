"""One kernel as a file of C++."""

from __future__ import annotations

from ttl.codegen.cpp.arithmetic import HELPERS
from ttl.codegen.cpp.body import Body
from ttl.codegen.cpp.comments import Comments
from ttl.codegen.cpp.facts import KernelFacts
from ttl.codegen.cpp.writer import Writer
from ttl.dialects.ttkernel import KernelOp, ProgramOp
from ttl.ops.row import Generation


def kernel_text(
    program: ProgramOp, kernel: KernelOp, generation: Generation, *, line_directives: bool = False
) -> str:
    """The file of one kernel."""
    facts = KernelFacts(program, kernel)
    writer = Writer()
    body = Body(facts, generation, writer=writer, comments=Comments(line_directives=line_directives))
    with writer.indented():
        for line in facts.preamble.lines:
            writer.line(line)
        if facts.preamble.lines:
            writer.line()
        body.block(kernel.body.block)
    macros = facts.macros(generation, body.headers)
    includes = [
        *(f"#include <{each}>" for each in facts.standard_headers(body.arithmetic.headers)),
        "",
        *((*macros, "") if macros else ()),
        *(f'#include "{each}"' for each in facts.kernel_headers(body.headers)),
    ]
    parts = [
        facts.comment(),
        "\n".join(includes) + "\n",
        *(HELPERS[each] for each in sorted(body.arithmetic.helpers)),
        f"void kernel_main() {{\n{writer.text().rstrip()}\n}}\n",
    ]
    return "\n".join(parts)
