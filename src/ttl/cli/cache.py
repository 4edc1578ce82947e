"""``ttl cache``: shows the contents of the cache folder, which are kept for later runs, or removes them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ttl import settings
from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.program import unwritable
from ttl.cli.status import Status

# The parts of the cache folder, each with a description. Nothing else in the folder is counted or removed.
PARTS = (
    ("check", "what checks have found"),
    ("emu/kernels", "kernels compiled for the emulated chip"),
    ("emu/precompiled", "their headers, compiled"),
    ("emu/include", "their headers"),
    ("instruction-set", "which instructions are the fastest on this processor"),
    ("tune", "measurements of ttl tune"),
    ("pages", "pages of error codes, for editors"),
    ("of-programs", "kernels of programs that an agent has run by ttl mcp"),
)


def main(argv: Sequence[str]) -> int:
    """Run the verb: print text, or one JSON object with ``--format json``.

    Raises ``UsageError`` TTL0117 when a part of the cache cannot be removed.
    """
    parser = Parser(
        "cache",
        "Show what is kept in the cache folder for the next run, or remove it. Running programs continue without it.",
        "",
    )
    parser.add_argument("--clear", action="store_true", help="remove it")
    add_settings(parser)
    arguments = parser.parse(argv)
    with applied(arguments) as chosen:
        folder = settings.cache_folder(chosen)
        parts = [] if folder is None else [_part(Path(folder), name, what) for name, what in PARTS]
        if arguments.clear and folder is not None:
            _clear(Path(folder))
        result = {
            "schema": 1,
            "kind": "cache",
            "folder": folder,
            "limit_bytes": chosen.cache_limit << 20,
            "cleared": arguments.clear,
            "parts": parts,
        }
        print(json.dumps(result) if chosen.format == "json" else _text(result))
    return Status.OK


def _part(folder: Path, name: str, what: str) -> dict[str, Any]:
    count, size = 0, 0
    for root in folders_of(folder, name):
        for path, _, files in os.walk(root):
            for file in files:
                try:
                    size += os.stat(os.path.join(path, file), follow_symlinks=False).st_blocks * 512
                except OSError:
                    continue  # another process has removed it
                count += 1
    return {"name": name, "what": what, "files": count, "bytes": size}


def folders_of(folder: Path, name: str) -> Iterator[Path]:
    """The folders of a part; the names of folders with headers end in a version."""
    return (folder / name).parent.glob(f"{Path(name).name}*")


def _clear(folder: Path) -> None:
    for name, _ in PARTS:
        for part in folders_of(folder, name):
            try:
                shutil.rmtree(part)
            except FileNotFoundError:
                shutil.rmtree(part, ignore_errors=True)  # another process writes there
            except OSError as problem:
                raise UsageError(unwritable(str(part), problem)) from None


def _text(result: dict[str, Any]) -> str:
    if result["folder"] is None:
        return "nothing is kept: the cache is switched off"
    lines = [f"{'removed from ' if result['cleared'] else ''}{result['folder']}:"]
    for part in result["parts"]:
        amount = f"{part['bytes'] / (1 << 20):,.1f} MB in {part['files']:,} file{'s' * (part['files'] != 1)}"
        lines.append(f"  {part['name']:<16} {amount:<28} {part['what']}")
    if not result["cleared"]:
        limit = f"{result['limit_bytes'] >> 20:,} MB"
        lines.append(
            f"kernels take at most {limit} (--cache-limit, TTL_CACHE_LIMIT); 'ttl cache --clear' removes all"
        )
    return "\n".join(lines)
