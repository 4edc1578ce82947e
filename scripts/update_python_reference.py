"""Write docs/reference/python-in-kernels.md from the table of what operations do with kinds of values in kernels.

    python scripts/update_python_reference.py [--check]

``--check`` changes nothing and fails when the page is stale.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "python-in-kernels.md"
FINDINGS = ROOT / "tests" / "python_semantics" / "findings.md"

sys.path.insert(0, str(ROOT / "src"))

from ttl.frontend.kernel.algebra import (  # noqa: E402 # fmt: skip
    BINARY,
    EQUALITY,
    IDENTITY,
    INPLACE,
    ITEM,
    MEMBERSHIP,
    ORDER,
    TABLE,
    UNARY,
    Cell,
    CellDecision,
)
from ttl.frontend.kernel.kinds import ValueKind  # noqa: E402

_INTRODUCTION = """# Python in kernels: the table

A kernel is read while it is compiled. What Python's operations do with each kind of value is decided by one table, in `src/ttl/frontend/kernel/algebra.py`; this page is printed from it, and the
tests compare its cells with CPython. Nothing is left to chance: where a cell says that something is computed, every node computes what CPython would; everything else is an error at its line.
[Python in kernels](../guides/python-in-kernels.md) is the guide.

| sign | meaning |
| :-: | --- |
| ✓ | the node computes what CPython computes |
| k | Python computes it while the kernel is compiled: nothing of it depends on the node |
| s | a value is needed while the kernel is compiled: right where it is known, else [TTL1305](../errors/TTL1305.md) |
| r | it raises in CPython, whatever the values are: [TTL1304](../errors/TTL1304.md) |
| – | no node computes it: [TTL1306](../errors/TTL1306.md) |

A number behind a sign is that of a remark below the table.
"""
_SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Operators of two values", BINARY),
    ("Operators that assign", INPLACE),
    ("Comparisons", (*EQUALITY, *ORDER, *IDENTITY, *MEMBERSHIP)),
    ("Items", (ITEM,)),
)
_FUNCTIONS = """## Functions of several values

`sum`, `any`, `all`, `min`, `max` (with `key` and `default`), `math.prod` and `sorted` of up to 16 integers are made of the operators above. `enumerate`, `zip`, `reversed`, `map`, `filter` and `len` take ranges of the node.
`isinstance` and `type` say `int`, `float` and `bool` of numbers of the node. `.index` and `.count` of lists and tuples compare on the node. Other functions get numbers that are known, or are refused (s).
"""


def _name(kind: ValueKind) -> str:
    return kind.name.lower()


def _kinds() -> str:
    rows = "\n".join(f"| {_name(kind)} | {kind.meaning} |" for kind in ValueKind)
    return f"## Kinds of values\n\n| kind | what is of it |\n| --- | --- |\n{rows}\n"


class Remarks:
    """Remarks of one table, numbered in their order."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def sign(self, cell: Cell) -> str:
        """The sign of a cell, with the number of its remark."""
        if not cell.text:
            return cell.decided.value
        remark = cell.text.rstrip(",")
        if cell.decided is CellDecision.STATIC:
            remark = f"it needs {remark}"
        if cell.instead:
            remark += f": {cell.instead}"
        return f"{cell.decided.value}{self._numbers.setdefault(remark, len(self._numbers) + 1)}"

    def text(self) -> str:
        """The remarks as a list."""
        return "".join(f"{number}. {remark}\n" for remark, number in self._numbers.items())


def _grouped(items: Iterable[ValueKind], key: Callable[[ValueKind], object]) -> list[list[ValueKind]]:
    """Kinds with equal keys together."""
    groups: dict[object, list[ValueKind]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return [*groups.values()]


def _matrix(operations: list[str]) -> str:
    """One table: the left operands downwards, the right ones to the right; kinds that are alike are one line."""
    grid, remarks = TABLE[operations[0]], Remarks()
    rows = _grouped(ValueKind, lambda kind: tuple(grid[kind]))
    columns = _grouped(ValueKind, lambda kind: tuple(line[kind] for line in grid))
    head = " | ".join(", ".join(map(_name, column)) for column in columns)
    lines = [
        f"| {', '.join(map(_name, row))} | "
        + " | ".join(remarks.sign(grid[row[0]][column[0]]) for column in columns)
        + " |"
        for row in rows
    ]
    title = ", ".join(f"`{operation}`".replace("|", "&#124;") for operation in operations)
    table = f"| left \\\\ right | {head} |\n| --- |{' :-: |' * len(columns)}\n" + "\n".join(lines)
    return f"### {title}\n\n{table}\n\n{remarks.text()}"


def _section(title: str, operations: tuple[str, ...]) -> str:
    groups: dict[int, list[str]] = {}
    for operation in operations:
        groups.setdefault(id(TABLE[operation]), []).append(operation)
    return f"## {title}\n\n" + "\n".join(_matrix(group) for group in groups.values())


def _unary() -> str:
    remarks = Remarks()
    lines = [
        f"| {_name(kind)} | "
        + " | ".join(remarks.sign(TABLE[operation][kind][ValueKind.OBJECT]) for operation in UNARY)
        + " |"
        for kind in ValueKind
    ]
    head = " | ".join(f"`{operation}`" for operation in UNARY)
    table = f"| | {head} |\n| --- |{' :-: |' * len(UNARY)}\n" + "\n".join(lines)
    return f"## Operations of one value\n\n{table}\n\n{remarks.text()}"


# Why findings that are open are as they are, and what to write instead, by their titles.
_REMAINDER = {
    "nonlocal in the functions of a pipe net": (
        "A function given to `if_src` or `if_dst` counts in a variable outside. Which pipes a node has differs from node to node: the function becomes a branch for each pipe, and branches of nets hand out no values.",
        "Compute the count from the coordinates of the node, or loop over numbers in its place.",
    ),
    "a list of the kernel under a condition": (
        "An item of a list is changed where the node decides. Lists exist while the kernel is compiled, once for all nodes.",
        "Use a variable for each item, or write `values[1] = n if n > 2 else values[1]`.",
    ),
    "a buffer chosen by the number of a loop of the node": (
        "A buffer is picked from a list by the number of a loop whose length the node decides. Which buffer a kernel uses is in its code.",
        "Let the loop run over numbers that are known, or write a branch for each buffer.",
    ),
    "return of a tuple in two loops": (
        "A tuple is returned from inside two loops. Loops carry numbers, and only the inner one makes numbers of its tuple.",
        "Keep the parts in variables and return them behind the loops.",
    ),
    "a format": (
        "A number of the node is printed with a format. The text is made on the device, which prints numbers as they are.",
        "Print the number without a format.",
    ),
    "a large range that is left early": (
        "A loop over a range continues to count after it was left, and does nothing: right, but as long as the range.",
        "Use `while`, which ends where it is left.",
    ),
}
_GAP = re.compile(r"^## \d (.+)\n\ngap: ", re.MULTILINE)


def _remainder() -> str:
    """What is open, as the tests have it: a finding without its words here is an error, and words without a finding are."""
    titles = _GAP.findall(FINDINGS.read_text(encoding="utf-8"))
    if set(titles) != set(_REMAINDER):
        raise SystemExit(
            f"what is open, and what this page says of it, differ: {set(titles) ^ set(_REMAINDER)}"
        )
    rows = "".join(f"| {_REMAINDER[title][0]} | {_REMAINDER[title][1]} |\n" for title in titles)
    return f"## What Python does and kernels do not\n\n| what, and why | instead |\n| --- | --- |\n{rows}"


def page() -> str:
    """The whole page."""
    sections = [_section(title, operations) for title, operations in _SECTIONS]
    return "\n".join([_INTRODUCTION, _kinds(), *sections, _unary(), _FUNCTIONS, _remainder()])


def main() -> int:
    """Write the page, or say whether it is stale."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing")
    text = page()
    if parser.parse_args().check:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/update_python_reference.py")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
