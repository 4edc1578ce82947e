"""``ttl explain CODE``: the page of an error code; without a code, the list of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttl.cli.options import Parser, UsageError, add_settings, applied
from ttl.cli.status import Status
from ttl.diag import catalog, error
from ttl.diag.families import family_of

# The schema of the objects that ``--format json`` prints.
_SCHEMA = 1


def main(argv: Sequence[str]) -> int:
    """Run the verb. Raises ``UsageError`` TTL0107 for a code that has no page."""
    parser = Parser(
        "explain", "Explain an error code: the rule, a program that breaks it, one that does not.", "[CODE]"
    )
    parser.add_argument(
        "code", metavar="CODE", nargs="?", help="TTL0301, ttl0301 or 0301; none: list all codes"
    )
    add_settings(parser, "format")
    arguments = parser.parse_mixed(argv)
    wanted: str | None = arguments.code
    with applied(arguments) as chosen:
        text = _as_json if chosen.format == "json" else _as_text
        print(text(None if wanted is None else _code(wanted)))
    return Status.OK


def _code(wanted: str) -> str:
    result = catalog.normalized(wanted)
    if result is None or result not in catalog.codes():
        raise _unknown(wanted)
    return result


def _as_text(code: str | None) -> str:
    if code is not None:
        return catalog.explain(code)
    return "\n\n".join(_family(about, codes) for about, codes in catalog.by_heading())


def _as_json(code: str | None) -> str:
    """The page of a code as one line of JSON; for None, a line for each code, without the text of the page."""
    import json

    if code is None:
        return "\n".join(json.dumps(_entry(item, "code"), ensure_ascii=False) for item in catalog.codes())
    page = catalog.page(code)
    whole = {
        **_entry(code, "page"),
        "text": page.text,
        "fails": [{"kind": case.kind, "source": case.source, "prints": case.expected} for case in page.cases],
        "works": [
            *({"kind": "python", "source": source} for source in page.correct),
            *({"kind": "console", "source": source} for source in page.correct_commands),
        ],
    }
    return json.dumps(whole, ensure_ascii=False)


def _entry(code: str, kind: str) -> dict[str, Any]:
    family = family_of(code).value
    return {
        "schema": _SCHEMA,
        "kind": kind,
        "code": code,
        "title": catalog.page(code).title,
        "family": family,
    }


def _family(about: str, codes: Sequence[str]) -> str:
    rows = (f"  {code}  {catalog.page(code).title}" for code in codes)
    return "\n".join((about.replace("`", ""), *rows))


def _unknown(wanted: str) -> UsageError:
    near = "\n".join(f"{code}: {catalog.page(code).title}" for code in catalog.nearest(wanted))
    return UsageError(
        error(
            "TTL0107",
            f"there is no error code '{wanted}'",
            notes=(f"the nearest are\n{near}",) if near else (),
            help="'ttl explain' lists all codes",
        )
    )
