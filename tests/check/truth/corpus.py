"""The programs that are run and checked: what they are called, and their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzz.case import regressions
from ttl.diag import catalog

ROOT = Path(__file__).resolve().parents[3]

# Codes about what is installed, or about the process: their programs need an arrangement of its own.
ARRANGED = frozenset({"TTL0114", "TTL0115", "TTL0116", "TTL1102"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """A program of the corpus. ``folder``: where it finds the modules it imports; "" when it has none."""

    name: str
    source: str
    folder: str = ""


def failing() -> list[Program]:
    """Programs with a mistake in them, by name."""
    return [
        *_of_pages("cases"),
        *_of_folder("examples", ROOT / "examples" / "errors"),
        *_of_folder("deadlocks", ROOT / "tests" / "deadlock" / "programs"),
        *(
            Program(name=f"fuzz/{case.name}", source=case.source)
            for case in regressions()
            if case.outcome.startswith("TTL") and not case.settings
        ),
    ]


def correct_pages() -> list[Program]:
    """What the pages show as the right way."""
    return list(_of_pages("correct"))


def examples() -> list[Program]:
    """The correct examples."""
    return list(_of_folder("examples", ROOT / "examples"))


def command_lines() -> int:
    """Failing command lines of the pages: what they are about is not in a program."""
    return sum(case.kind == "console" for code in catalog.codes() for case in catalog.page(code).cases)


def _of_pages(which: str) -> Iterator[Program]:
    for code in catalog.codes():
        if code in ARRANGED:
            continue
        page = catalog.page(code)
        sources = (
            page.correct
            if which == "correct"
            else [each.source for each in page.cases if each.kind == "python"]
        )
        for number, source in enumerate(sources, 1):
            name = code if number == 1 else f"{code}/{number}"
            yield Program(name=name, source=source + "\n")


def _of_folder(prefix: str, folder: Path) -> Iterator[Program]:
    for path in sorted(folder.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        yield Program(name=f"{prefix}/{path.stem}", source=source, folder=str(ROOT / "examples"))
