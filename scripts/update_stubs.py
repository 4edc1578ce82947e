"""Writes the type stubs: what editors and type checkers know of the functions of the language, made from the rows of its table,
and of the operations of TT-MLIR's bindings (``ttmlir.dialects``), made from their classes.

    python scripts/update_stubs.py

They are beside the modules and not in git: ``make check`` writes them for mypy, and the wheel has them from ``hatch_build.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "ttmlir" / "dialects"

sys.path.insert(0, str(ROOT / "src"))

from ttl.rows.generate import write_stubs  # noqa: E402
from ttmlir.bindings.signatures import Group, Signature, snake_case  # noqa: E402
from ttmlir.bindings.views import views_of  # noqa: E402

# The dialects whose operations are ours, and those whose operations xDSL defines.
OURS = ("ttir", "ttnn", "ttkernel")
UPSTREAM = ("affine",)
HEAD = '''"""The operations of ``{dialect}``. Written by scripts/update_stubs.py from the classes of its operations."""

from collections.abc import Sequence
from typing import Any

{imports}from ttmlir.bindings.insertion import InsertionPoint
from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.scope import Location, Type
{register}
_Value = Value | Operation | OpView
{module}'''
TYPES = {"one": "Type", "optional": "Type | None", "variadic": "Sequence[Type]"}
VALUES = {"one": "_Value", "optional": "_Value | None", "variadic": "Sequence[_Value]"}


def parameters(signature: Signature, *, function: bool) -> list[str]:
    """The parameters of a class or function, as they are written; those of a function are words with underscores."""

    def spelled(name: str) -> str:
        return snake_case(name) if function else name

    types = {group.parameter: TYPES[group.arity] for group in signature.results}
    types |= {group.parameter: VALUES[group.arity] for group in signature.operands}
    types["results"] = types.get("results", "Sequence[Type] | None")
    positional = [f"{spelled(name)}: {types.get(name, 'Any')}" for name in signature.positional]
    optional = [f"{spelled(name)}: {types.get(name, 'Any')} = None" for name in signature.optional]
    return [
        *positional,
        "*",
        *optional,
        "loc: Location | None = None",
        "ip: InsertionPoint | bool | None = None",
    ]


def read_type(group: Group) -> str:
    """What a property gives."""
    return {"one": "Value", "optional": "Value | None", "variadic": "OpResultList"}[group.arity]


def stub_of(signature: Signature) -> str:
    """The class and the function of an operation."""
    inside = "".join(f"        {parameter},\n" for parameter in parameters(signature, function=False))
    text = f"\nclass {signature.class_name}(OpView):\n"
    text += f'    """{signature.doc.replace(chr(92), chr(92) * 2)}"""\n\n' if signature.doc else ""
    text += f"    def __init__(\n        self,\n{inside}    ) -> None: ...\n"
    for group in (*signature.operands, *signature.results):
        if group.parameter != "result":
            text += f"    @property\n    def {group.parameter}(self) -> {read_type(group)}: ...\n"
    for attribute in signature.attributes:
        text += f"    {attribute.parameter}: Any\n"
    name = signature.function_name
    inside = "".join(f"    {parameter},\n" for parameter in parameters(signature, function=True))
    text += f"\ndef {name}(\n{inside}) -> Any: ...\n"
    return text


def stubs(dialect: str) -> str:
    """The text of a dialect's stub."""
    ours = dialect in OURS
    head = HEAD.format(
        dialect=dialect,
        imports=f"from ttmlir.bindings import {dialect}_ir\n" if ours else "",
        register="from ttmlir.bindings.scope import register_dialect as register_dialect\n" if ours else "",
        module=f"ir = {dialect}_ir\n" if ours else "",
    )
    return head + "".join(stub_of(view.SIGNATURE) for view in views_of(dialect).values())


def write(folder: Path = FOLDER) -> list[Path]:
    """The stubs, written to a folder; where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for dialect in (*OURS, *UPSTREAM):
        path = folder / f"{dialect}.pyi"
        path.write_text(stubs(dialect), encoding="utf-8")
        paths.append(path)
    return paths


if __name__ == "__main__":
    write_stubs()
    write()
