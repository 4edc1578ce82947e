"""Syntax that is nested deeply is read to a bound on every road, and refused beyond it at its line, however deep the caller is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from frontend.test_limits import checked
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.frontend.file import lower_file
from ttl.session import CHOSEN, SOURCES, Session, Sources
from ttl.session.switches import Settings
from ttl.source.depth import MOST_LEVELS

PROGRAM = """\
import ttl, ttnn

@ttl.operation(grid=(8, 8))
def op(a):
    n = ttl.node(dims=1)
{body}
    @ttl.datamovement()
    def read():
        v = 0
{kernel}
        print(v)

{host}
op(ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""
PLACES = ("body", "kernel", "host")


def _chain(links: int) -> str:
    arms = [f"elif (n * {i + 3}) % 61 == {i % 61}:\n    v = {i}\n" for i in range(links)]
    return "".join(arms).removeprefix("el")


FORMS: dict[str, Callable[[int], str]] = {
    "elif": _chain,
    "sum": lambda links: f"v = {' + '.join(['n'] * links)}\n",
    "chosen": lambda links: f"v = {''.join(f'{i} if n * {i + 3} % 61 == 1 else ' for i in range(links))}0\n",
    "attribute": lambda links: f"v = n{'.real' * links}\n",
    "sign": lambda links: f"v = {'- ' * links}n\n",
    "and": lambda links: f"v = {' and '.join(['n'] * links)}\n",
}


def program(text: str, place: str) -> str:
    levels = {"kernel": " " * 8, "body": " " * 4, "host": ""}
    text = "n = len(dir(ttl))\n" + text if place == "host" else text
    lines = "".join(f"{levels[place]}{line}\n" for line in text.splitlines())
    return PROGRAM.format(**{each: lines if each == place else "" for each in PLACES})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_nested_beyond_the_bound_is_refused_at_its_line(form: str, place: str) -> None:
    """Outside of operations it has no value; a long ``and`` is no deeper than a short one, also in syntax."""
    report = checked(program(FORMS[form](MOST_LEVELS + 40), place))
    findings = [(each.code, each.primary.span.line) for each in report.findings if each.primary is not None]
    if place == "host" or form == "and":
        assert findings == [], report.findings
        return
    ((code, line),) = findings
    first = 6 if place == "body" else 10
    assert code == "TTL1312" and f"{MOST_LEVELS} levels" in report.findings[0].message
    assert first + (2 * (MOST_LEVELS - 20) if form == "elif" else 0) <= line <= first + 2 * MOST_LEVELS


@pytest.mark.parametrize("form", FORMS)
def test_what_is_nested_within_the_bound_is_checked(form: str) -> None:
    assert list(checked(program(FORMS[form](260), "kernel")).findings) == []


def test_what_is_nested_within_the_bound_is_compiled() -> None:
    """A chain of ``elif`` comes to the passes as branches one in the other."""
    text = program(_chain(150), "kernel")
    with Session({SOURCES: Sources({"<program>": text}), CHOSEN: Settings()}).entered():
        compiled = compile_module(lower_file("<program>").module, settings.current())
    assert compiled.diagnostics == [] and len(compiled.descriptions) == 1


def test_the_depth_of_the_caller_takes_nothing_away() -> None:
    text = program(_chain(MOST_LEVELS - 40), "kernel")

    def below(levels: int) -> list[object]:
        return list(checked(text).findings) if not levels else below(levels - 1)

    assert below(600) == []
