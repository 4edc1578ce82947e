"""The lists in ``docs/reference/host.md``, made from the library itself.

``python -m ttl.host.reference docs/reference/host.md`` writes them anew; a test fails when they are stale.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from ttl.host import api
from ttl.host.calling import signature_text
from ttl.host.table import ALIASES, BINARY, IN_PLACE, TERNARY, UNARY

BEGIN = "<!-- made by python -m ttl.host.reference: do not edit from here -->"
END = "<!-- to here -->"

# Modules in the order of the page, with their headings.
_SECTIONS = (
    ("convert", "Conversion"),
    ("creation", "Creation"),
    ("movement", "Layout, device, memory, type"),
    ("matmul", "Matrix products"),
    ("reductions", "Reductions"),
    ("normalization", "Softmax and norms"),
    ("shaping", "Shapes"),
    ("indexing", "Parts"),
    ("convolution", "Convolutions"),
    ("pooling", "Pooling and resizing"),
    ("caches", "Caches of keys and values"),
    ("more", "Gates, losses, comparisons, quantisation, files"),
    ("trace", "Traces and events"),
    ("collectives", "Collectives"),
    ("mesh", "Meshes: mappers and composers"),
    ("mesh_programs", "Meshes: programs, links, global semaphores"),
    ("coordinates", "Meshes: places"),
    ("device", "Devices"),
    ("fabric", "Links and dispatch, without effect on results"),
    ("memory", "Memory configurations"),
    ("cores", "Cores"),
    ("tensor", "Tensors"),
    ("shape", "Shape"),
    ("config", "Configurations without effect on results"),
)


def render() -> str:
    """Every public name with signature and one line, Markdown."""
    parts = [_elementwise()]
    known = {name: getattr(api, name) for name in api.public_names()}
    for module, heading in _SECTIONS:
        rows = []
        for name, value in known.items():
            named = inspect.isclass(value) or inspect.isroutine(value)
            if named and value.__module__ == f"ttl.host.{module}":
                rows.append(_row(name, value))
        parts.append(_table(f"### {heading}", rows))
    for module in ("transformer", "experimental", "kv_cache"):
        below = vars(known[module])
        rows = [_row(f"{module}.{name}", below[name]) for name in sorted(below) if callable(below[name])]
        parts.append(_table(f"### `ttnn.{module}`", rows))
    constants = [name for name, value in known.items() if not callable(value) and not inspect.ismodule(value)]
    listed = ", ".join(f"`{name}`" for name in constants)
    parts.append(
        f"### Constants\n\n{listed}. The element types are also members of `DataType`, in capitals.\n"
    )
    return "\n".join(parts)


def _elementwise() -> str:
    parts = []
    for heading, operands, rows in (
        ("of one tensor", "x", UNARY),
        ("of two tensors, or a tensor and a number", "a, b", BINARY),
        ("of three tensors or numbers", "a, b, c", TERNARY),
    ):
        lines = []
        for row in rows:
            params = "".join(f", {name}" for name, _ in row.params)
            lines.append(f"| `{row.name}({operands}{params})` | {_cell(row.summary)} |")
        parts.append(_table(f"### Elementwise, {heading}", lines))
    clamp = "`clamp(x, min, max)` (also `clip`) keeps values within numbers or tensors."
    aliases = ", ".join(f"`{alias}` is `{name}`" for alias, name in ALIASES.items())
    in_place = ", ".join(f"`{name}_`" for name in IN_PLACE)
    parts.append(f"{clamp} Second names: {aliases}. Written into the first operand: {in_place}.\n")
    return "\n".join(parts)


def _row(name: str, value: Any) -> str:
    summary = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    if inspect.isclass(value) or not hasattr(value, "__wrapped__"):
        return f"| `{name}` | {_cell(summary)} |"
    text = signature_text(value)
    return f"| `{name}{_cell(text[text.index('(') :])}` | {_cell(summary)} |"


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def _table(heading: str, rows: list[str]) -> str:
    return "\n".join([heading, "", "| | |", "| --- | --- |", *rows, ""])


def refreshed(page: str) -> str:
    """Return the page with its lists regenerated."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{render()}\n{END}{after}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
