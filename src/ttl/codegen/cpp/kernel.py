"""One kernel as a file of C++."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from ttl.codegen.cpp.arithmetic import HELPERS
from ttl.codegen.cpp.body import Body, is_expression
from ttl.codegen.cpp.comments import Comments
from ttl.codegen.cpp.demand import Demand
from ttl.codegen.cpp.header import header
from ttl.codegen.cpp.intervals import ANY, NATURAL, Interval
from ttl.codegen.cpp.names import Names
from ttl.codegen.cpp.ranges import Ranges
from ttl.codegen.cpp.types import POINTER
from ttl.codegen.cpp.writer import Writer
from ttl.dialects.ttkernel import (
    AccessorOp,
    CallOp,
    CommonArgOp,
    GetCBOp,
    GetSemaphoreOp,
    KernelOp,
    ProgramOp,
)
from ttl.kernel_api.model import BASE_HEADERS
from ttl.ops.row import Generation

_REDUCE_HEADER = "api/compute/reduce.h"
_ACCESSOR_HEADER = "api/tensor/tensor_accessor.h"


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
        self._resources: dict[SSAValue, str] = {}
        self._addresses: dict[SSAValue, str] = {}

    def text(self) -> str:
        """The file."""
        start, rest = Writer(), Writer()
        with start.indented():
            self._buffers(start)
            self._accessors(start)
            self._semaphores(start)
        body = Body(
            self._kernel,
            self._generation,
            writer=rest,
            names=self._names,
            ranges=self._ranges,
            demand=self._demand,
            comments=self._comments,
            resources=self._resources,
            addresses=self._addresses,
        )
        with rest.indented():
            body.block(self._kernel.body.block)
        self._headers |= body.headers
        gap = "" if start.is_empty or rest.is_empty else "\n"
        parts = [
            header(self._program, self._kernel, self._names_of(GetCBOp)),
            self._includes(body.arithmetic.headers),
            *(HELPERS[each] for each in sorted(body.arithmetic.helpers)),
            f"void kernel_main() {{\n{start.text()}{gap}{rest.text()}}}\n",
        ]
        return "\n".join(part for part in parts if part)

    def _names_of(self, kind: type[GetCBOp | AccessorOp]) -> set[str]:
        return {
            op.declared_name
            for op in self._kernel.body.walk()
            if isinstance(op, kind) and self._demand.count(op.result)
        }

    def _declared(self, kind: type[Operation], name: str) -> list[SSAValue]:
        return [
            op.results[0]
            for op in self._kernel.body.walk()
            if isinstance(op, kind) and op.declared_name == name and self._demand.count(op.results[0])  # type: ignore[attr-defined]
        ]

    def _buffers(self, writer: Writer) -> None:
        used = self._names_of(GetCBOp)
        found = [each for each in self._program.buffers if each.declared_name in used]
        for buffer in sorted(found, key=lambda each: each.index):
            variable = self._names.fresh(buffer.declared_name, "cb")
            writer.line(f"constexpr uint32_t {variable} = {buffer.index};")
            for value in self._declared(GetCBOp, buffer.declared_name):
                self._resources[value] = variable

    def _accessors(self, writer: Writer) -> None:
        used = self._names_of(AccessorOp)
        last = max((i for i, name in enumerate(self._kernel.accessors) if name in used), default=-1)
        offset, lines = "0", []
        for name in self._kernel.accessors[: last + 1]:
            arguments = self._names.fresh(f"{name}_args", "args")
            writer.line(f"constexpr auto {arguments} = TensorAccessorArgs<{offset}>();")
            offset = f"{arguments}.next_compile_time_args_offset()"
            if name not in used:
                continue
            variable = self._names.fresh(name, "tensor")
            address = f"get_common_arg_val<uint32_t>({self._kernel.common_args.index(f'address({name})')})"
            lines.append(f"const auto {variable} = TensorAccessor({arguments}, {address});")
            for value in self._declared(AccessorOp, name):
                self._resources[value] = variable
            self._headers.add(_ACCESSOR_HEADER)
        for line in lines:
            writer.line(line)

    def _semaphores(self, writer: Writer) -> None:
        for semaphore in self._program.semaphores:
            values = self._declared(GetSemaphoreOp, semaphore.declared_name)
            if not values:
                continue
            users = [use.operation for value in values for use in value.uses]
            reads = [isinstance(user, CallOp) and user.call.name == "get_semaphore_address" for user in users]
            address = f"get_semaphore({semaphore.id})"
            if any(reads):
                variable = self._names.fresh(f"{semaphore.declared_name}_address", "semaphore_address")
                writer.line(f"const uint32_t {variable} = {address};")
                address = variable
                self._addresses.update(dict.fromkeys(values, variable))
            variable = self._names.fresh(semaphore.declared_name, "semaphore")
            if not all(reads):
                writer.line(f"const auto {variable} = reinterpret_cast<{POINTER}>({address});")
            self._resources.update(dict.fromkeys(values, variable))

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
