"""Facts about a kernel that are collected before it is printed."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Mapping
from functools import cache
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, OpResult, SSAValue

from ttl.analysis.dominance import inside
from ttl.analysis.intervals import ANY, WORD, Interval
from ttl.analysis.ranges import Ranges
from ttl.arch import all_chips
from ttl.codegen.cpp.comments import file_name
from ttl.codegen.cpp.demand import Demand
from ttl.codegen.cpp.names import Names
from ttl.codegen.cpp.preamble import SEMAPHORE_ADDRESS, Preamble
from ttl.codegen.cpp.writer import LONGEST_LINE
from ttl.diag.internal import version
from ttl.dialects.elements import TileType, dtype_and_layout
from ttl.dialects.layouts import EncodingAttr, LayoutAttr
from ttl.dialects.ttkernel import (
    AccessorOp,
    CircularBufferOp,
    CommonArgOp,
    DPrintOp,
    GetCBOp,
    GetSemaphoreOp,
    KernelCallOp,
    KernelOp,
    ProgramOp,
    TableOp,
    TensorArgOp,
    class_of,
)
from ttl.ir.locations import span_of
from ttl.kernel_api.function_rows import BASE_HEADERS
from ttl.passes.marks import WHY
from ttl.rows.row import Generation
from ttl.rows.types import WHOLE_TILE

# Calls that return an address in the memory of a node, or a size in it.
_IN_MEMORY = (
    SEMAPHORE_ADDRESS,
    *map(
        class_of,
        (
            *("get_write_ptr", "get_read_ptr", "get_tile_size"),
            *("semaphore_address_of_number", "zeros_address", "zeros_size"),
        ),
    ),
)
# A coordinate of a node on the network: 6 bits of an address (``NOC_ADDR_NODE_ID_BITS`` of tt-metal's noc_parameters.h).
_COORDINATE = Interval(0, 63)
# The numbers of chips and meshes in the fabric.
_OF_FABRIC = Interval(0, 2**16 - 1)
_REDUCE_HEADER = "api/compute/reduce.h"


def is_expression(op: Operation) -> bool:
    """Whether an operation has no effect: it is written where its result is used."""
    return _is_expression(type(op)) and len(op.results) == 1


@cache
def _is_expression(kind: type[Operation]) -> bool:
    if issubclass(kind, KernelCallOp):
        return kind.CALL.effect == "pure" and kind.CALL.result is not None
    return kind.name.startswith("arith.") or issubclass(
        kind, GetCBOp | AccessorOp | GetSemaphoreOp | CommonArgOp | TableOp
    )


class KernelFacts:
    """Facts about a kernel, and the parts of its file around its body."""

    def __init__(self, program: ProgramOp, kernel: KernelOp) -> None:
        self.program = program
        self.kernel = kernel
        self.names = Names()
        self.ranges = Ranges(kernel.body, _given(program))
        self.demand = Demand(kernel.body, is_expression=is_expression, ranges=self.ranges)
        self.preamble = Preamble(program, kernel, self.names, self.demand, self.ranges)
        self.only_printed = _only_printed(kernel)

    def comment(self) -> str:
        """The comment at the top of the file."""
        return header(self.program, self.kernel, self.preamble.buffers)

    def standard_headers(self, used: Collection[str]) -> list[str]:
        """Headers of the C++ library, in order."""
        return sorted({"cstdint", *used})

    def kernel_headers(self, used: Collection[str]) -> list[str]:
        """Headers of the kernel API, in order."""
        base = BASE_HEADERS["tensix" if self.kernel.thread == "tensix" else "noc"]
        return sorted({*base, *used, *self.preamble.headers})

    def macros(self, generation: Generation, used: Collection[str]) -> list[str]:
        """Return the macros that the headers of a generation expect to be defined before them.

        The older header of reductions reads the usual pool and dimension of the kernel's reductions from macros.
        """
        if generation != "0.69" or _REDUCE_HEADER not in used:
            return []
        pool, dim = "PoolType::SUM", "ReduceDim::REDUCE_ROW"
        for op in inside(self.kernel):
            if isinstance(op, KernelCallOp) and {"pool", "dim"} <= op.constants.keys():
                pool, dim = op.constants["pool"], op.constants["dim"]
                break
        return [f"#define REDUCE_OP {pool}", f"#define REDUCE_DIM {dim}"]


def _only_printed(kernel: KernelOp) -> set[SSAValue]:
    """The results that only prints use. The users of a result come after it."""
    ops = inside(kernel)
    printed: set[SSAValue] = set()
    for op in reversed(ops) if any(isinstance(op, DPrintOp) for op in ops) else ():
        for result in op.results:
            users = {use.operation for use in result.uses}
            if users and all(
                isinstance(user, DPrintOp) or _is_computed_from(user, printed) for user in users
            ):
                printed.add(result)
    return printed


def _is_computed_from(op: Operation, printed: set[SSAValue]) -> bool:
    return op.name.startswith("arith.") and bool(op.results) and printed.issuperset(op.results)


def _given(program: ProgramOp) -> Callable[[OpResult], Interval]:
    """Return a function that gives the interval of a result of the kernel API."""
    grid = program.grid
    nodes = 1
    for extent in grid:
        nodes *= extent
    largest = max(grid) if len(grid) <= 2 else nodes
    chips = prod(program.mesh)
    memory = Interval(0, max(chip.l1_bytes for chip in all_chips()))

    def interval(result: OpResult) -> Interval:
        match result.op:
            case TableOp():
                return Interval(min(result.op.members), max(result.op.members))
            case KernelCallOp():
                if result.op.call.name.startswith("get_absolute_logical"):
                    return Interval(0, max(largest - 1, 0))
                return memory if isinstance(result.op, _IN_MEMORY) else WORD
            case CommonArgOp():
                entry = result.op.entry
                if entry == "chip()":
                    return Interval(0, chips - 1)
                if entry.startswith("semaphore("):
                    return memory
                if entry.startswith("fabric_"):
                    return _OF_FABRIC
                return _COORDINATE if entry.startswith("noc_") else WORD
        return ANY

    return interval


def header(program: ProgramOp, kernel: KernelOp, buffers: Mapping[str, str]) -> str:
    """Return lines of comment: operation, kernel, source, tensors with their shapes, buffers with their pages.

    ``buffers`` are the buffers that the kernel uses: their names in the kernel, by their declared names.
    """
    span = span_of(kernel) or span_of(program)
    place = f" ({file_name(span)}:{span.line})" if span is not None else ""
    lines = [
        f"Kernel {kernel.declared_name} of operation {program.program_name}{place}: {_runs_on(program, kernel)}."
    ]
    tensors = set(kernel.accessors)
    lines += [_tensor(op) for op in program.tensors if op.declared_name in tensors]
    lines += [_buffer(op, buffers[op.declared_name]) for op in program.buffers if op.declared_name in buffers]
    lines.append(f"Generated by ttl {version()}.")
    return "".join(f"{piece}\n" for line in lines for piece in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(
        line,
        LONGEST_LINE,
        initial_indent="// ",
        subsequent_indent="//     ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _runs_on(program: ProgramOp, kernel: KernelOp) -> str:
    grid = "x".join(map(str, program.grid))
    if kernel.thread == "tensix":
        return f"compute, on {grid} nodes"
    processor = f" on {kernel.processor.upper()}" if kernel.processor else ""
    noc = f" with NoC {kernel.noc}" if kernel.noc is not None else ""
    return f"data movement{processor}{noc}, on {grid} nodes"


def _tensor(tensor: TensorArgOp) -> str:
    dtype, _ = dtype_and_layout(tensor.type.element_type)
    shape = "x".join(map(str, tensor.type.get_shape()))
    return f"{tensor.declared_name}: {shape} {dtype.name}{_stored(tensor)}"


def _stored(tensor: TensorArgOp) -> str:
    encoding = tensor.type.encoding
    if not isinstance(encoding, EncodingAttr) or not isinstance(encoding.layout, LayoutAttr):
        return ""
    layout = encoding.layout
    words = [layout.tensor_order.value.replace("_", "-"), layout.memory_layout.value.replace("_", "-")]
    if layout.shard_shape is not None:
        words.append(f"shards of {'x'.join(map(str, layout.shard_shape))}")
    return f", {', '.join(words)}, in {encoding.memory_space.value.upper()}"


def _buffer(buffer: CircularBufferOp, name: str) -> str:
    dtype, _ = dtype_and_layout(buffer.element_type)
    kind = dtype.name
    if isinstance(buffer.element_type, TileType):
        tile = buffer.element_type.extents
        kind += " tile" if tile == WHOLE_TILE else f" tile of {tile[0]}x{tile[1]}"
    count = "1 page" if buffer.pages == 1 else f"{buffer.pages} pages"
    text = f"{name}: {count} of {buffer.page_bytes} bytes ({kind})"
    if buffer.memory is not None:
        text += f", the memory of {buffer.memory} from byte {buffer.byte_offset} of its shards on"
    if buffer.made_by == "compiler":
        text += ", made by the compiler"
        why = buffer.attributes.get(WHY)
        text += f": {' '.join(why.data.split())}" if isinstance(why, StringAttr) else ""
    return text
