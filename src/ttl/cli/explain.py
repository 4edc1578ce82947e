"""``ttl explain CODE``: the page of an error code; without a code, the list of all."""

from __future__ import annotations

from collections.abc import Sequence

from ttl.cli.options import Parser, UsageError
from ttl.cli.status import Status
from ttl.diag import catalog, error


def main(argv: Sequence[str]) -> int:
    """Run the verb. Raises ``UsageError`` TTL0107 for a code that has no page."""
    parser = Parser(
        "explain", "Explain an error code: the rule, a program that breaks it, one that does not.", "[CODE]"
    )
    parser.add_argument(
        "code", metavar="CODE", nargs="?", help="TTL0301, ttl0301 or 0301; none: list all codes"
    )
    wanted: str | None = parser.parse(argv).code
    if wanted is None:
        print("\n\n".join(_family(about, codes) for about, codes in catalog.by_heading()))
        return Status.OK
    result = catalog.normalized(wanted)
    if result is None or result not in catalog.codes():
        raise _unknown(wanted)
    print(catalog.explain(result))
    return Status.OK


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
