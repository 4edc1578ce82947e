"""The output of ``ttl compile``: one text for several operations, a folder for each operation, or explanations."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ttl.cli.options import UsageError
from ttl.cli.program import unwritable
from ttl.codegen.description import OperandDescription, ProgramDescription, to_json
from ttl.codegen.explanation import by_place, objects
from ttl.codegen.project import project_files
from ttl.diag import Severity
from ttl.diag.paint import Painter
from ttl.diag.words import counted
from ttl.emitc.project import write_files
from ttl.source import files

if TYPE_CHECKING:
    from ttl.codegen.choices import ChoicePoint
    from ttl.codegen.compile import Compiled
    from ttl.codegen.explanation import RemarkOrChoice

Files = Mapping[str, str]
"""The texts of files by their paths below a folder, with slashes."""


def descriptions(programs: Sequence[ProgramDescription]) -> str:
    """Return one JSON document: the description of each operation under the name of its folder."""
    documents = [json.loads(to_json(program)) for program in programs]
    return json.dumps(dict(zip(folders(programs), documents)), indent=2) + "\n"


def listing(programs: Sequence[ProgramDescription]) -> str:
    """All kernels one after the other, each under the path of its file."""
    return "".join(f"// ----- {path} -----\n{text}" for path, text in sources(programs).items())


def sources(programs: Sequence[ProgramDescription]) -> Files:
    """The source files of the kernels of all programs."""
    return {
        f"{folder}/{kernel.file}": kernel.source
        for folder, program in zip(folders(programs), programs)
        for kernel in program.kernels
    }


def projects(compiled: Compiled) -> Files:
    """Return the files of a stand-alone project for each operation, to run it and to continue by hand."""
    return {
        f"{folder}/{path}": text
        for folder, program in zip(folders(compiled.descriptions), compiled.descriptions)
        for path, text in project_files(program).items()
    }


def folders(programs: Iterable[ProgramDescription]) -> list[str]:
    """A folder name for each operation: its own name, with a number if the name is taken; case is ignored."""
    taken: set[str] = set()
    result = []
    for program in programs:
        name, number = program.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{program.name}_{number}"
        taken.add(name.casefold())
        result.append(name)
    return result


def summary(output: str, programs: Sequence[ProgramDescription]) -> str:
    """A text with a line for each folder that was written."""
    return "".join(
        f"{os.path.join(output, folder)}: {counted(len(program.kernels), 'kernel')} for "
        f"{', '.join(map(_tensor, program.tensors))}\n"
        for folder, program in zip(folders(programs), programs)
    )


def _tensor(tensor: OperandDescription) -> str:
    extents = "x".join("?" if extent < 0 else str(extent) for extent in tensor.shape)
    return f"{tensor.name} {extents} {tensor.dtype}"


def write(output: str, files: Files) -> None:
    """Write files into a folder, which is created if it is missing; other files in it stay.

    Raises ``UsageError`` TTL0117 when a file cannot be written.
    """
    try:
        write_files(output, files)
    except OSError as problem:
        name = os.fspath(problem.filename or output)
        is_file = os.path.relpath(name, output).replace(os.path.sep, "/") in files
        advice = "a folder that files can be made in" if is_file else "a folder, or of none yet"
        raise UsageError(unwritable(name, problem, f"give the path of {advice}")) from None


def explanation(remarks: Iterable[RemarkOrChoice], *, color: bool) -> str:
    """The remarks and choices by file and line, each once; remarks that have no line come last."""
    paint = Painter(color, Severity.NOTE)
    lines = [
        line
        for place, texts, points in by_place(remarks)
        for line in _section(place, [*texts, *map(_choice, points)], paint)
    ]
    return "".join(f"{line}\n" for line in lines) or "nothing to explain: no operation was compiled\n"


def explanation_lines(remarks: Iterable[RemarkOrChoice]) -> Iterator[str]:
    """Yield a line of JSON for each place."""
    return (json.dumps(item, ensure_ascii=False) for item in objects(remarks))


def _choice(point: ChoicePoint) -> str:
    others = [value for value in point.legal if value != point.chosen]
    also = f" (or {', '.join(others)})" if others else ""
    return f"{point.name}={point.chosen}{also}: {point.why}"


def _section(place: tuple[str, int], texts: list[str], paint: Painter) -> Iterator[str]:
    file, number = place
    if file:
        yield paint.frame(f"{files.display_name(file)}:{number}: ") + (files.line(file, number) or "").strip()
    else:
        yield paint.frame("the operation as a whole:")
    for text in texts:
        yield f"  - {text}"
