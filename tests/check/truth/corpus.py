"""The programs that are run and checked: what they are called, and their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzz.case import regressions
from ttl.diag import catalog

ROOT = Path(__file__).resolve().parents[3]

# Codes about what is installed, about the process, or with a program that breaks something of ours on purpose.
ARRANGED = {"TTL0114", "TTL0115", "TTL0116", "TTL1102", "TTL1103"}
_FLAGS = re.compile(r"^# flags: (.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A program of the corpus: the flags it is run with, and the modules and packages it finds beside it."""

    name: str
    source: str
    flags: tuple[str, ...] = ()
    modules: tuple[Path, ...] = ()


def failing() -> list[Program]:
    """Programs with a mistake in them."""
    return [
        *_of_pages("cases"),
        *_of_folder("examples/errors", ROOT / "examples" / "errors"),
        *_of_folder("deadlocks", ROOT / "tests" / "deadlock" / "programs", ROOT / "tests" / "support"),
        *(
            Program(name=f"fuzz/{case.name}", source=case.source)
            for case in regressions()
            if case.outcome.startswith("TTL") and not case.settings
        ),
    ]


def correct() -> list[Program]:
    """What the pages show as the right way."""
    return list(_of_pages("correct"))


def examples() -> list[Program]:
    """The correct examples."""
    return list(_of_folder("examples", ROOT / "examples", ROOT / "examples" / "checking.py"))


def command_lines() -> int:
    """Failing command lines of the pages: what they are about is not in a program."""
    return sum(case.kind == "console" for code in catalog.codes() for case in catalog.page(code).cases)


def _of_pages(which: str) -> Iterator[Program]:
    for code in catalog.codes():
        if code in ARRANGED:
            continue
        page = catalog.page(code)
        failing = [each.source for each in page.cases if each.kind == "python"]
        for number, source in enumerate(page.correct if which == "correct" else failing, 1):
            yield Program(name=code if number == 1 else f"{code}/{number}", source=source + "\n")


def _of_folder(prefix: str, folder: Path, *modules: Path) -> Iterator[Program]:
    for path in sorted(folder.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        flags = _FLAGS.search(source)
        yield Program(
            name=f"{prefix}/{path.stem}",
            source=source,
            flags=tuple(flags[1].split()) if flags is not None else (),
            modules=tuple(each for each in modules if each != path),
        )
