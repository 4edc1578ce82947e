"""Writing a tuned configuration into the file, without changing anything else in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_HEAD = (
    "Configurations of tunable operations, by chip, grid and arguments. Written by 'ttl tune', and by people."
)


def entered(
    text: str,
    *,
    operation: str,
    chip: str,
    grid: Sequence[int],
    key: Sequence[str],
    config: Mapping[str, Any],
    cycles: int,
    compile_option: str | None = None,
    schedule: str | None = None,
) -> str:
    """Return ``text``, the contents of a file, with this entry, which replaces an entry for the same call."""
    import tomlkit

    document = tomlkit.parse(text) if text.strip() else tomlkit.document().add(tomlkit.comment(_HEAD))
    table = tomlkit.table()
    inline = tomlkit.inline_table()
    for name, value in config.items():
        inline[name] = value
    for name, value in (
        ("chip", chip),
        ("grid", list(grid)),
        ("key", list(key)),
        ("config", inline),
        ("cycles", cycles),
    ):
        table[name] = value
    if compile_option is not None:
        table["compile_option"] = compile_option
    if schedule is not None:
        table["schedule"] = schedule
    entries = document.get(operation)
    if entries is None:
        entries = document[operation] = tomlkit.aot()
    for number, entry in enumerate(entries):
        if (entry.get("chip"), entry.get("grid"), entry.get("key")) == (chip, list(grid), list(key)):
            if "file" in entry:
                table["file"] = entry["file"]
            entries[number] = table
            break
    else:
        entries.append(table)
    return tomlkit.dumps(document)
