"""``while`` is followed where it is known how often it runs, and a loop of the IR elsewhere: that is told before, or continued from there."""

from __future__ import annotations

import pytest
from xdsl.dialects import scf

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

# What calls a function by way of a list is not foreseen.
UNFORESEEN = "t = 0\ndef inc():\n    nonlocal t\n    t += n + 1\nfs = [inc]\n"
PROGRAMS = {
    "the condition is open in the second iteration": UNFORESEEN + "while t < 5:\n    fs[0]()\nprint(t)",
    "and acts": UNFORESEEN
    + "k = 0\nwhile (k := k + 1) < 9 and t < 5:\n    fs[0]()\n    see(k)\nprint(t)\nprint(k)",
    "with else": UNFORESEEN
    + "while t < 5:\n    fs[0]()\n    if t == 4:\n        break\nelse:\n    print('else')\nprint(t)",
    "left under a condition": UNFORESEEN
    + "while True:\n    fs[0]()\n    see(t % 8)\n    if t > 4:\n        break\nprint(t)",
    "left, with else": UNFORESEEN
    + "k = 0\nwhile k < 4:\n    k += 1\n    fs[0]()\n    if t > 6:\n        break\nelse:\n    print('else')\nprint(t)\nprint(k)",
    "left by return": UNFORESEEN
    + "def g():\n    k = 0\n    while k < 4:\n        k += 1\n        fs[0]()\n        if t > 6:\n            return k\n"
    "        if t == 3:\n            continue\n        see(k)\n    else:\n        print('else')\n    return t\nprint(g())",
    "counted up": "t = 0\nwhile t < 100:\n    t += 1\n    see(t % 8)\nprint(t)",
    "counted down": "t = 300\nwhile t >= 10:\n    t -= 3\n    see(t % 8)\nprint(t)",
    "long, and not counted": "t = k = 0\nwhile t < 1000:\n    k += 1\n    t = t + k % 3\nprint(t)",
    "never": "t = n\nwhile t and 3 > 4:\n    t -= 1\nelse:\n    print('else')\nprint(t)",
    "never, which a call says": "t = n\nwhile t and all(n > 10 for k in range(3)):\n    t -= 1\nprint(t)",
    "one in the other": "t = n\nwhile t > 0:\n    k = 0\n    while k < 3:\n        k += 1\n    t -= k\nprint(t)",
    "a list grows": "xs = []\nk = 0\nwhile k < 3:\n    k += 1\n    xs.append(n + k)\nprint(xs[0])\nprint(xs[2])",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_does_what_cpython_does(name: str) -> None:
    judgement = judged(Program(name="courses", movement=PROGRAMS[name]))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("t = 0\nwhile t < 20:\n    t += 1\n    print(t)", 0),
        ("t = 0\nwhile t < 20:\n    t += 1\n    print(t)\n    if n == t:\n        break", 1),
        ("t = 0\nwhile t < n:\n    t += 1\n    print(t)", 1),
        ("t = 0\nwhile t < 10:\n    for k in range(3):\n        t += k + x\n    print(t)", 1),
        ("def f():\n    return n if x else z\nt = 0\nwhile t < f():\n    t += 1", 1),
        ("t = 0\nwhile t < 65:\n    t += 1\n    print(t)", 1),
        ("t = 0\nwhile t < 65:\n    t += 2\n    print(t)", 0),
    ],
)
def test_what_is_told(body: str, loops: int) -> None:
    judgement = judged(Program(name="courses", movement=body))
    assert judgement.verdict == "right" and judgement.module is not None, judgement
    assert [isinstance(each, scf.WhileOp) for each in judgement.module.walk()].count(True) == loops
