"""Lists that several names, containers and calls share, lists made of others, and parts of lists that are assigned or deleted."""

from __future__ import annotations

import pytest

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

HEAD = "import copy\nfrom collections import deque\nxs = [1, 2]\nd = {1: xs}\nq = deque([xs])\n"
SHARED = (
    "xs", "max([xs, [0]])", "d.get(1)", "d.setdefault(1, [])", "d[1]", "q[0]", "next(iter([xs]))", "operator.getitem(d, 1)",
    "functools.reduce(lambda a, b: a, [xs, 3])", "[xs].pop()", "dict(d).pop(1)", "tuple([xs])[0]", "sorted([xs])[0]", "(lambda v: v)(xs)",
    "list(d.values())[0]", "d.copy()[1]", "list(map(lambda v: v, [xs]))[0]", "operator.itemgetter(1)(d)", "operator.iadd(xs, [4])",
    "next(reversed([xs]))", "next(zip([xs]))[0]", "next(v for v in [xs])", "max([xs], key=len)", "[xs][:][0]", "([xs] + [0])[0]", "([xs] * 2)[1]",
)  # fmt: skip
AROUND = ("for i in range(n + 1):", "if n:", "for i in range(1000):", "while xs[0] < n:")
NEW = (
    "xs + [n]", "xs * 2", "2 * xs", "[0] * 4", "[n] * 4", "xs.copy()", "list(xs)", "[*xs]", "xs[:]", "xs[::-1]", "sorted([3, 1])", "(xs + xs)[1:]",
    "[v for v in xs]", "deque(xs)", "list(range(4))[1:]", "'a b'.split()", "list(reversed(xs))", "copy.copy(xs)",
)  # fmt: skip
PARTS = (
    "xs[1:] = [n, n + 1]", "xs[:] = (n, 5)", "xs[::2] = [n, 5]", "del xs[0]", "xs[1:1] = xs", "xs[1:1] = (v * n for v in xs)",
    "xs[1:1] = map(lambda v: v + n, xs)", "xs[1:] += [n, 4]", "xs[1:] *= 2", "a, xs[1:], b = 4, [n, 2], 5", "a, *xs[1:] = 4, n, 2, 5",
    "xs[slice(1, 2)] = [n, 7]", "del xs[::2], xs[0]", "k = -1\nxs[k:] = range(n, n + 2)", "xs[True] = n", "xs[len(xs):] = [n]",
    "for i in range(3):\n    xs[i:] = [i, n, 7]", "for i in range(3):\n    ys = [0, 1, 2, 3]\n    del ys[i:]\n    xs.append(len(ys))",
    "ys = xs\nxs[:] = [n] * 3\nxs[0] = ys[2] + 1",
)  # fmt: skip


@pytest.mark.parametrize("shared", SHARED)
def test_a_list_that_a_call_gives_is_the_one_that_was_there(shared: str) -> None:
    """Changed where a node may or may not come, or not know how often: all but the last were silently wrong, or refused."""
    for around in AROUND:
        text = f"{HEAD}{around}\n    ys = {shared}\n    ys[0] += 1\nprint(xs[0])\n"
        judgement = judged(Program(movement=text))
        assert judgement.verdict in ("right", "refused"), judgement


@pytest.mark.parametrize("new", NEW)
def test_a_list_that_was_just_made_may_be_changed_where_it_was_made(new: str) -> None:
    text = f"{HEAD}if n:\n    ys = {new}\n    ys[1] = n\n    print(len(ys), ys[1], xs[1])\n"
    judgement = judged(Program(movement=text))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_list_is_assigned_and_deleted(part: str) -> None:
    text = f"xs = [0, 1, 2, 3]\n{part}\nprint(len(xs), *[v for v in xs])\n"
    judgement = judged(Program(movement=text))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize("part", ["xs[n:] = [5]", "del xs[n:]", "xs[n % 2] = 5", "xs[1:] = range(n)"])
def test_what_only_the_node_knows_of_a_part_is_refused(part: str) -> None:
    judgement = judged(Program(movement=f"xs = [0, 1, 2, 3]\n{part}\nprint(len(xs))\n"))
    assert judgement.codes == ("TTL1305",), judgement


DEFAULTS = (
    "d[7]", "operator.getitem(d, 7)", "operator.itemgetter(7)(d)", "[d[k] for k in (7, 8)]", "d[7].append(n)",
    "v = d[7] or 1", "d[7] += [1]", "print(len(d[7]))",
)  # fmt: skip


@pytest.mark.parametrize("read", DEFAULTS)
@pytest.mark.parametrize("around", ["if n:", "for i in range(n):", "for i in range(2):", "if True:"])
def test_reading_a_dictionary_with_defaults_may_change_it(around: str, read: str) -> None:
    """Where only some nodes read, the others were silently given the member, too."""
    head = "from collections import defaultdict\nd = defaultdict(list)\n"
    judgement = judged(Program(movement=f"{head}{around}\n    {read}\nprint(len(d))\n"))
    expected = ("right",) if around == "if True:" else ("right", "refused")
    assert judgement.verdict in expected, judgement


def cached(body: str, kernel: str) -> str:
    return judged(Program(functions=f"@functools.lru_cache\ndef f(k):\n{body}", movement=kernel)).verdict


def test_a_cached_function_is_computed_where_nobody_can_tell() -> None:
    """Its calls were evaluated each time: what it printed came again, and lists that it had given were not the same list."""
    assert (
        cached(
            "    r = [k]\n    r.append(k + n_)\n    return r[1] * 2\nn_ = 4\n", "print(f(1) + f(2), f(n))\n"
        )
        == "right"
    )
    assert cached("    return k if k < 2 else f(k - 1) + f(k - 2)\n", "print(f(15))\n") == "right"
    assert cached("    return [k, 3]\n", "print(f(1)[0] + f(1)[1])\n") == "right"
    assert cached('    print("f")\n    return k\n', "print(f(1) + f(1))\n") == "refused"
    assert cached("    return [k]\n", "f(1).append(n)\nprint(len(f(1)))\n") == "refused"
    assert cached("    return k, [k]\n", "f(1)[1].append(n)\nprint(len(f(1)[1]))\n") == "refused"
