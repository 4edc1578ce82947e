"""Write docs/reference/dialect.md, the page of the ``ttl`` dialect, from its classes and their examples.

    python scripts/update_dialect.py [--check]

``--check`` changes nothing and fails when the page is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "dialect.md"

sys.path.insert(0, str(ROOT / "src"))

from xdsl.ir import Attribute, Operation  # noqa: E402
from xdsl.irdl import IRDLOperation  # noqa: E402
from xdsl.traits import Pure  # noqa: E402

from ttl.dialects import ttl  # noqa: E402
from ttl.dialects.examples import example_of  # noqa: E402
from ttl.opt.registry import PASSES  # noqa: E402

# Headings for the modules that operations are defined in, in the order of the page.
CHAPTERS = {
    "structure": "Operations and kernels",
    "buffers": "Dataflow buffers and blocks",
    "compute": "Block expressions",
    "retype": "Element types where values meet",
    "transfer": "Slices and copies",
    "pipes": "Pipes",
    "semaphores": "Semaphores",
    "queries": "Queries",
    "debug": "Debugging",
    "registers": "Tiles and registers",
}

HEAD = """\
<!-- Made by scripts/update_dialect.py; do not edit. -->
# The `ttl` dialect

What the compiler makes of an operation, before anything is lowered: everything the program says, with the place of every expression, and nothing it does not say. It is
[MLIR](https://mlir.llvm.org/docs/LangRef/), read and printed by this package; loops and conditions are those of `affine` and `scf`, arithmetic on indices that of `arith`. The generic form, and only that, can be read by
MLIR's own tools: `mlir-opt --allow-unregistered-dialect`.

`ttl compile program.py` prints it for the operations that a program calls. `ttl-opt` reads it, runs passes over it and prints it again:

```sh
ttl compile program.py | ttl-opt -p canonicalize,cse
ttl-opt kernel.mlir --pass-pipeline 'builtin.module(canonicalize,ttl-check{strict=true})' --print-ir-after-all
ttl-opt tests.mlir --split-input-file --verify-diagnostics
```

Errors are printed as `file:line:column: error: text`. The exit code is 0 when all went well, 1 when the text (or what a pass made of it) is wrong, 2 when the command line is.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, *_passes(), *_attributes("Types", ttl.TYPES), *_attributes("Attributes", ttl.ATTRIBUTES)]
    parts += _operations()
    return "\n".join(parts)


def _passes() -> Iterator[str]:
    yield "## Passes of `ttl-opt`\n"
    yield "| pass | what it does |\n| --- | --- |"
    yield "\n".join(f"| `{entry.name}` | {entry.summary} |" for entry in PASSES) + "\n"


def _attributes(title: str, kinds: Iterable[type[Attribute]]) -> Iterator[str]:
    yield f"## {title}\n"
    for kind in kinds:
        mark = "!" if kind in ttl.TYPES else "#"
        yield f"### `{mark}{kind.name}`\n\n{_doc(kind)}\n"


def _operations() -> Iterator[str]:
    by_chapter: dict[str, list[type[Operation]]] = {name: [] for name in CHAPTERS}
    for kind in ttl.OPERATIONS:
        by_chapter[kind.__module__.rpartition(".")[2]].append(kind)
    for name, kinds in by_chapter.items():
        yield f"## {CHAPTERS[name]}\n"
        if name == "compute":
            yield from _expressions()
        else:
            for kind in kinds:
                yield f"### `{kind.name}`\n\n{_doc(kind)}\n\n{_signature(kind)}\n\n{_code(kind)}\n"


def _expressions() -> Iterator[str]:
    yield (
        "One for each row of the [table of operations](operations.md), which has their rules: operands are values of blocks, or numbers where the row takes numbers; parameters are "
        "attributes, and one that is None is left out. All of them are pure.\n"
    )
    yield f"{_code(ttl.COMPUTE['exp'])}\n"
    yield "| operation | in the language | operands | parameters |\n| --- | --- | --- | --- |"
    for kind in ttl.COMPUTE.values():
        row = kind.ROW
        operands = ", ".join(f"`{operand.name}`" for operand in row.operands) or "none"
        params = ", ".join(f"`{param.name}`" for param in row.params) or "none"
        yield f"| `{kind.name}` | `{row.label}` | {operands} | {params} |"
    yield ""


def _doc(kind: type[Attribute] | type[Operation]) -> str:
    text = kind.__doc__ or ""
    return "\n".join(line.strip() for line in text.strip().splitlines()).replace("``", "`")


def _signature(kind: type[Operation]) -> str:
    assert issubclass(kind, IRDLOperation)
    definition = kind.get_irdl_definition()
    rows = [
        ("operands", [name for name, _ in definition.operands]),
        ("results", [name for name, _ in definition.results]),
        ("properties", [name for name in definition.properties if name != "operandSegmentSizes"]),
        ("regions", [name for name, _ in definition.regions]),
    ]
    said = [f"{title}: {', '.join(f'`{name}`' for name in names)}" for title, names in rows if names]
    if kind.has_trait(Pure):
        said.append("pure")
    return f"{'; '.join(said)}." if said else "No operands, results or properties."


def _code(kind: type[Operation]) -> str:
    return f"```mlir\n{example_of(kind)}\n```"


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the page is stale")
    check: bool = parser.parse_args().check
    before = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    after = page()
    if after != before and check:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/update_dialect.py")
        return 1
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
