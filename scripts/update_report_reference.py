"""Write docs/reference/report.md, the schema of reports, from the records in src/ttl/report/records.py.

    python scripts/update_report_reference.py [--check]

``--check`` changes nothing and fails when the page is stale.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from ttl.report.records import CellKind  # noqa: E402

MODEL = ROOT / "src" / "ttl" / "report" / "records.py"
PAGE = ROOT / "docs" / "reference" / "report.md"

HEAD = """\
<!-- Made by scripts/update_report_reference.py; do not edit. -->
# The data of a report

`--report FILE` writes what every launch of a program did: as a page with the data in it, or, if the name of the file ends in `.json`, only the data. This page describes that object, `kind` `report`, `schema` 1. Fields are only ever added;
`schema` grows when a field changes its meaning. The page of a report has the object in `<script type="application/json" id="report">`.

| field | type | |
| --- | --- | --- |
| `schema` | number | 1 |
| `kind` | text | `report` |
| `title` | text | the name of the program |
| `command` | text | the command line that ran it |
| `launches` | list of `LaunchReport` | in order; of a program that failed, the launches that had ended, and the failed one up to its failure |
| `findings` | list of object | errors that launches raised, even if the program caught them: the objects of `--format json` |
| `failure` | `ProgramFailure` or null | why the program failed, if no launch shows it; while it runs, that it has not ended |

Two reports side by side (`ttl report BEFORE AFTER -o FILE`) are an object of `kind` `reports` with `schema`, `title`, the two objects as `before` and `after`, and `diff`: the object of
`ttl profile --diff --format json`, or null if a report has no profiles.

Several reports against a baseline (`ttl report BASELINE RUN RUN... -o FILE`) are an object of `kind` `runs`:

- `schema`, `title`, `baseline`, the list `runs` of reports, and `names` of the baseline and the runs;
- `diffs` of each run, as in a pair;
- `compared`, null if one of them has no profiles: `headline`, `baseline`, `runs` (names), `operations` with `name`, `values`, `launches`, `total`, `speedups`, `kernels`, `lines`, and `others`, the launches of each run
  that the baseline does not have. `total` and each of `kernels` and of `lines` have the cycles of the `baseline`, null if it does not have that line, and a list `runs` of the cycles of each run, null if it does not
  launch the operation as often.

Positions count from 0, lines from 1. Times are cycles of the chip's clock on the emulated chip (`unit` `cycles`; [how good they are](cycles.md)). In the simulator they are steps (`unit` `steps`): a step is one call of the
language (a block acquired, stored to, pushed or popped, a copy begun or waited for). Every kernel has its own clock, like Lamport's: a call takes one step, and a call that waits for another kernel lasts until that has
acted; calls that do not wait for each other happen at the same time. The simulator has no `profile`, `roof`, `first` and `decisions`, no `links`, and no C++.

The same program with the same arguments gives the same bytes: it has no dates, and names files relative to the working folder.

## Columns

Many numbers are a *column*: `{"i": [1, 2, 3]}`, or, if it is long, `{"z": text, "n": count, "d": 0 or 1}`. `z` is base64 of a raw deflate stream of zigzag LEB128 numbers, `n` of them; with `d` 1 they are differences to the
number before, the first one to 0. In Python:

```python
from ttl.report.pack import column, unpacked

import numpy as np

numbers = np.arange(1000) * 3
assert (unpacked(column(numbers)) == numbers).all()
```

"""
# The order of the page: what a launch has, then its parts.
_FIRST = "LaunchReport"


def page() -> str:
    """The whole page."""
    tree = ast.parse(MODEL.read_text(encoding="utf-8"))
    records = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    records.sort(key=lambda record: record.name != _FIRST)
    return HEAD + "\n".join(map(_section, records))


def _section(record: ast.ClassDef) -> str:
    text = " ".join((ast.get_docstring(record) or "").split())
    rows = "\n".join(f"| `{name}` | {kind} | {meaning} |" for name, kind, meaning in _fields(record))
    return f"## `{record.name}`\n\n{_plain(text)}\n\n| field | type | |\n| --- | --- | --- |\n{rows}\n"


def _fields(record: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of each field; what stands below several is said of the last one."""
    for at, node in enumerate(record.body):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        after = record.body[at + 1] if at + 1 < len(record.body) else None
        meaning = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            meaning = _plain(" ".join(str(after.value.value).split()))
        yield node.target.id, _type(node.annotation), meaning


def _type(node: ast.expr) -> str:
    """A type in words of JSON."""
    match node:
        case ast.Name(id="Array"):
            return "column"
        case ast.Name(id="int" | "float"):
            return "number"
        case ast.Name(id="str"):
            return "text"
        case ast.Name(id="CellKind"):
            return " or ".join(f"`{kind}`" for kind in get_args(CellKind))
        case ast.Name(id=name):
            return f"`{name}`"
        case ast.Constant(value=None):
            return "null"
        case ast.BinOp(left=left, right=right):
            return f"{_type(left)} or {_type(right)}"
        case ast.Subscript(value=ast.Name(id="Literal"), slice=choices):
            values = choices.elts if isinstance(choices, ast.Tuple) else [choices]
            return " or ".join(f"`{ast.literal_eval(value)}`" for value in values)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, ast.Constant()])):
            return f"list of {_type(item)}"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=items)):
            return f"[{', '.join(map(_type, items))}]"
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, ast.Name(id="Any")])):
            return "object"
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, item])):
            return f"object of {_type(item)}"
        case _:
            return "any"


def _plain(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def main() -> int:
    """Write the page, or with ``--check`` say whether it is fresh."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    text = page()
    if parser.parse_args().check:
        stale = not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text
        if stale:
            print(
                "docs/reference/report.md is stale: run scripts/update_report_reference.py", file=sys.stderr
            )
        return int(stale)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
