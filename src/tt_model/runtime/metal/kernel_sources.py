"""The kernels of a command as a program of the emulated chip: C++, circular buffers as in the file, semaphores."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from tt_model.layouts.elements import LIBRARY_TYPES
from tt_model.layouts.enums import DataType
from tt_model.runtime.metal.chip import ZEROS
from tt_model.runtime.metal.tables import (
    MOST_SEMAPHORES,
    Core,
    MetalBuffer,
    MetalCommand,
    MetalKernel,
    MetalTensor,
)
from tt_model.runtime.problems import RuntimeProblem
from ttl.emu.program import ChipKernel, ChipSemaphore, CircularBuffer, Fidelity, Program
from ttl.rows.row import Generation

# The kernel API for which this compiler writes files.
GENERATION: Generation = "0.81"
_FORMATS = {DataType.Float16: "float16", **LIBRARY_TYPES}
# Includes of headers by their paths of 2024.
_OF_2024 = re.compile(r'^\s*#\s*include\s+"(?:dataflow_api\.h|compute_kernel_api[/.])', re.MULTILINE)
_PORTS = {0: "in", 8: "dataflow", 16: "out", 24: "intermed"}


@dataclass(frozen=True, slots=True)
class EmulatedCommand:
    """A program, and the ranges of L1 with circular buffers that one kernel fills for another."""

    program: Program
    shared: tuple[tuple[int, int], ...]


def emulated_command(
    command: MetalCommand,
    most_words: int,
    l1_of: Callable[[Core], int],
    semaphore_address: Callable[[int], int],
) -> EmulatedCommand:
    """The program of a command. Raises ``RuntimeProblem``.

    Args:
        command: that of the file.
        most_words: the most run-time arguments that a kernel can have.
        l1_of: the start of a core's L1, in addresses that kernels can use directly.
        semaphore_address: the offset of a semaphore in an L1.
    """
    buffers = _buffers(command.kernels)
    semaphores: list[ChipSemaphore] = []
    kernels = tuple(
        _kernel(number, kernel, command.tensors, most_words, l1_of, semaphore_address, semaphores)
        for number, kernel in enumerate(command.kernels)
    )
    shared = {
        (one.base or 0, (one.base or 0) + one.pages * one.page_bytes) for one in buffers if not one.in_place
    }
    program = Program(
        generation=GENERATION, kernels=kernels, circular_buffers=buffers, semaphores=tuple(semaphores)
    )
    return EmulatedCommand(program, tuple(sorted(shared)))


def _buffers(kernels: Sequence[MetalKernel]) -> tuple[CircularBuffer, ...]:
    """Return each circular buffer once, for all cores on which it is the same.

    A buffer that only one kernel uses is a tensor in place; a buffer that two kernels use is filled by one for the
    other.
    """
    on_core: dict[tuple[int, Core], tuple[MetalBuffer, int]] = {}
    wide = {port for kernel in kernels if kernel.config for port in kernel.config.unpack_to_dst}
    for number, kernel in enumerate(kernels):
        for buffer in kernel.buffers:
            for core in kernel.cores:
                known = on_core.get((buffer.port, core))
                if known is None:
                    on_core[buffer.port, core] = (buffer, 1)
                    continue
                if known[0] != buffer:
                    raise RuntimeProblem(
                        f"kernel {number} has another {port_name(buffer.port)} on core {core} than a kernel before it"
                    )
                on_core[buffer.port, core] = (buffer, known[1] + 1)
    groups: dict[tuple[MetalBuffer, bool], list[Core]] = {}
    for (_, core), (buffer, users) in on_core.items():
        groups.setdefault((buffer, users == 1), []).append(core)
    result = []
    for (buffer, in_place), cores in groups.items():
        if buffer.data_type not in _FORMATS:
            raise RuntimeProblem(
                f"{port_name(buffer.port)} is of {buffer.data_type.keyword}, which the emulated chip does not support"
            )
        result.append(
            CircularBuffer(
                index=buffer.port,
                pages=buffer.pages,
                page_bytes=buffer.page_bytes,
                dtype=_FORMATS[buffer.data_type],
                cores=tuple((x, y) for y, x in cores),
                name=port_name(buffer.port),
                base=buffer.address,
                unpack_to_dst=buffer.port in wide,
                in_place=in_place,
            )
        )
    return tuple(result)


def port_name(port: int) -> str:
    """The name of a circular buffer in text, such as ``cb_in0``."""
    first = max(one for one in _PORTS if one <= port)
    return f"cb_{_PORTS[first]}{port - first}"


def _kernel(
    number: int,
    kernel: MetalKernel,
    operands: Sequence[MetalTensor],
    most_words: int,
    l1_of: Callable[[Core], int],
    semaphore_address: Callable[[int], int],
    semaphores: list[ChipSemaphore],
) -> ChipKernel:
    given: list[tuple[bool, int]] = []
    for argument in kernel.arguments:
        if argument.operand is not None:
            tensor = operands[argument.operand]
            given.append((tensor.in_l1, tensor.address))
            continue
        # The first number that is free on all of the cores: kernels of different cores have their semaphores at the
        # same address.
        own = tuple((x, y) for y, x in kernel.cores)
        taken = {one.id for one in semaphores if not set(own).isdisjoint(one.cores)}
        identifier = next(one for one in range(MOST_SEMAPHORES + 1) if one not in taken)
        if identifier == MOST_SEMAPHORES:
            raise RuntimeProblem(
                f"its kernels have more than {MOST_SEMAPHORES} semaphores, and a core has as many"
            )
        given.append((True, semaphore_address(identifier)))
        semaphores.append(ChipSemaphore(id=identifier, cores=own, initial=argument.initial))
    if _OF_2024.search(kernel.source):
        raise RuntimeProblem(
            f"kernel {number} calls the kernel API as it was in 2024, but the emulated chip has the API of {GENERATION}",
            notes=("write the file again from its module: ttmlir-translate --ttmetal-to-flatbuffer",),
        )
    # The same run-time arguments cannot be both operands and numbers of the text.
    source, numbers = (kernel.source, ()) if given else apart(kernel.source, most_words)
    ranges = f"{kernel.cores[0]}" if len(kernel.cores) == 1 else f"{len(kernel.cores)} cores"
    emulated = ChipKernel(
        name=f"{number} ({kernel.thread} of {ranges})",
        source=source,
        processor="compute" if kernel.noc is None else "ncrisc" if kernel.noc == 0 else "brisc",
        cores=tuple((x, y) for y, x in kernel.cores),
        noc=1 if kernel.noc == 1 else 0,
        args={
            (x, y): tuple(word + (l1_of((y, x)) if in_l1 else 0) for in_l1, word in given) or numbers
            for y, x in kernel.cores
        },
        defines={"TTL_EMU_ZEROS_BASE": str(ZEROS)},
        bindings=BINDINGS if numbers else "",
        file=f"{kernel.thread}.cpp",
    )
    config = kernel.config
    if config is None:
        return emulated
    return replace(
        emulated,
        fidelity=cast("Fidelity", config.fidelity),
        fp32_dst=config.fp32_dst,
        approximate=config.approximate,
    )


# The macros for numbers that were taken out of the text. They are read without the cost of a load, since a number in
# the text costs no load.
BINDINGS = (
    "#define TTM_WORD(number) (*(reinterpret_cast<const uint32_t *>(ttl_emu_arg_address(false, number))))\n"
    "#define TTM_NUMBER(number) (static_cast<int32_t>(TTM_WORD(number)))"
)
_NUMBER = re.compile(r"(?<![\w.'])(?:(0[xX][0-9a-fA-F]+)|([1-9]\d*|0))([uU]?)(?![\w.'])")
# Lines with numbers that the compiler has to know.
_FIXED = re.compile(
    r'^\s*#|\bconstexpr\b|\benum\b|\bcase\b|\busing\b|\btypedef\b|\bstatic_assert\b|\btemplate\b|["\']|\w\s*\[\d+\]\s*[;={]'
)
_TEMPLATE = re.compile(r"(?<=\w)<[^<>;()]*>(?=\s*\()")
_COMMENT = re.compile(r"//.*$|/\*.*?\*/", re.MULTILINE)
_LARGEST_INT = (1 << 31) - 1


def apart(source: str, most: int) -> tuple[str, tuple[int, ...]]:
    """Return a text without comments, whose numbers are read from arguments, and these numbers in order.

    Numbers that the compiler has to know stay in the text. A text with constructs that are not handled here, or with
    more numbers than a kernel can have arguments, is returned unchanged.
    """
    if "/*" in source or "\\\n" in source or 'R"' in source or "get_arg_val" in source or "TTM_" in source:
        return source, ()
    words: list[int] = []
    lines = [_line(line, words) for line in _COMMENT.sub("", source).split("\n")]
    return ("\n".join(lines), tuple(words)) if len(words) <= most else (source, ())


def _line(line: str, words: list[int]) -> str:
    line = line.rstrip()
    if _FIXED.search(line):
        return line
    fixed = [match.span() for match in _TEMPLATE.finditer(line)]

    def word(match: re.Match[str]) -> str:
        at = match.start()
        value = int(match[1] or match[2], 0)
        unsigned = bool(match[3]) or (match[1] is not None and value > _LARGEST_INT)
        if any(begin <= at < end for begin, end in fixed) or value > (
            (1 << 32) - 1 if unsigned else _LARGEST_INT
        ):
            return match[0]
        words.append(value)
        return f"{'TTM_WORD' if unsigned else 'TTM_NUMBER'}({len(words) - 1})"

    return _NUMBER.sub(word, line)
