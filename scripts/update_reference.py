"""Write the tables of docs/reference/command-line.md from the table of settings.

    python scripts/update_reference.py [--check]

What stands between the markers ``<!-- settings -->`` and ``<!-- /settings -->`` is replaced, and the same for
``exit-codes`` and ``verbs``. ``--check`` changes nothing and fails when the page is stale.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "command-line.md"

sys.path.insert(0, str(ROOT / "src"))

from ttl.cli.main import VERBS  # noqa: E402
from ttl.cli.status import MEANING  # noqa: E402
from ttl.settings import SETTINGS, Setting  # noqa: E402

# What stands for None, by name.
_UNSET = {"grid": "the chip's", "cache_dir": "`~/.cache/ttl`"}


def settings_table() -> str:
    """One row for every setting."""
    head = "| flag | variable | values | default | what it does |\n| --- | --- | --- | --- | --- |\n"
    return head + "\n".join(
        f"| {_flag(row)} | `{row.env}` | {_values(row)} | {_default(row)} | {row.help} |" for row in SETTINGS
    )


def _flag(row: Setting) -> str:
    return (
        f"`{row.flag}`, `--no-{row.flag[2:]}`"
        if row.type in ("bool", "switch")
        else f"`{row.flag} {_metavar(row)}`"
    )


def _metavar(row: Setting) -> str:
    return row.name.upper() if row.type == "choice" else row.metavar


def _values(row: Setting) -> str:
    if row.type == "choice":
        return ", ".join(f"`{choice}`" for choice in row.choices)
    return row.allowed.replace("'", "`")


def _default(row: Setting) -> str:
    match row.default:
        case None:
            return _UNSET.get(row.name, "none")
        case bool(value):
            return "`1`" if value else "`0`"
        case value:
            return f"`{value}`"


def exit_codes() -> str:
    """One row for every exit code."""
    rows = "\n".join(f"| {status.value} | {text} |" for status, text in MEANING)
    return (
        f"| code | meaning |\n| --- | --- |\n{rows}\n| n | the program's own, when it calls `sys.exit(n)` |"
    )


def verbs() -> str:
    """One row for every verb."""
    rows = "\n".join(f"| `ttl {f'{verb.name} {verb.arguments}'.strip()}` | {verb.help} |" for verb in VERBS)
    return f"| command | what it does |\n| --- | --- |\n{rows}"


def updated(text: str) -> str:
    """The page with its tables as they are now."""
    for name, table in (("settings", settings_table()), ("exit-codes", exit_codes()), ("verbs", verbs())):
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        found = pattern.search(text)
        if found is None:
            raise SystemExit(f"{PAGE}: the markers of '{name}' are missing")
        text = f"{text[: found.start()]}{found[1]}\n{table}\n\n{found[2]}{text[found.end() :]}"
    return text


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the page is stale")
    check: bool = parser.parse_args().check
    before = PAGE.read_text(encoding="utf-8")
    after = updated(before)
    if after != before and check:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/update_reference.py")
        return 1
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
