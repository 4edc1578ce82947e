"""Texts that are small and unfold to much are refused with a place; no text takes time that grows faster than it does."""

from __future__ import annotations

import io

import pytest

from ttl.ir.unfolding import DEEPEST, MOST_PARTS
from ttmlir.opt.main import TTMLIR_OPT


def read(text: str) -> tuple[int, str, str]:
    out, said = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run([], io.StringIO(text), out, said)
    return status, out.getvalue(), said.getvalue()


def chain(first: str, following: str, count: int, last: str) -> str:
    lines = [first, *(following.format(new=at, old=at - 1) for at in range(1, count))]
    return "\n".join([*lines, last.format(last=count - 1), ""])


USES = "module attributes {{a.x = #a{last}}} {{}}"
TWICE = "#a{new} = [#a{old}, #a{old}]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (chain("#a0 = [1, 1]", TWICE, 60, USES), f"<stdin>:15:1: error: alias #a14 has more than {MOST_PARTS:,} parts"),
        (chain("#a0 = {a = 1}", "#a{new} = {{a = #a{old}, b = #a{old}}}", 60, USES), "parts when it is written out"),
        (chain("!t0 = tuple<i1>", "!t{new} = tuple<!t{old}, !t{old}>", 60, "func.func private @f(!t{last})"), "parts when it is written out"),
        (chain('#l0 = loc("a")', "#l{new} = loc(fused[#l{old}, #l{old}])", 60, "func.func private @f() loc(#l{last})"), "alias #l15 has more than"),
        ("\n".join(f"#l{at} = loc(fused[#l{at + 1}, #l{at + 1}])" for at in range(60)) + '\n#l60 = loc("a")\nfunc.func private @f() loc(#l0)\n', "parts when it is written out"),
        (chain("#a0 = [1]", "#a{new} = [#a{old}]", 5_000, USES), f"parts inside of more than {DEEPEST} others"),
        (chain("#a0 = [1, 1]", TWICE, 13, "module attributes {{a.x = [" + ", ".join(["#a12"] * 50) + "]}} {{}}"), "aliases have more than 1,0"),
        (chain("!t0 = tuple<i1>", "!t{new} = tuple<!t{old}, !t{old}>", 13, "".join(f"func.func private @f{at}(tuple<!t12, !t12>)\n" for at in range(200))), "aliases have more than 1,"),
        ("module attributes {a.x = " + "[" * 5_000 + "]" * 5_000 + "} {}\n", "nested too deeply"),
    ],
    ids=["lists", "dictionaries", "types", "locations", "locations further down", "a chain", "many uses", "many types", "brackets"],
)  # fmt: skip
def test_what_unfolds_to_too_much_is_refused(text: str, said: str) -> None:
    status, out, told = read(text)
    assert (status, out) == (1, "")
    assert said in told
    assert len(told.split("\n")[0]) < 200


def test_what_is_large_and_used_often_is_read() -> None:
    """As many layouts as a large model has: each use of an alias unfolds to all of its parts."""
    text = chain("#a0 = [1, 1]", TWICE, 10, USES)
    status, out, told = read(text)
    assert (status, told) == (0, "")
    assert out.count("1, 1") == 2**9
    layout = "#l = array<i64: 1, 2>\n"
    uses = "".join(f"func.func private @f{at}() attributes {{a.x = [#l, #l, #l]}}\n" for at in range(300))
    assert read(layout + uses)[0] == 0
