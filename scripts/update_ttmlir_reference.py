"""Write the pages of TT-MLIR's dialects, and of PyTorch's functions, docs/ttmlir/reference/*.md, from the rows of their tables.

    python scripts/update_ttmlir_reference.py [--check]

``--check`` changes nothing and fails when a page is stale.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "ttmlir" / "reference"

sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.single_operations import refused, valid  # noqa: E402
from tt_model.operations.dialects import DIALECTS, operation_class, rows_of  # noqa: E402
from tt_model.operations.row import (  # noqa: E402
    NO_DEFAULT,
    AttributeDefinition,
    NoLowering,
    Row,
    SameOperation,
    WithoutInit,
)
from ttl.ir.context import make_context  # noqa: E402
from ttl.ir.parser import parse_text  # noqa: E402
from ttl.ir.printer import print_module  # noqa: E402
from ttl.kernel_api import CALLS  # noqa: E402
from ttmlir.torch.table import TABLE  # noqa: E402
from ttmlir.transforms.decomposition import DECOMPOSITIONS  # noqa: E402
from ttmlir.transforms.to_ttnn import RULES  # noqa: E402

HEADS = {
    "ttir": (
        "What a model computes, before it is known where its tensors lie. Most operations are of *destination style*: they are "
        "given the tensor that they write, and their result is that tensor. `operand_constraints` says for each operand where it may "
        "lie and how."
    ),
    "ttnn": (
        "Calls of the TTNN library. The type of every tensor says where it lies, in which layout; what moves it is an operation of "
        "its own. The pipeline `--ttir-to-ttnn-backend-pipeline` makes them of [`ttir`](ttir.md)."
    ),
    "ttmetal": (
        "Kernels that are given to cores, and the memory that they work on. Kernels are of [`ttkernel`](ttkernel.md)."
    ),
    "ttkernel": (
        "Kernels as calls of the kernel API, as TT-MLIR wrote them then. It is a form of text: the [`ttkernel` dialect of "
        "TT-Lang](../../reference/ttkernel.md) has more calls and other types, and both name one table of functions."
    ),
}
COUNTS = {"one": "", "optional": " or none", "variadic": ", any number"}


def pages() -> dict[Path, str]:
    """All pages by their files."""
    texts = {REFERENCE / f"{dialect}.md": page(dialect) for dialect in HEADS}
    texts[REFERENCE / "index.md"] = index()
    texts[REFERENCE / "aten.md"] = aten()
    return texts


def index() -> str:
    lines = [
        "<!-- Made by scripts/update_ttmlir_reference.py; do not edit. -->",
        "# Dialects of TT-MLIR",
        "",
        "The dialects are those of 2024-11-21, with the names, operands and attributes of TT-MLIR's operation reference of that "
        "date. All operations are written in MLIR's generic form; errors name the operation, the condition and the values.",
        "",
        "| dialect | operations | |",
        "| --- | --- | --- |",
    ]
    for dialect, head in HEADS.items():
        count = len(rows_of(dialect).rows)
        lines.append(f"| [`{dialect}`]({dialect}.md) | {count} | {head.partition('. ')[0]}. |")
    return "\n".join(lines) + "\n"


def aten() -> str:
    """The page of PyTorch's functions."""
    count = sum(len(row.overloads) for _, group in TABLE for row in group)
    lines = [
        "<!-- Made by scripts/update_ttmlir_reference.py; do not edit. -->",
        "# Functions of PyTorch in models",
        "",
        f"What `ttmlir.torch.compile` makes of the {count} functions of ATen that it takes ([guide](../from-pytorch.md)). Others are decomposed into "
        "these by torch itself, as far as it can; what is left is refused. Beside what is named, numbers are `ttir.constant`, "
        "conversions of type `ttir.typecast`, and dimensions of extent one come and go by `ttir.reshape`.",
        "",
    ]
    for heading, group in TABLE:
        lines += [f"## {heading}", "", "| function | becomes | refused |", "| --- | --- | --- |"]
        for row in group:
            names = ", ".join(f"`{overload.removesuffix('.default')}`" for overload in row.overloads)
            becomes = re.sub(r"(ttir\.\w+)", r"`\1`", row.becomes)
            lines.append(f"| {names} | {becomes} | {row.refused} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def page(dialect: str) -> str:
    """The page of a dialect."""
    rows = rows_of(dialect).rows
    parts = [
        "<!-- Made by scripts/update_ttmlir_reference.py; do not edit. -->",
        f"# The `{dialect}` dialect",
        "",
        HEADS[dialect],
        "",
        f"These are its {len(rows)} operations. Each stands in TT-MLIR's operation reference of 2024-11-21 under the same name.",
        "",
    ]
    for row in rows:
        parts.extend(_operation(row))
    return "\n".join(parts).rstrip() + "\n"


def _operation(row: Row) -> Iterator[str]:
    yield f"## `{row.name}`"
    yield ""
    yield f"{row.summary} {row.doc}".rstrip()
    yield ""
    if row.kernel_function in CALLS:
        yield f"A call of `{row.kernel_function}` of the kernel API."
        yield ""
    example = _example(row)
    if example:
        yield f"```mlir\n{example}\n```"
        yield ""
    yield from _table(
        "operand", [(group.name, group.kind.summary + COUNTS[group.arity]) for group in row.operands]
    )
    yield from _table("attribute", [(item.name, _attribute(item)) for item in row.attributes])
    yield from _table(
        "result", [(group.name, group.kind.summary + COUNTS[group.arity]) for group in row.results]
    )
    facts = list(_facts(row))
    if facts:
        yield "\n".join(f"- {fact}" for fact in facts)
        yield ""
    messages = [case.message for case in refused() if case.name == row.name]
    if messages:
        yield "What it refuses, with the start of the message:"
        yield ""
        yield "\n".join(["```text", *messages, "```"])
        yield ""


def _table(what: str, entries: list[tuple[str, str]]) -> Iterator[str]:
    if entries:
        yield f"| {what} | |"
        yield "| --- | --- |"
        yield from (f"| `{name}` | {text} |" for name, text in entries)
        yield ""


def _attribute(item: AttributeDefinition) -> str:
    summary = item.kind.summary or f"array of {_ARRAYS[item.name]}"
    if item.default is not NO_DEFAULT:
        return f"{summary}; `{item.kind.make(item.default)}` where it is not given"
    return f"{summary}; may be absent" if item.optional else summary


# What the arrays hold that have no description in MLIR.
_ARRAYS = {
    "operand_constraints": "`#tt.operand_constraint`",
    "iterator_types": "`#tt.iterator_type`",
    "core_ranges": "`#ttmetal.core_range`",
    "kernelConfigs": "`#ttkernel.noc_config`, `#ttkernel.tensix_config` or `#ttkernel.ethernet_config`",
}


def _facts(row: Row) -> Iterator[str]:
    if row.inits is not None:
        yield f"Destination style: `{row.inits}` is what it writes, and of the type of the result."
    if row.regions is None or row.regions:
        yield "It has a region." if row.regions else "It has regions."
    for trait in row.traits:
        yield f"`{trait}`."
    kind = operation_class(row.name)
    if DECOMPOSITIONS.of(kind) is not None:
        yield "`ttir-to-ttir-decomposition` expands it."
    match row.lowering:
        case SameOperation():
            yield f"In TTNN it is `ttnn.{row.mnemonic}`."
        case WithoutInit():
            yield f"In TTNN it is `ttnn.{row.mnemonic}`, without the destination."
        case NoLowering(reason=reason):
            yield f"{reason}."
        case None if RULES.of(kind) is not None:
            yield "`convert-ttir-to-ttnn` converts it by a rule of its own."
    if row.flatbuffer is not None:
        type = f", with the type `{row.flatbuffer.type}`" if row.flatbuffer.type else ""
        yield f"In a TTNN file it is a `{row.flatbuffer.table}`{type}."


def _example(row: Row) -> str:
    single = next((single for single in valid() if single.name == row.name), None)
    if single is None:
        return ""
    text = print_module(parse_text(make_context(DIALECTS), single.text(), "example.mlir"))
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if f'"{row.name}"' in line)
    end = next(
        number
        for number, line in enumerate(lines)
        if number > start and line.strip() in ("return", "func.return")
    )
    written = [line[4:] for line in lines[start:end]]
    # A long line is continued at its attributes and its types.
    return "\n".join(
        re.sub(r" (?=<\{|: \(|-> )", "\n  ", line) if len(line) > 200 else line for line in written
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, fail when a page is stale")
    check = parser.parse_args().check
    stale = 0
    for path, text in pages().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/update_ttmlir_reference.py")
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
