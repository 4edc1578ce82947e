"""What functions that are defined in a loop see of it: a value that no loop carries, of which nobody reads the old one, is no obstacle."""

from __future__ import annotations

from pathlib import Path

import pytest

from python_semantics.judge import judged
from support.programs import run_ttl
from support.random_programs.one_body import program
from support.random_programs.python.programs import Program

_DEFINED = "    if i == n:\n        v = [i, 1]\n        def f():\n            print(v[0])\n"
_BROKEN = "    if i == n + 2:\n        break\n    v = [i, 1]\n"
# What a loop does, and what is behind it.
RIGHT = {
    "called where it is defined": _DEFINED + "        f()",
    "by another one": _DEFINED + "        def g():\n            f()\n        g()",
    "in a loop that is left": _BROKEN + "    def f():\n        print(v[0])\n    f()",
    "a lambda with a name": _BROKEN + "    f = lambda: v[0]\n    print(f())",
    "a lambda without": _BROKEN + "    print((lambda: v[0])())",
}
REFUSED = {
    "called in the next turn": _DEFINED + "    if i > n:\n        f()",
    "called behind the loop": _BROKEN + "    def f():\n        print(v[0])\n    f()\nf()",
    "kept in a list": _DEFINED + "        functions[0] = f\nfunctions[0]()",
    "by another name": _DEFINED + "        g = f\n    if i > n:\n        g()",
    "by another one, later": _DEFINED + "        def g():\n            f()\n    if i > n:\n        g()",
    "a lambda in the next turn": _BROKEN + "    if i > 0:\n        print(f())\n    f = lambda: v[0]",
    "given to a function": _DEFINED + "        g = same(f)\n    if i > n:\n        g()",
}
_BEFORE = "functions = [None]\ndef same(given):\n    return given\nv = [7, 7]\nfor i in range(n + 3):\n"


@pytest.mark.parametrize("name", RIGHT)
def test_nobody_reads_what_it_was(name: str) -> None:
    """CPython prints the same."""
    judgement = judged(Program(name="captured", movement=_BEFORE + RIGHT[name]))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize("name", REFUSED)
def test_somebody_may_read_what_it_was(name: str) -> None:
    """It would have to be carried to the next turn, and cannot be: a list is no number."""
    judgement = judged(Program(name="captured", movement=_BEFORE + REFUSED[name]))
    assert judgement.verdict == "refused", judgement
    assert "TTL1305" in judgement.codes


def test_a_random_body_with_such_functions(tmp_path: Path) -> None:
    """A function of a pipe captures ``blk``, which a loop elsewhere in the body is left with: every execution takes it alike."""
    (tmp_path / "bodies.py").write_text(program(range(410, 411)))
    assert "nothing found" in run_ttl(["check", "bodies.py"], folder=tmp_path).stdout
    for target in ("sim", "emu"):
        run = run_ttl(["run", "--target", target, "bodies.py"], folder=tmp_path)
        assert (run.stdout.split()[1:2], run.stderr) == (["True"], "")
