"""How many broken programs an agent repairs that does nothing but apply the fixes it is offered.

    python scripts/agent_loop.py [--check] [PROGRAM ...]

Every program of ``examples/errors`` and of the tutorial goes through the loop of docs/guides/ai-agents.md, by JSON alone:
``ttl check --fix``, again until nothing changes, then ``ttl score`` against a reference that the program has not seen
(``tests/score/tasks.py``), with inputs of its own. Repaired is what passes the stage ``right``. The table goes into the guide;
``--check`` changes nothing and fails when it is another one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "guides" / "ai-agents.md"
TASKS = ROOT / "tests" / "score" / "tasks.py"
BEGIN, END = "<!-- agent-loop: begin -->\n", "<!-- agent-loop: end -->\n"
PROGRAMS = (
    *sorted((ROOT / "examples" / "errors").glob("*.py")),
    *sorted((ROOT / "examples").glob("tutorial_[1-9]*.py")),
)
_ROUNDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopResult:
    """What became of one program."""

    name: str
    codes: tuple[str, ...]
    """What was found in it."""
    fixes: int
    """How many were applied."""
    rounds: int
    left: tuple[str, ...]
    """What is found in it then."""
    right: bool
    changed: bool

    @property
    def outcome(self) -> str:
        """In a word."""
        if not self.right:
            return f"not repaired: {', '.join(self.left)}" if self.left else "not right"
        return "repaired" if self.changed else "right as it is"

    @property
    def row(self) -> str:
        """A row of the table."""
        return f"| `{self.name}` | {', '.join(self.codes) or '-'} | {self.fixes or '-'} | {self.outcome} |"


def ttl(*arguments: str, folder: Path) -> dict[str, Any]:
    """The document that a verb prints."""
    done = subprocess.run(
        [sys.executable, "-m", "ttl", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def errors(document: dict[str, Any]) -> tuple[str, ...]:
    """The codes of errors, in order, each once."""
    codes = [item["code"] for item in document["diagnostics"] if item["severity"] == "error"]
    return tuple(dict.fromkeys(codes))


def loop(program: Path, *, flags: tuple[str, ...] = ()) -> LoopResult:
    """Check and fix until nothing changes, then score."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / program.name
        shutil.copy(ROOT / "examples" / "checking.py", folder)
        copy.write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
        first = ttl("check", "--format", "json", copy.name, folder=folder)
        fixes = rounds = 0
        found = first
        while errors(found) and rounds < _ROUNDS:
            rounds += 1
            found = ttl("check", "--fix", "--format", "json", copy.name, folder=folder)
            applied = sum(change["fixes"] for change in found["changes"])
            fixes += applied
            if not applied:
                break
        left = errors(found)
        right = not left and _is_right(copy, folder, flags)
        changed = copy.read_text(encoding="utf-8") != program.read_text(encoding="utf-8")
        return LoopResult(
            name=program.name, codes=errors(first), fixes=fixes, rounds=rounds, left=left, right=right, changed=changed
        )  # fmt: skip


def _is_right(copy: Path, folder: Path, flags: tuple[str, ...]) -> bool:
    arguments = ("score", "--format", "json", "--until", "right", "--seed", "1", *flags)
    score = ttl(*arguments, "--reference", str(TASKS), copy.name, folder=folder)
    return score["failed"] is None


def table(results: list[LoopResult]) -> str:
    """What stands in the guide."""
    broken = [item for item in results if item.codes]
    repaired = sum(item.right for item in broken)
    rows = "\n".join(item.row for item in results)
    return (
        f"Of {len(broken)} programs in which errors are found, {repaired} are right afterwards; of the other {len(results) - len(broken)}, "
        f"{sum(item.right for item in results if not item.codes)} are right as they are.\n\n"
        f"| program | errors | fixes | outcome |\n| --- | --- | --- | --- |\n{rows}\n"
    )


def page_with(text: str) -> str:
    """The guide with another table."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}"


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "programs", metavar="PROGRAM", nargs="*", type=Path, help="default: all, for the table"
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the table is stale")
    arguments = parser.parse_args()
    results = []
    for program in arguments.programs or PROGRAMS:
        results.append(loop(Path(program).resolve()))
        print(results[-1].row, flush=True)
    if arguments.programs:
        return 0
    text = page_with(table(results))
    stale = text != PAGE.read_text(encoding="utf-8")
    if stale and not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
    print(
        "the table of docs/guides/ai-agents.md is " + ("stale" if stale and arguments.check else "up to date")
    )
    return int(stale and arguments.check)


if __name__ == "__main__":
    raise SystemExit(main())
