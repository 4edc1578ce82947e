"""Write the pages of our dialects, docs/reference/dialect.md and ttkernel.md, from their classes and examples.

    python scripts/update_dialect.py [--check]

``--check`` changes nothing and fails when a page is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"

sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from xdsl.ir import Attribute, Operation  # noqa: E402
from xdsl.irdl import IRDLOperation  # noqa: E402
from xdsl.traits import Pure  # noqa: E402

from support import kernel_examples  # noqa: E402
from support.dialect_examples import example_of  # noqa: E402
from ttl.dialects import ttkernel, ttl  # noqa: E402
from ttl.ir.pipeline import summary_of  # noqa: E402
from ttl.kernel_api import Call  # noqa: E402
from ttl.kernel_api.table import FAMILIES  # noqa: E402
from ttl.opt.main import TTL_OPT  # noqa: E402

# Headings for the modules that operations are defined in, in the order of the page.
CHAPTERS = {
    "structure": "Operations and kernels",
    "microcores": "Microcores",
    "buffers": "Dataflow buffers and blocks",
    "compute": "Block expressions",
    "elements": "Element types where values meet",
    "transfer": "Slices and copies",
    "distributed": "Distributed tensors",
    "parts": "Parts of values",
    "pipes": "Pipes",
    "semaphores": "Semaphores",
    "queries": "Queries",
    "lookup": "Constant lists",
    "debug": "Debugging",
    "external": "The user's own C++",
    "registers": "Tiles and registers",
}

HEAD = """\
<!-- Made by scripts/update_dialect.py; do not edit. -->
# The `ttl` dialect

What the compiler makes of an operation, before anything is lowered: everything the program says, with the place of every expression, and nothing it does not say. It is
[MLIR](https://mlir.llvm.org/docs/LangRef/), read and printed by this package; loops and conditions are those of `affine` and `scf`, arithmetic on indices that of `arith`. The generic form, and only that, can be read by
MLIR's own tools: `mlir-opt --allow-unregistered-dialect`.

`ttl compile program.py --emit ttl` prints it for the operations that a program calls. `ttl-opt` reads it, runs passes over it and prints it again:

```sh
ttl compile program.py --emit ttl | ttl-opt -p canonicalize,cse
ttl-opt kernel.mlir --pass-pipeline 'builtin.module(canonicalize,ttl-check{strict=true})' --print-ir-after-all
ttl-opt tests.mlir --split-input-file --verify-diagnostics
```

Each operation has [a page of its own](ttl/index.md), made from its class: what it takes, the rules of its verifier, an example, and its section of [the plan](plan.md).

Errors are printed as `file:line:column: error: text`. The exit code is 0 when all went well, 1 when the text (or what a pass made of it) is wrong, 2 when the command line is.
"""

KERNEL_HEAD = """\
<!-- Made by scripts/update_dialect.py; do not edit. -->
# The `ttkernel` dialect

What the compiler lowers operations to: kernels of TT-Metalium, as calls of its kernel API, with the loops of `scf` and the arithmetic of `arith` around them. It does not depend on the generation of the API; the C++
printer knows how each spells a call. Calls are named as in the dialect of the same name in TT-MLIR, or after the function of the older generation. [The `ttl` dialect](dialect.md) is what it is made from.

`ttl compile program.py --emit ttkernel` prints it.
"""


def page() -> str:
    """The whole page of ``ttl``."""
    types, attributes = ((kind, "!") for kind in ttl.TYPES), ((kind, "#") for kind in ttl.ATTRIBUTES)
    parts = [HEAD, *_passes(), *_attributes("Types", types), *_attributes("Attributes", attributes)]
    parts += _operations()
    return "\n".join(parts)


def kernel_page() -> str:
    """The whole page of ``ttkernel``."""
    parts = [KERNEL_HEAD, *_attributes("Types", ((kind, "!") for kind in ttkernel.TYPES))]
    parts.append("## Programs and kernels\n")
    for kind in ttkernel.STRUCTURE:
        code = f"```mlir\n{kernel_examples.example_of(kind)}\n```"
        parts.append(f"### `{kind.name}`\n\n{_doc(kind)}\n\n{_signature(kind)}\n\n{code}\n")
    parts.append("## Calls\n")
    parts.append(
        "Operands are values; constants are attributes. Types are written of circular buffers only, the others follow from the call.\n\n"
        f"```mlir\n{kernel_examples.example_of(ttkernel.class_of('matmul_block'))}\n```\n"
    )
    for title, rows in FAMILIES.items():
        parts.append(
            f"### {title}\n\n| call | operands | constants | C++ | what it does |\n| --- | --- | --- | --- | --- |"
        )
        parts.append("\n".join(map(_row, rows)) + "\n")
    return "\n".join(parts)


def _row(row: Call) -> str:
    operands = ", ".join(f"`{each.name}`" for each in row.operands)
    constants = ", ".join(f"`{each.name}`" for each in row.constants)
    names = {each.name: each.name for each in row.arguments}
    texts = {
        generation: f"`{'; '.join(''.join(statement.pieces(names)) for statement in spelling)}`"
        for generation, spelling in row.spelling.items()
        if spelling
    }
    if len(set(texts.values())) > 1 or len(texts) < 2:
        texts = {generation: f"{generation}: {text}" for generation, text in texts.items()}
    spelled = "<br>".join(dict.fromkeys(texts.values()))
    cells = (f"`{row.name}`", operands, constants, spelled, row.doc)
    return f"| {' | '.join(cells)} |"


def _passes() -> Iterator[str]:
    yield "## Passes of `ttl-opt`\n"
    yield "| pass | what it does |\n| --- | --- |"
    yield "\n".join(f"| `{kind.name}` | {summary_of(kind)} |" for kind in TTL_OPT.passes) + "\n"


def _attributes(title: str, kinds: Iterable[tuple[type[Attribute], str]]) -> Iterator[str]:
    yield f"## {title}\n"
    for kind, mark in kinds:
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
    parser.add_argument("--check", action="store_true", help="change nothing, fail when a page is stale")
    check: bool = parser.parse_args().check
    stale = 0
    for name, make in (("dialect.md", page), ("ttkernel.md", kernel_page)):
        path = REFERENCE / name
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        after = make()
        if after != before and check:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/update_dialect.py")
            stale = 1
        elif after != before:
            path.write_text(after, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
