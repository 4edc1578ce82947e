"""A page for every operation of the ``ttl`` dialect, from its class: what it takes, its rules, an example, its section of the plan.

The documentation's hook adds them to the site (``mkdocs_pages.py``); ``tests/dialects/test_operation_pages.py`` reads them.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from xdsl.ir import Operation  # noqa: E402
from xdsl.irdl import IRDLOperation, RegionDef  # noqa: E402

from support.dialect_examples import example_of  # noqa: E402
from ttl.dialects import ttl  # noqa: E402

# Sections of the plan (document 002) by the module of an operation; what came later has none.
_OF_MODULES = {
    "structure": "4.1", "buffers": "4.3", "compute": "4.4.2", "transfer": "4.5", "pipes": "4.5", "semaphores": "4.6",
    "queries": "4.7", "registers": "4.4.5", "microcores": "10.1", "distributed": "10.3",
}  # fmt: skip
_OF_OPERATIONS = {
    "ttl.create_dfb": "4.2", "ttl.create_pipe_net": "4.2", "ttl.create_semaphore": "4.2", "ttl.tensor_accessor": "4.2",
    "ttl.get_remote_semaphore": "4.2", "ttl.get_remote_multicast_semaphore": "4.2", "ttl.compute_region": "4.4.1",
    "ttl.yield": "4.4.1", "ttl.block_store": "4.4.4", "ttl.block_reduce_sum": "4.4.3", "ttl.block_reduce_max": "4.4.3",
    "ttl.block_broadcast": "4.4.3", "ttl.get_tile": "4.3", "ttl.pack_tile": "4.3",
}  # fmt: skip
# Types and attributes of MLIR.
_BUILT_IN = {
    "TensorType": "a value, `tensor`", "IndexType": "`index`", "IntegerType(1": "`i1`", "IntegerType(64": "", "Float64Type": "`f64`",
    "StringAttr": "a text", "IntegerAttr": "a number", "IntAttr": "", "DenseArrayBase": "numbers", "UnitAttr": "a flag",
    "SymbolRefAttr": "a name", "FloatAttr": "a number", "DenseIntOrFPElementsAttr": "numbers",
}  # fmt: skip
# Of the modules above, those that the plan has not.
_LATER = {
    "ttl.dfb_resident",
    "ttl.wait_any",
    "ttl.create_group",
    "ttl.group_add",
    "ttl.group_wait",
    "ttl.block_accumulate",
}


def section_of(kind: type[Operation]) -> str | None:
    """The section of the plan that an operation is from; None for one that came later."""
    if kind.name in _LATER:
        return None
    return _OF_OPERATIONS.get(kind.name) or _OF_MODULES.get(kind.__module__.rpartition(".")[2])


def rules_of(kind: type[Operation]) -> list[str]:
    """What its verifier, and those of the classes that it is made from, demand: the messages of what they refuse."""
    found: dict[str, None] = {}
    for part in kind.__mro__:
        if not part.__module__.startswith("ttl."):
            continue
        try:
            (tree,) = ast.parse(textwrap.dedent(inspect.getsource(part))).body
        except OSError:  # a class that is made for a row of the table
            continue
        for method in ast.iter_child_nodes(tree):
            if isinstance(method, ast.FunctionDef) and method.name == "verify_":
                for node in ast.walk(method):
                    match node:
                        case ast.Call(func=ast.Name(id="VerifyException"), args=[message, *_]):
                            found.update(dict.fromkeys([_words(message)]))
    return list(found)


def _words(message: ast.expr) -> str:
    match message:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "`...`" for part in parts)
    return f"what `{ast.unparse(message)}` says"


def page_of(kind: type[Operation]) -> str:
    """The page of an operation, as Markdown."""
    return "\n".join(_lines(kind)) + "\n"


def _lines(kind: type[Operation]) -> Iterator[str]:
    assert issubclass(kind, IRDLOperation)
    section = section_of(kind)
    yield f"# `{kind.name}`\n"
    yield _plain(kind.__doc__)
    row = getattr(kind, "ROW", None)
    if row is not None:
        yield (
            f"\nThe operation of `{row.label}`: {row.doc}"
            if row.doc
            else f"\nThe operation of `{row.label}`."
        )
    yield (
        f"\nSection {section} of [the plan](../plan.md)."
        if section
        else "\nThe plan has no such operation: it came later."
    )
    definition = kind.get_irdl_definition()
    parts = (
        ("Operands", definition.operands),
        ("Results", definition.results),
        (
            "Attributes",
            [(name, item) for name, item in definition.properties.items() if name != "operandSegmentSizes"],
        ),
        ("Regions", definition.regions),
    )
    for title, items in parts:
        if items:
            yield f"\n## {title}\n\n| name | what it is | how many |\n| --- | --- | --- |"
            for name, item in items:
                yield f"| `{name}` | {_kind(item)} | {_count(type(item).__name__)} |"
    traits = sorted(type(trait).__name__ for trait in kind.traits.traits)
    if traits:
        yield f"\nTraits: {', '.join(f'`{trait}`' for trait in traits)}."
    if rules := rules_of(kind):
        yield "\n## Rules\n\nBesides the types of its operands, its verifier refuses what is not so:\n"
        yield "\n".join(f"- {rule}" for rule in rules)
    if kind.assembly_format:
        yield f"\n## Form\n\n```text\n{kind.name} {kind.assembly_format}\n```"
    yield f"\n## Example\n\n```mlir\n{example_of(kind)}\n```"


def _plain(doc: str | None) -> str:
    return "\n".join(line.strip() for line in (doc or "").strip().splitlines()).replace("``", "`")


def _kind(item: object) -> str:
    """What may stand there: types and attributes by their names in the text."""
    if isinstance(item, RegionDef):
        return "a region"
    constraint = repr(getattr(item, "constr", None) or getattr(item, "entry_args", ""))
    named = {
        each.__name__: f"`{mark}{each.name}`"
        for mark, kinds in (("!", ttl.TYPES), ("#", ttl.ATTRIBUTES))
        for each in kinds
    }
    names = re.findall(r"(?:BaseAttr\(|attr=|ParamAttrConstraint\()(\w+\(?\d*)", constraint)
    words = (named.get(name.rstrip("("), _BUILT_IN.get(name.rstrip("("))) for name in names)
    return " or ".join(dict.fromkeys(word for word in words if word)) or "what the operation says"


def _count(kind: str) -> str:
    if kind.startswith("Var"):
        return "any number"
    return "one, or none" if kind.startswith("Opt") else "one"


def pages() -> dict[str, str]:
    """All pages, by the name of the operation without its dialect; ``index`` is their list."""
    kinds = list(ttl.OPERATIONS)
    index = [
        "# Operations of the `ttl` dialect\n",
        "| operation | section of the plan | what it does |",
        "| --- | --- | --- |",
    ]
    for kind in kinds:
        first = _plain(kind.__doc__).split("\n")[0]
        name = kind.name.removeprefix("ttl.")
        index.append(f"| [`{kind.name}`]({name}.md) | {section_of(kind) or ''} | {first} |")
    return {kind.name.removeprefix("ttl."): page_of(kind) for kind in kinds} | {
        "index": "\n".join(index) + "\n"
    }


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["index"]
    for name in wanted:
        print(pages()[name.removeprefix("ttl.")])
