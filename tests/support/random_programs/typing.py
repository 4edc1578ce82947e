"""Somebody types at random: inserts, deletes, pastes broken Python, moves lines, takes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from ttl.check.file import FileReport, check_file
from ttl.check.source import problem_of
from ttl.service.analysis import Analysis
from ttl.session import CHOSEN, SOURCES, Session, Sources
from ttl.session.switches import Settings

EXAMPLES = Path(__file__).parents[3] / "examples"
PASTED = (
    "(", ")", "'''", "\\", "\n", "    ", "\t", "x", "# ", "\x00", "\r\n", "\f", "é😀", "def f(:\n", "return",
    "with a_dfb.reserve() as b:\n    pass\n", "import math\n", "\nfrom __future__ import annotations\n", "1 / 0",
    "lambda: 0", "@ttl.operation(grid=(1, 1))\n", ".wait()", ".pop()", "if True:\n    ",
    "for _ in range(3):\n    ", "\nx = [\n", "global q\n",
)  # fmt: skip
_NUMBER = re.compile(r"\b\d+\b")
_NAME = re.compile(r"\b[a-z]\w*\b")


def programs() -> list[Path]:
    """The examples, those that are wrong too."""
    return [*sorted(EXAMPLES.glob("*.py")), *sorted(EXAMPLES.glob("errors/*.py"))]


def edits(text: str, random: Random) -> Iterator[str]:
    """The texts after one edit, two, three, and so on, without an end. Broken ones are mended again after a while."""
    taken = [text]
    while True:
        if len(taken) > 1 and random.random() < 0.4:
            # Take back the last edits: often to a text that is Python.
            del taken[-random.randint(1, min(len(taken) - 1, 3)) :]
        else:
            taken.append(_edited(taken[-1], random))
        del taken[1:-12]
        if random.random() < 0.03:
            taken = [text]
        yield taken[-1]


def _edited(text: str, random: Random) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    match random.randrange(10):
        case 0:
            place = random.randrange(len(text) + 1)
            return text[:place] + random.choice(PASTED) + text[place:]
        case 1:
            first = random.randrange(len(text) + 1)
            return text[:first] + text[first + random.randint(1, 5) :]
        case 2:
            lines.insert(at, random.choice(("", "# a comment", "x_new = 1", "import math")))
        case 3:
            del lines[at]
        case 4:
            lines.insert(at, lines[random.randrange(len(lines))])
        case 5:
            return _replaced(text, _NUMBER, random, lambda word: str(random.choice((0, 1, 2, 3, 4, 7, 64))))
        case 6:
            names = _NAME.findall(text) or ["x"]
            return _replaced(text, _NAME, random, lambda word: random.choice(names))
        case 7:
            lines[at] = f"{lines[at]}  # {random.randrange(10)}"
        case 8:
            # A top-level statement goes elsewhere.
            starts = [number for number, line in enumerate(lines) if line[:1].isalpha() or line[:1] == "@"]
            if len(starts) > 2:
                first, second = sorted(random.sample(range(len(starts)), 2))
                one, other = starts[first], starts[second]
                end = starts[first + 1]
                lines = [*lines[:one], *lines[end:other], *lines[one:end], *lines[other:]]
        case _:
            lines[at] = lines[at].replace("reserve", "wait") if random.random() < 0.5 else ""
    return "\n".join(lines)


def _replaced(text: str, pattern: re.Pattern[str], random: Random, new: object) -> str:
    places = list(pattern.finditer(text))
    if not places:
        return text
    chosen = random.choice(places)
    assert callable(new)
    return text[: chosen.start()] + new(chosen[0]) + text[chosen.end() :]


def fresh(path: str, text: str, settings: Settings) -> FileReport:
    """What ``ttl check`` says of a file with this text, in a session that knows nothing yet."""
    session = Session({SOURCES: Sources({path: text}), CHOSEN: settings})
    with session.entered():
        shown = SOURCES.get().of(path).text
        problem = problem_of(shown, Path(path).name, path)
        return FileReport(path=path, findings=(problem,)) if problem else check_file(path, settings)


def differences(analysis: Analysis, report: FileReport) -> list[str]:
    """What an analysis says and a fresh check does not, or the other way round. Of a broken text only why it is broken counts."""
    ours = analysis.findings if analysis.problem is None else (analysis.problem,)
    wrong = []
    if ours != report.findings:
        wrong += [f"- {finding}" for finding in report.findings if finding not in ours]
        wrong += [f"+ {finding}" for finding in ours if finding not in report.findings]
        wrong = wrong or [f"another order: {ours}"]
    if analysis.problem is None and analysis.not_checked != report.not_checked:
        wrong.append(f"not checked: {analysis.not_checked} for {report.not_checked}")
    return wrong


def contents(analysis: Analysis) -> dict[str, object]:
    """What is known about a text, to be compared with what is known where nothing else was analysed before."""
    known: dict[str, object] = {"problem": analysis.problem}
    if analysis.problem is None:
        whole = analysis.index.on_lines(analysis.path, 1, len(analysis.text.lines) + 1)
        known |= {
            "findings": analysis.findings,
            "not checked": analysis.not_checked,
            "operations": analysis.operations,
            "dependencies": analysis.dependencies,
            "values": [(fact.span, fact.values) for fact in whole],
        }
    return known
