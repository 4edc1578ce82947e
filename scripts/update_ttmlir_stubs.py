"""Writes the type stubs of ``ttmlir.dialects``: what editors and type checkers know of operations made from rows.

python scripts/update_ttmlir_stubs.py            write them
python scripts/update_ttmlir_stubs.py --check    only say whether they are as they would be written
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ttmlir.bindings.signatures import Group, Signature, snake_case
from ttmlir.bindings.views import views_of

FOLDER = Path(__file__).parent.parent / "src" / "ttmlir" / "dialects"
# The dialects whose operations are made from rows, and those whose operations xDSL defines.
OURS = ("ttir", "ttnn", "ttkernel")
UPSTREAM = ("affine",)
HEAD = '''"""The operations of ``{dialect}``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

{imports}from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type
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
        register="from ttmlir.bindings.registration import register_dialect as register_dialect\n"
        if ours
        else "",
        module=f"ir = {dialect}_ir\n" if ours else "",
    )
    return head + "".join(stub_of(view.SIGNATURE) for view in views_of(dialect).values())


def formatted(text: str, name: str) -> str:
    """A text as ruff formats and sorts it."""
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet", "--fix", "--select", "I,F401"], ["format", "--quiet"]):
        run = subprocess.run(
            [*ruff, *command, "--stdin-filename", str(FOLDER / name), "-"],
            input=text,
            text=True,
            capture_output=True,
            check=True,
        )
        text = run.stdout
    return text


def main() -> int:
    stale = []
    for dialect in (*OURS, *UPSTREAM):
        path = FOLDER / f"{dialect}.pyi"
        text = formatted(stubs(dialect), path.name)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"stale: {', '.join(stale)}; run python scripts/update_ttmlir_stubs.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
