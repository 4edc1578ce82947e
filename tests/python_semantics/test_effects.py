"""What a value that the node selects does, it does where it is that value: block mathematics and special methods of objects."""

from __future__ import annotations

import pytest

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

_CLASS = """\
@dataclass
class Pair:
    first: object
class Plain:
    def __init__(self, v):
        self.v = v
class Key(Plain):
    def __eq__(self, other):
        return self.v == other.v
    def __hash__(self):
        return 1
class Noisy:
    def __init__(self, v):
        self.v = v
    def __str__(self):
        print("str", self.v)
        return "noisy"
"""
_RETURNS = {
    "eq": "True", "lt": "True", "gt": "self.v > 1", "bool": "self.v > 2", "neg": "3", "contains": "True", "add": "4", "abs": "5",
}  # fmt: skip
_BINARY = ("eq", "lt", "gt", "contains", "add")
_CLASS += "".join(
    f"    def __{name}__(self{', other' * (name in _BINARY)}):\n        print({name!r}, self.v)\n        return {result}\n"
    for name, result in _RETURNS.items()
)
_TWO = "c = Noisy(1)\nd = Noisy(2)\n"
_OBJECTS = _TWO + "e = c if n > 2 else d\nf = c if n > 2 else n\n"
_NUMBER_OR_BLOCK = "e = n\nif n > 2:\n    e = blk\n"


def _of_movement(text: str) -> None:
    judgement = judged(Program(functions=_CLASS, movement=text))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize(
    "expression",
    [
        "e == 1, 1 == e, e != 1, f == 1",
        "e < 4, 4 < e, f > c",
        "-e, not e, abs(e), e + 1",
        "f and 1, e or 2, 1 if f else 2",
        "e in (1, 2), 1 in e, c in (e, 3), f in [n, 5]",
        "(e, 1) == (c, 1), [f, 1] == [c, 1], {1: e} == {1: c}",
        "any([e, f]), all([e, f])",
        "[e].count(3), (c, e).index(e), max(c, e) is c",
        "e is c, e < 3 < e",
    ],
)
def test_special_methods_of_a_selected_object_are_called_for_that_object(expression: str) -> None:
    _of_movement(f"{_OBJECTS}print({expression})\n")


@pytest.mark.parametrize(
    "expression",
    [
        "(n, c) == (x, d), [n, c] != [x, d]",
        "(n, c) < (x, d), [1, c] < [1, d], [n, 2] <= [x, 2, n]",
        "{1: n, 2: c} == {1: x, 2: d}",
        "n in (x, c), c in (n, x, d), c in (1, 2), [1, c] in [[1, d]]",
        "[n, c].index(c), (x, c).count(n), (c, d).index(d)",
        "all([c, d]), any([c, d]), any([c, n])",
        "d in iter((c, d)), 1 in iter((c, 2))",
        "Pair(c) == Pair(d), Pair(n) in [Pair(x)], [Pair(n)].count(Pair(x)), (Pair(n), 1) == (Pair(x), 1)",
    ],
)
def test_containers_compare_members_as_far_as_python_does(expression: str) -> None:
    """The first members that differ decide, and no other is asked; a member is on the left of what is looked for."""
    _of_movement(f"{_TWO}print({expression})\n")


def test_the_text_of_objects_is_made_by_their_methods() -> None:
    _of_movement(f"{_OBJECTS}print(c)\nprint(f, f'{{e}}')\n")


def test_the_text_of_containers_has_what_the_node_knows_in_it() -> None:
    _of_movement("print([n, Pair(n)], {'a': n}, f'{(x, z)} {Pair([n])}', str([n, 'b']))\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "print(Plain(1))",
            "the text of an object of Plain",
        ),
        ("print([f'{n}'])", "the text of a block, buffer or number"),
        ("print([f'{n}'] == ['0'])", "the text of a block, buffer or number"),
        ("print(len({Key(1): 2}))", "cannot be compiled"),
        ("print(len({Key(1), Key(1)}))", "cannot be compiled"),
        ("print('{}'.format(Noisy(1)))", "the text of an object in another"),
    ],
)
def test_what_no_text_or_key_is_made_of_is_refused(text: str, said: str) -> None:
    judgement = judged(Program(functions=_CLASS, movement=f"{text}\n"))
    assert judgement.verdict == "refused" and said in judgement.text, judgement


@pytest.mark.parametrize(
    "text",
    [
        "e = n\nif n:\n    e = n if 0 else blk\ne > n\n",  # seeds 35712, 41707 and 56646, made small
        f"{_NUMBER_OR_BLOCK}-e\n",
        f"{_NUMBER_OR_BLOCK}n < e\n",
        f"{_NUMBER_OR_BLOCK}f = (e > n, 1)\n",
        f"{_NUMBER_OR_BLOCK}for i in range(n):\n    e > n\n",
        f"{_NUMBER_OR_BLOCK}print(n > 3 and [e > 3] == [])\n",
        "e = n\nif n > 2:\n    e = blk + 1\nprint(n > 3 and [e > 3] == [])\n",
    ],
)
def test_block_mathematics_of_a_selected_value_is_computed_where_python_does(text: str) -> None:
    judgement = judged(Program(compute=text))
    assert judgement.verdict in ("right", "refused"), judgement


@pytest.mark.parametrize(
    "text",
    [
        "e = blk if n > 2 else (blk if x else blk)\nprint(blk == e, blk is e, e in (blk, 1))\n",  # seed 67687, made small
        "e = (blk if x else blk, 1)\nprint(e == (blk, 1), e[0] is blk, [e[0]].count(blk))\n",
        "def g(v):\n    return blk if v else blk\nprint(g(n) is blk)\n",
        "e = blk if x else None\nprint(e is None, e is blk)\n",
        "e = blk if x else blk\ne += blk + 1\nput(blk)\n",
    ],
)
def test_a_block_that_the_node_chooses_is_that_block(text: str) -> None:
    judgement = judged(Program(compute=text))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize(
    "expression", ["e in (blk,)", "[e, blk].index(blk)", "{blk: 1}.get(e)", "len({blk, e})", "[e].count(blk)"]
)
def test_which_of_several_expressions_it_is_nobody_knows(expression: str) -> None:
    judgement = judged(Program(compute=f"e = blk if x else blk + 1\nprint({expression})\n"))
    assert judgement.codes == ("TTL1306",), judgement


_SHOWN = "def f(v):\n    print('f', v)\n    return v\n"


@pytest.mark.parametrize(
    "text",
    [
        "print(list(map(f, (1, 2))), [*(f(v) for v in (0, 1))], ','.join(str(f(v)) for v in (3, 4)))",
        "print(*map(f, (1, 2)), f(3), sum(f(v) for v in (0, 1, 2)), any(f(v) for v in (0, 1, 2)))",
        "for v in (n + w for w in (1, 2)):\n    print(v)",
        "for i, v in enumerate(map(lambda w: (w, [n]), (1, 2))):\n    print(i, v)",
    ],
)
def test_members_that_are_all_taken_at_once_may_do_something(text: str) -> None:
    judgement = judged(Program(functions=_SHOWN, movement=f"{text}\n"))
    assert judgement.verdict == "right", judgement
