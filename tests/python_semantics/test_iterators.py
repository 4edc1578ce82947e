"""Iterators in kernels are Python's: a member is computed when it is taken, with what names and containers are then."""

from __future__ import annotations

import pytest

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

_SHOWN = "def f(v):\n    print('f', v)\n    return v\n"
_COUNTER = """\
k = 2
def h():
    nonlocal k
    k += 1
    return k
"""


def _in_function(text: str) -> str:
    return "def q():\n" + "".join(f"    {line}\n" for line in f"{_COUNTER}{text}".splitlines()) + "q()\n"


def _is_right(text: str) -> None:
    judgement = judged(Program(functions=_SHOWN, movement=f"{text}\n"))
    assert judgement.verdict == "right", judgement


_LATE = {
    "a name": "k = 0\ng = (k + v for v in (1, 2))\nk = 5\nprint(list(g))",
    "what it goes over": "xs = [1]\ng = (v for v in xs)\nxs = [3]\nprint(list(g))",
    "a list that grows": "xs = [1]\ng = (v for v in xs)\nxs.append(3)\nprint(list(g))",
    "map": "k = 0\ng = map(lambda v: v + k, (1, 2))\nk = 5\nprint(list(g))",
    "filter": "k = 1\ng = filter(lambda v: v > k, (1, 2, 3))\nk = 2\nprint(list(g))",
    "zip": "xs, ys = [1], [3]\ng = zip(xs, ys)\nxs.append(2)\nys.append(n)\nprint(list(g))",
    "enumerate": "xs = [1]\ng = enumerate(xs)\nxs.append(n)\nprint(list(g))",
    "reversed": "xs = [1, 2]\ng = reversed(xs)\nxs[0] = n\nprint(list(g))",
    "iter": "xs = [1, 2, 3]\ng = iter(xs)\nprint(next(g))\nxs.insert(0, n)\nprint(list(g))",
    "chain": "xs, ys = [1], [2]\ng = itertools.chain(xs, ys)\nys.append(n)\nprint(list(g))",
    "takewhile": "k = 3\ng = itertools.takewhile(lambda v: v < k, (1, 2, 3))\nk = 2\nprint(list(g))",
    "accumulate": "xs = [1]\ng = itertools.accumulate(xs)\nxs.append(4)\nprint(list(g))",
    "in a dictionary": "k = 2\nd = {'g': (a * k for a in (1, 2))}\nk = 3\nprint(list(d['g']))",
    "of a function": "def mk(k):\n    g = (k + v for v in (1, 2))\n    k = 7\n    return g\nprint(list(mk(3)))",
    "by a closure": "k = 1\ndef change(v):\n    nonlocal k\n    k = v\ng = (k + v for v in (1, 2))\nchange(n)\nprint(list(g))",
    "by a branch": "k = 0\ng = (k + v for v in (1, 2))\nif n > 2:\n    k = 5\nprint(list(g))",
    "by a loop": "k = 0\ng = (k + v for v in (1, 2))\nfor i in range(n):\n    k += i\nprint(list(g))",
    "in a loop": "for i in range(n):\n    k = 0\n    g = (k + v for v in (1, 2))\n    k = i\n    print(list(g))",
    "its own counter": _in_function("g = (h() * a for a in (1, 2, 3, 4))\nfor i in range(3):\n    print(next(g), k)\nprint(k)"),
    "its own walrus": "y = 0\ng = ((y := v + n) for v in (1, 2))\nprint(y, next(g), y)\ny = 9\nprint(y, next(g), y)",
}  # fmt: skip


@pytest.mark.parametrize("text", _LATE.values(), ids=_LATE.keys())
def test_a_member_is_computed_with_what_names_and_containers_are_when_it_is_taken(text: str) -> None:
    _is_right(text)


@pytest.mark.parametrize(
    "text",
    [
        "xs = [1, 2]\nfor i, v in enumerate(xs):\n    if i < 3:\n        xs.append(v + n)\n    print(i, v)",
        "xs = [1]\nfor v, w in zip(xs, [1, 2, 3]):\n    xs.append(v + n)\n    print(w, v)",
        "d = {'a': 1, 'b': 2}\nfor k, v in d.items():\n    d['b'] = n\n    print(k, v)",
        "xs = [1]\nprint([xs.append(v + 1) or v for v in xs if len(xs) < 4])",
        "xs = [1]\nxs.extend(v + len(xs) for v in (1, 2))\nxs += (v + len(xs) for v in (1, 2))\nprint(xs)",
        "g = iter([1, 2, 3, 4])\nprint([(v, next(g)) for v in g])",
        "g = iter([1, 2, 3, 4])\nprint(list(zip(g, g)), list(g))",
        "v = (4, n)\nprint([v for v in v], list(v for v in v))",
    ],
)
def test_a_container_that_is_gone_over_may_change(text: str) -> None:
    _is_right(text)


@pytest.mark.parametrize(
    "text",
    [
        "g = (f(v) for v in (0, 1))\nprint(1)\nprint(next(g))\nprint(2, list(g))",
        "for v in map(f, (0, 1)):\n    print(v)",
        "for v in map(f, (0, 1, 2)):\n    print(v)\n    if v == 1:\n        break",
        "for i, v in enumerate(f(w) for w in (1, 2)):\n    print(i, v)\n    if n == v:\n        continue\n    print(9)",
        "print(any(map(f, (0, 1, 2))), 1 in (f(v) for v in (0, 1, 2)))",
        "k = []\nfor v in (k.append(w) for w in (0, 1)):\n    print(len(k))",
        "for v in filter(f, (0, 1)):\n    print(v)",
        "print(list(enumerate(f(w) for w in (1, 2))), list(zip((f(w) for w in (1, 2)), map(f, (3, n)))))",
        "print(sorted((f(v) for v in (4, 3)), key=f), max((f(v) for v in (3, 4)), key=f))",
        "print(functools.reduce(lambda a, b: f(a + b), (f(v) for v in (1, 2, 3))))",
        "print(next((v for v in (1, 2, 3) if f(v) > 1)), next((v for v in (1, 2) if f(v) > 5), n))",
        "g = (f(v) for v in (1, 2, 3))\nh = (f(v + n) for v in g)\nprint(next(h), next(g), list(h))",
    ],
)
def test_what_a_member_does_it_does_when_it_is_taken(text: str) -> None:
    _is_right(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("for v in map(f, (0, 1, 2)):\n    if v == n:\n        break", "TTL1301"),
        ("print(any(map(lambda v: f(v) == n, (0, 1, 2))))", "TTL1301"),
        ("g = iter((1, 2, 3))\nprint(any(v == n for v in g))\nprint(list(g))", "TTL1310"),
        ("g = map(f, (1, 2, 3))\nif n:\n    print(next(g))\nprint(list(g))", "TTL1310"),
        ("for v in zip(range(n), (1, 2, 3)):\n    print(v)", "TTL1305"),
    ],
)
def test_what_the_node_would_have_to_take_is_refused(text: str, code: str) -> None:
    judgement = judged(Program(functions=_SHOWN, movement=f"{text}\n"))
    assert judgement.codes == (code,), judgement


_SIZED = """\
class Sized:
    def __iter__(self):
        print("iter")
        return iter((2, 1))
    def __len__(self):
        print("len")
        return 2
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("print(list(Sized()), tuple(Sized()), sorted(Sized()), sum(Sized()), set(Sized()))", "right"),
        ("a, b = Sized()\nprint(a, b, max(Sized()))", "right"),
        ("print([*Sized()])", "refused"),
        ("print(*Sized())", "refused"),
        ("xs = []\nxs.extend(Sized())\nprint(xs)", "refused"),
    ],
)
def test_the_length_of_an_object_is_asked_for_where_python_does(text: str, verdict: str) -> None:
    judgement = judged(Program(functions=_SIZED, movement=f"{text}\n"))
    assert judgement.verdict == verdict, judgement
