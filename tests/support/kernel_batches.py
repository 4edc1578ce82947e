"""Many kernels in one run of the compiler.

Each gets a namespace of its own, below the includes of all of them. That alone would accept a kernel that forgets an
include: one that uses a name which only the includes of others have is compiled alone, and so is every kernel that
a complaint names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from support import fabric_headers
from support.kernel_compiler import Generation, Kind, complaint
from support.kernel_headers import headers

_MOST = 200
_FIRST_LINE = re.compile(r"\s*(#|//|$)")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<]([^\">]+)[\">]", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(include|define|undef|line)\b", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w+")
# Where a kernel names something of the API: before its arguments, those of its template, or its members.
_USED = re.compile(r"[A-Za-z_]\w+(?=\(|<\w|::)")
# The words of a kernel's own tensor accessors begin at the first one.
_FIRST_ACCESSOR = "TensorAccessorArgs<0>"
_WORDS = "KERNEL_COMPILE_TIME_ARGS="


@dataclass(frozen=True, kw_only=True, slots=True)
class Kernel:
    """One kernel to check; ``defines`` as they go to the compiler, ``KERNEL_COMPILE_TIME_ARGS=2,2048``."""

    generation: Generation
    kind: Kind
    text: str
    defines: tuple[str, ...] = ()
    name: str = field(default="kernel.cpp", compare=False)
    """What complaints call its file."""


def batches(kernels: Iterable[Kernel]) -> Iterator[list[Kernel]]:
    """The kernels in lists that can be compiled together."""
    alike: dict[tuple[object, ...], list[Kernel]] = {}
    for kernel in kernels:
        alike.setdefault(_key(kernel), []).append(kernel)
    for batch in alike.values():
        for start in range(0, len(batch), _MOST):
            yield batch[start : start + _MOST]


def judge(batch: Sequence[Kernel]) -> list[str | None]:
    """The answer about each kernel of a batch."""
    answers: dict[Kernel, str | None] = {}
    rest = []
    offered = frozenset().union(*(_names(kernel.generation, _includes(kernel)) for kernel in batch))
    for kernel in batch:
        foreign = offered - _names(kernel.generation, _includes(kernel))
        if len(batch) == 1 or not foreign.isdisjoint(_USED.findall(_COMMENT.sub("", kernel.text))):
            answers[kernel] = _alone(kernel)
        else:
            rest.append(kernel)
    while rest:
        said = _together(rest)
        named = {rest[int(number)] for number in re.findall(r"kernel_(\d+)\.cpp:", said or "")}
        if said is None:
            answers |= dict.fromkeys(rest)
        for kernel in (named or rest) if said is not None else ():
            answers[kernel] = _alone(kernel)
        rest = [kernel for kernel in rest if kernel not in answers]
    return [answers[kernel] for kernel in batch]


def _alone(kernel: Kernel) -> str | None:
    if fabric_headers.MARK in kernel.text:
        return fabric_headers.complaint(kernel.generation, kernel.text, kernel.name, kernel.defines)
    return complaint(kernel.generation, kernel.kind, kernel.text, kernel.name, kernel.defines)


def _together(batch: Sequence[Kernel]) -> str | None:
    includes: dict[str, None] = {}
    words: dict[str, int] = {}
    bodies = []
    total = 0
    for number, kernel in enumerate(batch):
        first, rest = _parts(kernel.text)
        includes |= dict.fromkeys(line for line in first.splitlines() if line.lstrip().startswith("#"))
        own = _words(kernel)
        if own not in words:
            words[own] = total
            total += own.count(",") + 1 if own else 0
        rest = rest.replace(_FIRST_ACCESSOR, f"TensorAccessorArgs<{words[own]}>")
        line = first.count("\n") + 1
        bodies.append(f'namespace kernel_{number} {{\n#line {line} "kernel_{number}.cpp"\n{rest}\n}}\n')
    defines = tuple(define for define in batch[0].defines if not define.startswith(_WORDS))
    if total:
        defines += (_WORDS + ",".join(filter(None, words)),)
    text = "\n".join(includes) + "\n" + "".join(bodies)
    return complaint(batch[0].generation, batch[0].kind, text, "batch.cpp", defines)


def _key(kernel: Kernel) -> tuple[object, ...]:
    """Equal for kernels that can be compiled together: those with the same macros."""
    first, rest = _parts(kernel.text)
    special = "get_compile_time_arg_val" in rest or fabric_headers.MARK in first
    alone = kernel.text if _DIRECTIVE.search(rest) or special else ""
    macros = tuple(
        line for line in first.splitlines() if line.lstrip().startswith("#") and not _INCLUDE.match(line)
    )
    defines = tuple(define for define in kernel.defines if not define.startswith(_WORDS))
    return kernel.generation, kernel.kind, defines, macros, alone


def _words(kernel: Kernel) -> str:
    """The compile-time arguments, as they are defined."""
    return next((each.removeprefix(_WORDS) for each in kernel.defines if each.startswith(_WORDS)), "")


def _parts(text: str) -> tuple[str, str]:
    """A kernel's first lines, up to the last include or macro before any code, and the rest."""
    lines = text.splitlines(keepends=True)
    end = 0
    for number, line in enumerate(lines):
        if not _FIRST_LINE.match(line):
            break
        if line.lstrip().startswith("#"):
            end = number + 1
    return "".join(lines[:end]), "".join(lines[end:])


def _includes(kernel: Kernel) -> frozenset[str]:
    return frozenset(_INCLUDE.findall(_parts(kernel.text)[0]))


@cache
def _names(generation: Generation, includes: frozenset[str]) -> frozenset[str]:
    """Every name in the headers that some includes reach, as far as they are the kernel API's."""
    return frozenset().union(*(_file(generation, path)[0] for path in _reached(generation, includes)))


@cache
def _reached(generation: Generation, includes: frozenset[str]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = list(includes)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting += _file(generation, path)[1]
    return frozenset(reached)


@cache
def _file(generation: Generation, name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The names in a header of the kernel API, and what it includes; nothing for another header."""
    api = headers(generation) / "tt_metal" / "hw" / "inc"
    path = api / name
    if not name.startswith("api/") or not path.is_file():
        return frozenset(), ()
    text = _COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))
    beside = Path(name).parent
    includes = tuple(
        f"{beside}/{each}" if (path.parent / each).is_file() else each for each in _INCLUDE.findall(text)
    )
    return frozenset(_NAME.findall(text)), includes
