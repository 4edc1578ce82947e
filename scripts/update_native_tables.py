"""Write what C++ shares with Python: the rules and rows of the native core, and the tile functions of the emulated chip.

    python scripts/update_native_tables.py [--check]

Block states come from ``ttl.protocol.blocks``, operations and their functions from ``ttl.rows.table``. ``--check`` changes
nothing and fails when a file is stale.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from enum import IntEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "native" / "generated" / "tables.h"
EMULATED = ROOT / "src" / "ttl" / "emu" / "include" / "ttl_emu"

sys.path.insert(0, str(ROOT / "src"))

from ttl.protocol.blocks import (  # noqa: E402
    COPIED_IN,
    COPIED_OUT,
    ILLEGAL,
    LAST_RESERVE,
    NOT_READ_YET,
    STEPS,
    Role,
    State,
    Step,
    flat_table,
    initial_state,
)
from ttl.rows.row import Op  # noqa: E402
from ttl.rows.table import OPS  # noqa: E402
from ttl.rows.types import TILE  # noqa: E402

_NAMESPACES = ("operator", "math", "block")


def header() -> str:
    """The whole file."""
    return "\n".join(
        [
            "// Made by scripts/update_native_tables.py from ttl.protocol and ttl.rows; do not edit.",
            "#pragma once",
            "",
            "#include <cstdint>",
            "",
            "namespace ttl::tables {",
            "",
            *_states(),
            "",
            *_operations(OPS),
            "",
            "}  // namespace ttl::tables",
            "",
        ]
    )


def _states() -> Iterator[str]:
    yield "// States of a block (ttl.protocol.blocks)."
    yield from _constants("State", State)
    yield ""
    yield "// What a kernel does to a block."
    yield from _constants("Step", tuple(Step)[:STEPS])
    yield ""
    yield "// How a block was acquired and by which kind of kernel; those of reserve come first."
    yield from _constants("Role", Role)
    yield f"constexpr int kLastReserve = {_name('Role', LAST_RESERVE)};"
    yield ""
    yield "// The state after a step, by `state * kSteps + step`; kIllegal where the step is an error."
    yield f"constexpr int8_t kIllegal = {ILLEGAL};"
    yield "constexpr int8_t kTransitions[kRoles][kStates * kSteps] = {"
    for role in Role:
        *flat, last = flat_table(role)
        assert last == role and len(flat) == len(State) * STEPS
        yield f"    {{  // {role.name.lower().replace('_', ' ')}"
        for state in State:
            row = ", ".join(f"{value:2}" for value in flat[state * STEPS : (state + 1) * STEPS])
            yield f"        {row},  // {state.name.lower().replace('_', ' ')}"
        yield "    },"
    yield "};"
    yield "// The state right after the acquisition."
    initial = ", ".join(_name("State", initial_state(role)) for role in Role)
    yield f"constexpr int8_t kInitial[kRoles] = {{{initial}}};"
    yield "// Where the end of a copy leads: into the block; from it, of the last one where several read it."
    yield f"constexpr int8_t kCopiedIn = {_name('State', COPIED_IN)};"
    yield f"constexpr int8_t kCopiedOut = {_name('State', COPIED_OUT)};"
    yield "// Code of the error about a block that is written again before it was read."
    yield f"constexpr char kNotReadYet[] = {json.dumps(NOT_READ_YET)};"


def _constants(kind: str, values: Collection[IntEnum]) -> Iterator[str]:
    for value in values:
        yield f"constexpr int8_t {_name(kind, value)} = {int(value)};"
    yield f"constexpr int k{kind}s = {len(values)};"


def _name(kind: str, value: IntEnum) -> str:
    return _constant(kind, value.name)


def _constant(kind: str, name: str) -> str:
    return f"k{kind}{''.join(word.capitalize() for word in name.split('_'))}"


def _operations(rows: Iterable[Op]) -> Iterator[str]:
    rows = tuple(rows)
    yield "// Rows and columns of a tile, in elements."
    yield f"constexpr int kTile = {TILE};"
    yield ""
    yield "// Operations (ttl.rows.table), by their index there."
    for index, row in enumerate(rows):
        yield f"constexpr int {_constant('Op', row.name)} = {index};"
    yield f"constexpr int kOps = {len(rows)};"
    yield ""
    yield "enum class Namespace : int8_t { " + ", ".join(name.capitalize() for name in _NAMESPACES) + " };"
    yield ""
    yield "struct Operation {"
    yield "  const char *name;"
    yield "  Namespace where;"
    yield "  int8_t operands;        // blocks, or numbers where `scalars` says so"
    yield "  int8_t params;"
    yield "  uint8_t scalars;        // bit i: a Python number may stand in place of operand i"
    yield "  const char *dunder;     // the operator's method, or nullptr"
    yield "  const char *reflected;  // the one for a number on the left, or nullptr"
    yield "};"
    yield "constexpr Operation kOperations[kOps] = {"
    for row in rows:
        scalars = sum(operand.scalar << index for index, operand in enumerate(row.operands))
        where = f"Namespace::{row.namespace.capitalize()}"
        yield (
            f"    {{{json.dumps(row.name)}, {where}, {len(row.operands)}, {len(row.params)}, {scalars}, "
            f"{_text(row.dunder)}, {_text(row.reflected)}}},"
        )
    yield "};"


def _text(value: str | None) -> str:
    return "nullptr" if value is None else json.dumps(value)


# The macro that defines a function, by the form and how many parameters it takes.
_MACROS = {
    ("unary", 0): "1", ("scalar", 0): "1", ("unary", 1): "P1", ("scalar", 1): "P1", ("unary", 2): "P2",
    ("unary", 3): "P3", ("dst", 0): "2",
}  # fmt: skip


def functions(written: str) -> str:
    """The functions of registers that rows name, and their inits, but for those that are ``written`` by hand."""
    known = set(re.findall(r"(?:void |TTL_EMU_SETUP\(|TTL_EMU_2F\()(\w+)[()]", written))
    known |= {f"{name}_tile" for name in known} | {f"{name}_tile_init" for name in known}
    # What no row named so far, for kernels that are written by hand.
    for init, name in re.findall(r"TTL_EMU_(INIT_AND_)?P?\d\((\w+)\)", written):
        known |= {name, f"{name}_init"} if init else {name}
    lines: dict[str, str] = {}
    for call in (call for row in OPS for calls in row.hardware.values() for call in calls):
        if call.init is not None and call.init.name not in known:
            lines[call.init.name] = f"TTL_EMU_SETUP({call.init.name})"
        if call.reads_registers and call.function.name not in known:
            macro = _MACROS[call.form, len(call.function.arguments)]
            lines[call.function.name] = f"TTL_EMU_{macro}({call.function.name})"
    return "\n".join(
        ["// Made by scripts/update_native_tables.py from ttl.rows; do not edit.", *lines.values(), ""]
    )


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the file is stale")
    check: bool = parser.parse_args().check
    texts = {
        HEADER: header(),
        EMULATED / "rows.h": functions((EMULATED / "vector.h").read_text(encoding="utf-8")),
    }
    stale = {
        path: text
        for path, text in texts.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        if check:
            print(f"{path.relative_to(ROOT)} is stale: run scripts/update_native_tables.py")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
