"""What is done with values that the node selects, of which no value of the IR can be one: texts, lists, tensors, buffers, functions."""

from __future__ import annotations

import pytest

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

PROGRAMS = {
    "a member of a list": "s = 'left' if n % 2 else 'right'\nxs = [s, 1]\nprint(xs[0])",
    "members that a function returns": "def f(v):\n    return 'a' if v else 'b'\nxs = [f(n), 1, f(x)]\nprint(xs[0], xs[2])",
    "a value of a dictionary": "s = 'left' if n % 2 else 'right'\nd = {'k': s}\nprint(d['k'])",
    "a key of a dictionary": "s = 'left' if n % 2 else 'right'\nd = {s: 3}\nprint(d.get('left', 0))",
    "a member of a set": "s = 'left' if n % 2 else 'right'\nprint(len({s, 'left'}))",
    "members of a comprehension": "xs = ['a' if n == k else 'b' for k in range(3)]\nprint(xs[1])",
    "what a comprehension goes over": "for k in [v + 1 for v in ((1, 2) if n else (3,))]:\n    see(k)",
    "in place": "s = 'a' if n else 'b'\ns += 'c'\nprint(s)",
    "in place, with a choice": "s = 'q'\ns += 'a' if n else 'b'\nprint(s)",
    "a list in place": "xs = [1] if n else [2, 3]\nxs += [4]\nprint(len(xs), xs[0])",
    "a method": "s = 'a' if n else 'b'\nprint(s.upper())",
    "a method of a choice": "s = ('a' if n else 'b').upper()\nprint(s)",
    "a member is assigned": "xs = [1, 2] if n else [3, 4]\nxs[0] = 7\nprint(xs[0], xs[1])",
    "a member is deleted": "xs = [1, 2] if n else [3, 4, 5]\ndel xs[0]\nprint(len(xs))",
    "unpacked": "p, q = (1, 2) if n else (3, 4)\nprint(p, q)",
    "unpacked with a star": "p, *q = (1, 2) if n else (3, 4, 5)\nprint(p, len(q))",
    "given with a star": "def f(*v):\n    return len(v)\nprint(f(*((1, 2) if n else (3,))))",
    "given by keywords": "def f(a=1, b=2):\n    return a * 10 + b\nprint(f(**({'a': 5} if n else {'b': 7})))",
    "functions that act": "k = 0\ndef f():\n    nonlocal k\n    k += 1\ndef g():\n    nonlocal k\n    k += 5\n(f if n else g)()\nprint(k)",
    "a loop over it": "t = (1, 2) if n else (3,)\nfor v in t:\n    see(v)",
    "a loop over what a function returns": "def f():\n    return (1, 2) if n else (3,)\nfor v in f():\n    see(v)",
    "a loop over ranges": "for v in range(3) if n else range(x, 5):\n    see(v)\nprint('x')",
    "members with their numbers": "t = 'ab' if n else 'c'\nfor i, v in enumerate(t):\n    print(i, v)",
    "members of two": "t = 'ab' if n else 'c'\nfor v, i in zip(t, (1, 2)):\n    print(i, v)",
    "a loop that is left": "t = (1, 2, 3) if n else (3,)\nfor v in t:\n    if v == x + 1:\n        break\n    see(v)\nelse:\n    print('else')\nprint('end')",
    "a loop that returns": "def f(t):\n    for v in t:\n        if v == n:\n            return v * 10\n    return 0\nprint(f((1, 2, 3) if x else (3,)))",
    "after a function that counts": "k = 0\ndef inc():\n    nonlocal k\n    k += 1\n    return k\ndef h(a, b):\n    return a + b\nprint(h(inc(), ([1, 2] if n == k else [3, 4, 5]).count(3)))",
    "between functions that count": "k = 0\ndef inc():\n    nonlocal k\n    k += 1\n    return k\ndef h(p, t):\n    ttl.copy(t, p).wait()\nwith seen_dfb.reserve() as b:\n    h(b, (a if n == inc() else a)[inc(), 0])\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nprint(k)\nsee(1)",
    "a key that is there": "d = {'a': 1}\ns = 'a' if n else 'b'\nif s == 'a':\n    print(d[s])",
    "keys that go together": "d = {('a', 'c'): 1, ('b', 'd'): 2}\ns = 'a' if n else 'b'\nt = 'c' if n else 'd'\nprint(d[s, t])",
    "a tensor": "src = a if n else y\nwith seen_dfb.reserve() as b:\n    ttl.copy(src[x, 0], b).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "slices": "with seen_dfb.reserve() as b:\n    ttl.copy(a[x, 0] if n else a[z, 0], b).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "a slice with a name": "s = a[x, 0] if n else a[z, 0]\nwith seen_dfb.reserve() as b:\n    ttl.copy(s, b).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "a tensor of a dictionary": "ts = {'p': a, 'q': y}\ns = 'p' if n else 'q'\nwith seen_dfb.reserve() as b:\n    ttl.copy(ts[s][x, 0], b).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "a transfer": "with seen_dfb.reserve() as b:\n    xf = ttl.copy(a[0, 0], b) if n else ttl.copy(a[1, 0], b)\n    xf.wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "a transfer without a name": "with seen_dfb.reserve() as b:\n    (ttl.copy(a[0, 0], b) if n else ttl.copy(a[1, 0], b)).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "a text of a text": "s = 'a' if n else 'b'\nt = f'{s}-{n}'\nprint(t)\nprint(f'{t}!' if False else t)",
    "joined texts": "s = 'a' if n else 'b'\nprint('-'.join([s, 'c']))",
    "tuples in tuples": "t = (1, 'a') if n else (2, 'b')\nu = (t, 3)\nprint(u[0][1], u[0][0])",
    "matched": "s = 'a' if n else 'b'\nmatch s:\n    case 'a':\n        print(1)\n    case _:\n        print(2)",
    "partial functions": "import functools\ndef g(p, q):\n    return p * 10 + q\nf = functools.partial(g, 1) if n else functools.partial(g, 2)\nprint(f(x))",
    "parts of tuples": "t = (1, 2, 3) if n else (4, 5, 6)\nprint(t[1:][0], t[::-1][0])",
    "sums of its members": "t = (1, 2) if n else (3,)\nprint(sum(v * x for v in t), any(v == n for v in t))",
    "a part of a tensor": "p = slice(0, 1) if n else slice(x, x + 1)\nwith seen_dfb.reserve() as b:\n    ttl.copy(a[p, 0], b).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "an index of a tensor": "p = (x, 0) if n else (z, 0)\nwith seen_dfb.reserve() as b:\n    ttl.copy(a[p], b).wait()\nwith seen_dfb.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()\nsee(0, 1)",
    "members are taken": "xs = [1, 2] if n else [3, 4, 5]\nprint(xs.pop() + xs.pop(0))",
    "a member in place": "d = {'k': 'a' if n else 'b'}\nd['k'] += 'c'\nprint(d['k'])",
    "loops in loops": "for v in (1, 2) if n else (3,):\n    for w in 'ab' if x else 'c':\n        print(v, w)",
    "lists of lists": "xs = [[1], [2]] if n else [[3]]\nfor q in xs:\n    q.append(4)\nprint(len(xs[0]))",
}
BUFFERS = """
p_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
q_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
"""
BLOCKS = {
    "blocks of a choice": "with (p_dfb if n else q_dfb).reserve() as b:\n    ttl.copy(a[0, 0], b).wait()\nwith (p_dfb if n else q_dfb).wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()",
    "blocks of a buffer with a name": "d = p_dfb if n else q_dfb\nwith d.reserve() as b:\n    ttl.copy(a[0, 0], b).wait()\nwith d.wait() as b:\n    ttl.copy(b, y[n * 8, 0]).wait()",
    "blocks of two buffers": "d = p_dfb if n else q_dfb\ne = q_dfb if n else p_dfb\nwith d.reserve() as b, e.reserve() as c:\n    ttl.copy(a[0, 0], b).wait()\n    ttl.copy(a[1, 0], c).wait()\nwith d.wait() as b, e.wait() as c:\n    ttl.copy(b, y[n * 8, 0]).wait()\n    ttl.copy(c, y[n * 8 + 1, 0]).wait()",
    "blocks that are released by hand": "d = p_dfb if n else q_dfb\nb = d.reserve()\nttl.copy(a[0, 0], b).wait()\nb.push()\nc = d.wait()\nttl.copy(c, y[n * 8, 0]).wait()\nc.pop()\nprint('end')",
    "blocks with a name": "b = p_dfb.reserve() if n else q_dfb.reserve()\nttl.copy(a[0, 0], b).wait()\nb.push()\nc = p_dfb.wait() if n else q_dfb.wait()\nttl.copy(c, y[n * 8, 0]).wait()\nc.pop()",
    "in a function": "def go(d):\n    with d.reserve() as b:\n        ttl.copy(a[0, 0], b).wait()\n    with d.wait() as b:\n        ttl.copy(b, y[n * 8, 0]).wait()\ngo(p_dfb if n else q_dfb)",
    "in a loop over buffers": "for d in (p_dfb, q_dfb) if n else (q_dfb,):\n    with d.reserve() as b:\n        ttl.copy(a[0, 0], b).wait()\n    with d.wait() as b:\n        ttl.copy(b, y[n * 8, 0]).wait()",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_selected_values(name: str) -> None:
    judgement = judged(Program(name="selected", movement=PROGRAMS[name]))
    assert judgement.verdict == "right", judgement


@pytest.mark.parametrize("name", BLOCKS)
def test_selected_buffers(name: str) -> None:
    judgement = judged(Program(name="buffers", body=BUFFERS, movement=BLOCKS[name]))
    assert judgement.verdict == "right", judgement


def test_what_nobody_foresees_is_refused() -> None:
    program = """
def source(row):
    return a if n else y
with seen_dfb.reserve() as blk:
    ttl.copy(source(0)[x, 0], blk).wait()
see(0)
"""
    judgement = judged(Program(name="refused", movement=program))
    assert judgement.verdict == "refused" and "TTL1311" in judgement.codes
