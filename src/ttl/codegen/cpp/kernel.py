"""One kernel as a file of C++."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from ttl.codegen.cpp.arithmetic import HELPERS
from ttl.codegen.cpp.body import Body, is_expression
from ttl.codegen.cpp.comments import Comments
from ttl.codegen.cpp.demand import Demand
from ttl.codegen.cpp.header import header
from ttl.codegen.cpp.intervals import ANY, NATURAL, Interval
from ttl.codegen.cpp.names import Names
from ttl.codegen.cpp.preamble import Preamble
from ttl.codegen.cpp.ranges import Ranges
from ttl.codegen.cpp.writer import Writer
from ttl.dialects.ttkernel import (
    CallOp,
    CommonArgOp,
    KernelOp,
    ProgramOp,
)
from ttl.kernel_api.model import BASE_HEADERS
from ttl.ops.row import Generation

_REDUCE_HEADER = "api/compute/reduce.h"


class KernelPrinter:
    """Prints one kernel of a program for a generation of the kernel API."""

    def __init__(
        self, program: ProgramOp, kernel: KernelOp, generation: Generation, *, line_directives: bool
    ) -> None:
        self._program = program
        self._kernel = kernel
        self._generation = generation
        self._names = Names()
        self._ranges = Ranges(kernel.body, _given(program))
        self._demand = Demand(kernel.body, is_expression=is_expression, ranges=self._ranges)
        self._comments = Comments(line_directives=line_directives)
        self._headers: set[str] = set(BASE_HEADERS["tensix" if kernel.thread == "tensix" else "noc"])

    def text(self) -> str:
        """The file."""
        preamble = Preamble(self._program, self._kernel, self._names, self._demand)
        writer = Writer()
        body = Body(
            self._kernel,
            self._generation,
            writer=writer,
            names=self._names,
            ranges=self._ranges,
            demand=self._demand,
            comments=self._comments,
            resources=preamble.resources,
            addresses=preamble.addresses,
        )
        with writer.indented():
            for line in preamble.lines:
                writer.line(line)
            if preamble.lines:
                writer.line()
            body.block(self._kernel.body.block)
        self._headers |= body.headers | preamble.headers
        parts = [
            header(self._program, self._kernel, preamble.buffers),
            self._includes(body.arithmetic.headers),
            *(HELPERS[each] for each in sorted(body.arithmetic.helpers)),
            f"void kernel_main() {{\n{writer.text()}}}\n",
        ]
        return "\n".join(part for part in parts if part)

    def _includes(self, standard: set[str]) -> str:
        lines = [f"#include <{name}>" for name in sorted({"cstdint", *standard})]
        lines.append("")
        if self._generation == "0.69" and _REDUCE_HEADER in self._headers:
            lines += self._reduce_macros()
        lines += [f'#include "{name}"' for name in sorted(self._headers)]
        return "\n".join(lines) + "\n"

    def _reduce_macros(self) -> list[str]:
        """This generation's header of reductions asks for what they usually are, as macros."""
        for op in self._kernel.body.walk():
            if isinstance(op, CallOp) and {"pool", "dim"} <= op.constants.keys():
                constants = op.constants
                return [
                    f"#define REDUCE_OP {constants['pool']}",
                    f"#define REDUCE_DIM {constants['dim']}",
                    "",
                ]
        return ["#define REDUCE_OP PoolType::SUM", "#define REDUCE_DIM ReduceDim::REDUCE_ROW", ""]


def _given(program: ProgramOp) -> Callable[[Operation], Interval]:
    """What is known of what the kernel API gives."""
    grid = program.grid
    nodes = 1
    for extent in grid:
        nodes *= extent
    largest = max(grid) if len(grid) <= 2 else nodes

    def interval(op: Operation) -> Interval:
        match op:
            case CommonArgOp():
                return NATURAL
            case CallOp():
                if op.call.name.startswith("get_absolute_logical"):
                    return Interval(0, max(largest - 1, 0))
                return NATURAL
        return ANY

    return interval
