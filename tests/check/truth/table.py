"""What runs and checks say, side by side: the page docs/reference/one-truth.md, and what it must not contain."""

from __future__ import annotations

import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from zlib import crc32

from check.truth import corpus
from check.truth.corpus import Program
from check.truth.measure import Measured, Said, measured, random_findings

REASONS = Path(__file__).parent / "reasons.toml"
RANDOM_PROGRAMS = 60

# How findings compare with what the run says, the best first.
SAME, ELSEWHERE, OTHER, POSSIBLE, SILENT = "same", "same code", "other code", "warning only", "silent"
_RANKS = (SAME, ELSEWHERE, OTHER, POSSIBLE, SILENT)
# What says that a program cannot be compiled, of which nothing is wrong; and those that say it fails.
_REFUSALS, _FAILS = "TTL13", ("TTL1303", "TTL1304", "TTL1315", "TTL1316")


@dataclass(frozen=True, slots=True)
class Row:
    """One program with a mistake."""

    name: str
    said: Measured

    @property
    def call(self) -> str:
        """How the checks of its calls compare."""
        return _compared(self.said.run, self.said.check)

    @property
    def text(self) -> str:
        """How the checks of its text compare."""
        return _compared(self.said.run, self.said.file)

    @property
    def best(self) -> str:
        """The better one of both."""
        return min(self.call, self.text, key=_RANKS.index)

    @property
    def of_host(self) -> bool:
        """Whether the mistake is in code that runs before or after operations."""
        errors = any(each.severity == "error" for each in self.said.run)
        return not self.said.inside and (errors or not self.said.check) and bool(self.said.run)

    @property
    def certain(self) -> bool:
        """Whether a check says that something is wrong, whatever its words."""
        found = [*self.said.check, *self.said.file]
        return self.best in (SAME, ELSEWHERE) or any(_is_mistake(each) for each in found)

    @property
    def caught(self) -> bool:
        """Whether anybody says anything."""
        return bool(self.said.run or self.said.check or self.said.file)


@dataclass(slots=True)
class Truth:
    """All that was measured."""

    rows: list[Row] = field(default_factory=list)
    correct: dict[str, list[Said]] = field(default_factory=dict)
    """Findings in correct programs, by the names of the programs."""
    looked_at: Counter[str] = field(default_factory=Counter)
    """Correct programs of each kind."""

    @property
    def differing(self) -> list[Row]:
        """The rows that need a reason."""
        return [row for row in self.rows if row.best != SAME]

    @property
    def false_errors(self) -> dict[str, list[Said]]:
        """Errors in correct programs, but for what cannot be compiled."""
        found = {name: [each for each in said if _is_mistake(each)] for name, said in self.correct.items()}
        return {name: said for name, said in found.items() if said}

    @property
    def refused(self) -> dict[str, list[Said]]:
        """Correct programs that cannot be compiled."""
        found = {
            name: [each for each in said if each.severity == "error"] for name, said in self.correct.items()
        }
        return {name: said for name, said in found.items() if said}


def measure(one_of: int = 1) -> Truth:
    """Run and check everything, or one of so many programs, always the same."""

    def chosen(programs: list[Program]) -> list[Program]:
        return [program for program in programs if crc32(program.name.encode()) % one_of == 0]

    truth = Truth()
    truth.rows = [Row(program.name, _measured(program)) for program in chosen(corpus.failing())]
    for kind, programs, carry_out in (
        ("page", chosen(corpus.correct()), True),
        ("example", chosen(corpus.examples()), False),
    ):
        truth.looked_at[kind] = len(programs)
        for program in programs:
            said = _measured(program, carry_out=carry_out)
            assert carry_out is False or not said.inside or said.check, f"{program.name} fails"
            found = list(dict.fromkeys([*said.check, *said.file]))
            if found:
                truth.correct[f"{program.name} ({kind})" if kind == "page" else program.name] = found
    truth.looked_at["random program"] = RANDOM_PROGRAMS // one_of
    truth.correct.update(random_findings(range(RANDOM_PROGRAMS // one_of)))
    return truth


def reasons() -> dict[str, str]:
    """Why programs differ, by patterns of their names."""
    found: dict[str, str] = {}
    for entry in tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]:
        for pattern in entry["programs"]:
            assert pattern not in found, f"two reasons for {pattern}"
            found[pattern] = entry["why"]
    return found


def reason_of(name: str, known: dict[str, str]) -> str | None:
    """The reason for a program: under its own name, or else under a pattern that fits."""
    if name in known:
        return known[name]
    return next((why for pattern, why in known.items() if fnmatchcase(name, pattern)), None)


def _measured(program: Program, *, carry_out: bool = True) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        return measured(program, Path(folder).resolve(), carry_out=carry_out)


def _compared(run: Sequence[Said], found: Sequence[Said]) -> str:
    if run:
        worst = run[0]
        if worst in found:
            return SAME
        if any(each.code == worst.code for each in found):
            return ELSEWHERE
    if any(each.severity == "error" for each in found):
        return OTHER
    return POSSIBLE if found else SILENT


def _is_mistake(found: Said) -> bool:
    return found.severity == "error" and (not found.code.startswith(_REFUSALS) or found.code in _FAILS)


# --- the page -------------------------------------------------------------------------------------------------

_HEAD = """\
<!-- Made by scripts/one_truth.py; do not edit. The reasons are in tests/check/truth/reasons.toml. -->
# Runs and checks, side by side

A rule of the language is written once, and both the simulator and the checks before a run ask it. Whether they also come to the same result is measured here: every failing program of the [error pages](../errors/index.md),
of `examples/errors`, of the collection of deadlocks, and what the fuzzer of the simulator has found is run, each call of an operation in it is checked with the arguments of the call (as `ttl run` does), and its text
is checked without running anything (as `ttl check` does). Shown are codes and lines. Where a check does not say the same code in the same line as the run, the table says why.
"""


def page(truth: Truth) -> str:
    """The page as Markdown."""
    known = reasons()
    parts = [_HEAD, _figures(truth), "## Where they differ\n", _differences(truth.differing, known)]
    same = [row for row in truth.rows if row.best == SAME]
    parts += [
        "## Where they agree\n",
        f"Code and line are the same for {len(same)} programs:\n",
        _listed(row.name for row in same if "/" not in row.name or row.name.startswith("TTL")),
        _listed(row.name for row in same if "/" in row.name and not row.name.startswith("TTL")),
        "## Correct programs\n",
        _correct(truth, known),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def not_said(truth: Truth, text: str) -> list[str]:
    """Programs of which a page says something else than what was measured."""
    lines = set(text.splitlines())
    differing = {line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")}
    known = reasons()
    shown = {row.name: _difference(row, known) for row in truth.differing}
    shown |= {name: _refused(name, said, known) for name, said in truth.refused.items()}
    agreeing = [row.name for row in truth.rows if row.best == SAME]
    return [
        *(name for name, line in shown.items() if line not in lines),
        *(name for name in agreeing if f"`{name}`" not in text or name in differing),
    ]


def _figures(truth: Truth) -> str:
    rows = truth.rows
    inside = [row for row in rows if not row.of_host]
    host = [row for row in rows if row.of_host]
    agreeing = [row for row in inside if row.best == SAME]
    lines = [
        "| | programs | |",
        "|---|---:|---:|",
        f"| with a mistake | {len(rows)} | |",
        _share("caught by the run or a check", rows, [row for row in rows if row.caught]),
        f"| whose mistake is in an operation | {len(inside)} | |",
        _share("of these, caught by a check with certainty", inside, [row for row in inside if row.certain]),
        _share("with the code and line of the run", inside, agreeing),
        _share(
            "by reading the text alone",
            inside,
            [row for row in inside if row.text in (SAME, ELSEWHERE) or any(map(_is_mistake, row.said.file))],
        ),
        f"| whose mistake is in code of the host | {len(host)} | |",
        _share("of these, caught by reading the text", host, [row for row in host if row.certain]),
        "",
        f"The pages have {corpus.command_lines()} failing command lines more; they are about flags, files and settings, not about programs.",
        "",
    ]
    return "\n".join(lines)


def _share(what: str, all: Sequence[Row], some: Sequence[Row]) -> str:
    percent = f"{100 * len(some) / len(all):.1f} %" if all else ""
    return f"| {what} | {len(some)} | {percent} |"


def _differences(rows: Sequence[Row], known: dict[str, str]) -> str:
    lines = ["| program | run | check of the calls | check of the text | why |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *(_difference(row, known) for row in rows)]) + "\n"


def _difference(row: Row, known: dict[str, str]) -> str:
    said = row.said
    text = "the same" if said.file == said.check and said.check else _shown(said.file)
    why = reason_of(row.name, known) or "?"
    return f"| {row.name} | {_shown(said.run)} | {_shown(said.check)} | {text} | {why} |"


def _refused(name: str, said: list[Said], known: dict[str, str]) -> str:
    return f"| {name} | {_shown(said)} | {reason_of(name, known) or '?'} |"


def _shown(found: Sequence[Said]) -> str:
    if not found:
        return "nothing"
    worst = [each for each in found if each.severity == found[0].severity]
    return ", ".join(str(each) for each in worst[:3]) + (" ..." if len(worst) > 3 else "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + "\n"


def _correct(truth: Truth, known: dict[str, str]) -> str:
    counted = ", ".join(f"{count} {kind}s" for kind, count in truth.looked_at.items())
    false = truth.false_errors
    lines = [f"Looked at: {counted} that do it right. Errors in them: {len(false) or 'none'}."]
    lines += [f"`{name}`: {_shown(said)}" for name, said in false.items()]
    lines += ["", "Of these the compiler refuses some, and says so; they run in the simulator:", ""]
    lines += ["| program | finding | why |", "|---|---|---|"]
    lines += [_refused(name, said, known) for name, said in truth.refused.items()]
    warned: Counter[str] = Counter()
    for said in truth.correct.values():
        warned.update({each.code for each in said if each.severity != "error"})
    codes = ", ".join(f"{code} in {count}" for code, count in sorted(warned.items()))
    lines += ["", f"Warnings and notes, by the number of programs: {codes or 'none'}.", ""]
    return "\n".join(lines)
