"""Write ``docs/llms.txt`` (https://llmstxt.org): the pages of the documentation for language models, with a sentence on each.

    python scripts/update_llms.py [--check]

The pages, their order and titles are those of ``mkdocs.yml``; the sentence is the first of the page.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "llms.txt"
HEAD = """# TT-Lang

> Kernels for Tenstorrent chips in Python: language, checker, simulator, compiler and emulated chip, all without a card; and TT-MLIR, the compiler of whole models.

An agent's loop: `ttl check --format json --fix kernel.py` (runs nothing), `ttl run --format json kernel.py`, then with `--sanitize`, then `--target emu --compare`, then `ttl profile kernel.py`; `ttl score --format json kernel.py` says how far it is, from 0 to 1, and what to do next. `ttl explain CODE` has the page of every error code. `ttl mcp` serves these as tools of the Model Context Protocol.
"""


class _Loader(yaml.SafeLoader):
    """Tags of MkDocs (``!!python/name``) mean nothing here."""


_Loader.add_multi_constructor("", lambda loader, suffix, node: None)


def llms() -> str:
    """The file as it is to be."""
    nav = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)["nav"]
    return HEAD + "".join(_part(item, "Start") for item in nav)


def _part(item: dict[str, Any], above: str) -> str:
    ((title, value),) = item.items()
    if isinstance(value, list):
        # The entries of a door, then its sections, each under the names of both.
        name = title if above == "Start" else f"{above}: {title}"
        pages = [inner for inner in value if not any(isinstance(part, list) for part in inner.values())]
        text = f"\n## {name}\n\n" + "".join(_part(inner, name) for inner in pages) if pages else ""
        return text + "".join(_part(inner, name) for inner in value if inner not in pages)
    line = f"- [{title}]({value}){_sentence(ROOT / 'docs' / value)}\n"
    return line if above != "Start" else f"\n{line}"


def _sentence(path: Path) -> str:
    """The first sentence of a page, behind a colon; nothing for a page that is generated when the site is built."""
    if not path.is_file():
        return ""
    page = path.read_text(encoding="utf-8")
    prose = re.sub(r"<!--.*?-->|^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    for paragraph in prose.split("\n\n"):
        text = " ".join(paragraph.split())
        if text and text[0].isalpha():
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
            return ": " + re.split(r"(?<=[.:]) (?=[A-Z`])", text)[0].rstrip(":")
    return ""


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the file is stale")
    arguments = parser.parse_args()
    text = llms()
    stale = not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != text
    if stale and not arguments.check:
        TARGET.write_text(text, encoding="utf-8")
    print(
        "docs/llms.txt is "
        + ("stale: run scripts/update_llms.py" if stale and arguments.check else "up to date")
    )
    return int(stale and arguments.check)


if __name__ == "__main__":
    raise SystemExit(main())
