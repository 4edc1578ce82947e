"""What an operation can see, by kinds of capture: every key and every memory of calls notices when it changes.

A case is a program with ``STATE``; an operation that comes to read it in some way; and a statement that changes it. Each
is told to all that keep something about calls: the keys of the cache on disk, what is remembered of the calls of a process
(checks and compiled programs), and the replay of launches, which may also decline to keep anything.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from support.programs import run_ttl
from ttl.lang.captured import captured, specialisation_key
from ttl.lang.visible import MISSING, reachable, visible
from ttl.session.patience import Unavailable
from ttl.sim.replay.key import digest
from ttl.sim.replay.refusals import Judge

# Of each kind: the program, and what changes a thing that the operation can see. ``cfg`` is a module of the user's.
KINDS = {
    "a global": ("A = 3\ndef body(): return A\n", "A = 2"),
    "a global that a helper reads": ("A = 3\ndef helper(): return A\ndef body(): return helper()\n", "A = 2"),
    "an attribute of a module that the operation reads": ("def body(): return cfg.A\n", "cfg.A = 2"),
    "an attribute of a module that only a helper reads": (
        "def helper(): return cfg.BLOCKS\ndef body(): return cfg.A, helper()\n",
        "cfg.BLOCKS = 2",
    ),
    "the same, two functions away": (
        "def last(): return cfg.BLOCKS\ndef helper(): return last()\ndef body(): return cfg.A, helper()\n",
        "cfg.BLOCKS = 2",
    ),
    "an attribute of a module that a function of that module reads": (
        "def body(): return cfg.A, cfg.blocks()\n",
        "cfg.BLOCKS = 2",
    ),
    "an attribute of a class that only a helper reads": (
        "class C:\n    A = 3\n    BLOCKS = 3\ndef helper(): return C.BLOCKS\ndef body(): return C.A, helper()\n",
        "C.BLOCKS = 2",
    ),
    "an attribute of a base class": (
        "class B:\n    A = 3\nclass C(B): pass\ndef body(): return C.A\n",
        "B.A = 2",
    ),
    "an attribute of an instance": (
        "class C: pass\nc = C()\nc.inner = C()\nc.inner.a = 3\ndef body(): return c.inner.a\n",
        "c.inner.a = 2",
    ),
    "a global that a method of a data class reads": (
        "import dataclasses\nA = 3\n@dataclasses.dataclass\nclass C:\n    x: int = 1\n    def rows(self): return A\n"
        "c = C()\ndef body(): return c.rows()\n",
        "A = 2",
    ),
    "a global that a method reads which Python calls": (
        "A = 3\nclass C:\n    def __getitem__(self, i): return A\nc = C()\ndef body(): return c[0]\n",
        "A = 2",
    ),
    "a global that an object reads when it is called": (
        "A = 3\nclass C:\n    def __call__(self): return A\nc = C()\ndef body(): return c()\n",
        "A = 2",
    ),
    "a property": (
        "A = 3\nclass C:\n    @property\n    def a(self): return A\nc = C()\ndef body(): return c.a\n",
        "A = 2",
    ),
    "a cached property": (
        "import functools\nA = 3\nclass C:\n    @functools.cached_property\n    def a(self): return A\nc = C()\ndef body(): return c.a\n",
        "A = 2",
    ),
    "a metaclass": (
        "class M(type):\n    @property\n    def a(cls): return A\nA = 3\nclass C(metaclass=M): pass\ndef body(): return C.a\n",
        "A = 2",
    ),
    "an argparse namespace": (
        "import argparse\nargs = argparse.Namespace(a=3)\ndef body(): return args.a\n",
        "args.a = 2",
    ),
    "a simple namespace": (
        "import types\nargs = types.SimpleNamespace(a=3)\ndef body(): return args.a\n",
        "args.a = 2",
    ),
    "a named tuple": (
        "import collections\nP = collections.namedtuple('P', 'a b')\np = P(3, [3])\ndef body(): return p.b\n",
        "p.b[0] = 2",
    ),
    "an item of a list in a dict": ("T = {'a': [3]}\ndef body(): return T\n", "T['a'][0] = 2"),
    "a counter": (
        "import collections\nT = collections.Counter(a=3)\ndef body(): return T\n",
        "T['a'] = 2",
    ),
    "a default dict": (
        "import collections\nA = 3\nT = collections.defaultdict(lambda: A)\ndef body(): return T['x']\n",
        "A = 2",
    ),
    "a deque": ("import collections\nT = collections.deque([3])\ndef body(): return T[0]\n", "T[0] = 2"),
    "an array": ("import array\nT = array.array('i', [3])\ndef body(): return T[0]\n", "T[0] = 2"),
    "an array of bytes": ("T = bytearray(b'a')\ndef body(): return T[0]\n", "T[0] = 2"),
    "a list of functions": ("A = 3\ndef f(): return A\nT = [f]\ndef body(): return T[0]()\n", "A = 2"),
    "a closure": (
        "def outer(a):\n    def change():\n        nonlocal a\n        a = 2\n    def body(): return a\n    return body, change\n"
        "body, change = outer(3)\n",
        "change()",
    ),
    "a closure of a helper": (
        "def outer(a):\n    def change():\n        nonlocal a\n        a = 2\n    def helper(): return a\n    return helper, change\n"
        "helper, change = outer(3)\ndef body(): return helper()\n",
        "change()",
    ),
    "a default argument": ("T = [3]\ndef body(t=T): return t\n", "T[0] = 2"),
    "a default argument that is replaced": ("def body(t=3): return t\n", "body.__defaults__ = (2,)"),
    "a keyword's default": ("T = [3]\ndef body(*, t=T): return t\n", "T[0] = 2"),
    "a decorator's closure": (
        "import functools\nN = [3]\ndef twice(f):\n    @functools.wraps(f)\n    def made(): return f(), N\n    return made\n"
        "@twice\ndef helper(): return 1\ndef body(): return helper()\n",
        "N[0] = 2",
    ),
    "a global behind a partial": (
        "import functools\nA = 3\ndef f(x): return A\np = functools.partial(f, 1)\ndef body(): return p()\n",
        "A = 2",
    ),
    "an argument of a partial": (
        "import functools\nT = [3]\ndef f(x): return x\np = functools.partial(f, T)\ndef body(): return p()\n",
        "T[0] = 2",
    ),
    "the object of a bound method": (
        "class C:\n    def a(self): return self.x\nc = C()\nc.x = 3\nm = c.a\ndef body(): return m()\n",
        "c.x = 2",
    ),
    "the object of a method in C": ("T = {'a': 3}\nget = T.get\ndef body(): return get('a')\n", "T['a'] = 2"),
    "an attribute of a function": ("def f(): pass\nf.a = 3\ndef body(): return f.a\n", "f.a = 2"),
    "a function with a cache": (
        "import functools\nA = 3\n@functools.lru_cache\ndef f(): return A\ndef body(): return f()\n",
        "A = 2",
    ),
    "getattr": ("def body(): return getattr(cfg, 'BLOCKS')\n", "cfg.BLOCKS = 2"),
    "globals()": ("A = 3\ndef body(): return globals()['A']\n", "A = 2"),
    "vars of a module": ("def body(): return vars(cfg)['BLOCKS']\n", "cfg.BLOCKS = 2"),
    "attrgetter": (
        "import operator\nget = operator.attrgetter('BLOCKS')\ndef body(): return get(cfg)\n",
        "cfg.BLOCKS = 2",
    ),
    "a module that the operation imports itself": (
        "def body():\n    import cfg_of_test as c\n    return c.BLOCKS\n",
        "cfg.BLOCKS = 2",
    ),
    "a name that the operation imports itself": (
        "def body():\n    from cfg_of_test import BLOCKS\n    return BLOCKS\n",
        "cfg.BLOCKS = 2",
    ),
    "a module in a folder without a file of its own": (
        "def body(): return space.cfg.BLOCKS\n",
        "space.cfg.BLOCKS = 2",
    ),
    "the value of a member of an enumeration": (
        "import enum\nT = [3]\nclass E(enum.Enum):\n    A = T\ndef body(): return E.A.value\n",
        "T[0] = 2",
    ),
    "members that are only iterated": (
        "import enum\nT = [3]\nclass E(enum.Enum):\n    A = T\ndef body(): return [e.value for e in E]\n",
        "T[0] = 2",
    ),
    "an array of numpy": ("import numpy\nT = numpy.arange(4)\ndef body(): return T\n", "T[0] = 2"),
    "a tensor of torch": ("import torch\nT = torch.zeros(4)\ndef body(): return T\n", "T[0] = 2"),
    "a tensor of torch that is changed through NumPy": (
        "import torch\nT = torch.zeros(4)\ndef body(): return T\n",
        "T.numpy()[0] = 2",
    ),
    "a parameter of a module of torch": (
        "import torch\nL = torch.nn.Linear(2, 2)\nwith torch.no_grad(): L.weight.zero_()\nwith torch.no_grad(): L.bias.zero_()\n"
        "def body(): return L.weight\n",
        "L.weight.data[0] = 2",
    ),
    "a number of numpy": ("import numpy\nT = numpy.float32(3)\ndef body(): return T\n", "T = numpy.float32(2)"),
    "the sign of zero": ("T = 0.0\ndef body(): return T\n", "T = -0.0"),
    "the type of a number": ("T = 1\ndef body(): return T\n", "T = True"),
    "a name that was not there": ("def body(): return T\n", "T = 2"),
    "the code of a helper": (
        "def f(): return 3\ndef g(): return 2\ndef body(): return f()\n",
        "f.__code__ = g.__code__",
    ),
    "names in code that is equal but for them": (
        "class C: A = B = 3\ndef f(): return C.A\ndef g(): return C.B\ndef body(): return f()\n",
        "f.__code__ = g.__code__.replace(co_firstlineno=f.__code__.co_firstlineno, co_name='f', co_qualname='f')",
    ),
    "a slot": (
        "class C:\n    __slots__ = ('__a',)\n    def __init__(self): self.__a = 3\n    def a(self): return self.__a\n"
        "c = C()\ndef body(): return c.a()\n",
        "c._C__a = 2",
    ),
    "another object that is equal": (
        "class C:\n    a = 3\n    def __eq__(self, other): return True\nc, d = C(), C()\nd.a = 2\ndef body(): return c.a\n",
        "c = d",
    ),
}  # fmt: skip


class Program:
    """A case as a program that was started: modules of its own, an operation."""

    def __init__(self, source: str, patch: pytest.MonkeyPatch) -> None:
        cfg = types.ModuleType("cfg_of_test")
        cfg.__dict__["__file__"] = "/somewhere/cfg.py"
        exec("A = 3\nBLOCKS = 3\ndef blocks(): return BLOCKS\n", cfg.__dict__)
        space = types.ModuleType("space_of_test")
        space.__dict__["cfg"] = cfg
        patch.setitem(sys.modules, "cfg_of_test", cfg)
        main = types.ModuleType("main_of_test")
        patch.setitem(sys.modules, "main_of_test", main)
        self.names = main.__dict__
        self.names.update(cfg=cfg, space=space)
        exec(
            compile(
                "import ttl\n" + source + "operation = ttl.operation()(body)\n", "/somewhere/main.py", "exec"
            ),
            self.names,
        )

    def change(self, statement: str) -> None:
        exec(statement, self.names)

    @property
    def operation(self) -> Any:
        return self.names["operation"]

    def key(self) -> str | None:
        return specialisation_key(self.operation, (), {}, "wormhole")

    def replayed(self) -> object:
        """What tells states of the program apart for a replay; a new object where nothing is replayed."""
        try:
            Judge().function(self.operation.function)
            return digest(visible((self.operation.function,)))
        except Unavailable:
            return object()


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, change = KINDS[kind]
    program = Program(source, monkeypatch)
    seen, key, replayed = captured(program.operation.function), program.key(), program.replayed()
    assert seen is not None and seen.holds()
    assert key is None or key == program.key()
    program.change(change)
    assert not seen.holds()
    assert key is None or program.key() != key
    assert program.replayed() != replayed


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_another_process_makes_the_same_key(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, _ = KINDS[kind]
    keys = {Program(source, monkeypatch).key() for _ in range(2)}
    assert len(keys) == 1 and None not in keys


def test_what_nothing_can_be_said_of_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for source in (
        "import threading\nT = threading.Lock()\ndef body(): return T\n",
        "T = iter([1])\nU = (x for x in T)\ndef body(): return U\n",
        "def body():\n    import module_that_nobody_imported\n",
        "import random\nT = {random.Random()}\ndef body(): return T\n",
    ):
        program = Program(source, monkeypatch)
        assert captured(program.operation.function) is None and program.key() is None


def test_nothing_of_the_users_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(
        "class C:\n"
        "    def __getattr__(self, name): raise AssertionError\n"
        "    def __eq__(self, other): raise AssertionError\n"
        "    def __hash__(self): raise AssertionError\n"
        "    def __repr__(self): raise AssertionError\n"
        "    @property\n    def a(self): raise AssertionError\n"
        "c = C()\ndef body(): return c.a, c.b\n",
        monkeypatch,
    )
    seen = captured(program.operation.function)
    assert seen is not None and seen.holds()
    assert program.key() is not None


def test_the_functions_that_may_be_called_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(
        "class C:\n    def a(self): return cfg.blocks()\nc = [C()]\ndef unused(): pass\ndef body(): return c[0].a()\n",
        monkeypatch,
    )
    functions, is_all = reachable(program.names["body"])
    assert [each.__name__ for each in functions] == ["body", "a", "blocks"] and is_all


def test_numbers_tell_objects_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """One list under two names is another program than two equal ones."""
    one = Program("S = []\nT = S\ndef body(): return S, T\n", monkeypatch).key()
    two = Program("S = []\nT = []\ndef body(): return S, T\n", monkeypatch).key()
    assert one != two


def test_a_missing_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program("def body(): return nowhere\n", monkeypatch)
    (sight,) = [each for each in visible([program.names["body"]]) if each.name == "nowhere"]
    assert sight.value is MISSING


DEADLOCK = """
import os
import ttl, ttnn
import cfg


def blocks():
    return range(cfg.BLOCKS)


@ttl.operation(grid=(1, 1))
def f(a, out):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():
        for i in blocks():
            with dfb.reserve() as blk:
                ttl.copy(a[0:1, 0:1], blk).wait()

    @ttl.datamovement()
    def write():
        for i in range(cfg.A):
            with dfb.wait() as blk:
                ttl.copy(blk, out[0:1, 0:1]).wait()

    @ttl.compute()
    def nothing():
        pass


device = ttnn.open_device(device_id=0)
a = ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
f(a, a)
print("done")
"""


def test_no_deadlock_of_an_earlier_run_is_reported(tmp_path: Any) -> None:
    """The operation reads ``cfg.A``, a helper that it calls reads ``cfg.BLOCKS``, and only the latter changes."""
    (tmp_path / "main.py").write_text(DEADLOCK)
    (tmp_path / "cfg.py").write_text("import os\nA = 2\nBLOCKS = int(os.environ['BLOCKS'])\n")
    outcomes = [
        run_ttl(
            ["run", "--check", "main.py"],
            folder=tmp_path,
            environment={"TTL_CACHE_DIR": str(tmp_path / "kept"), "BLOCKS": blocks},
        )
        for blocks in ("1", "2")
    ]
    assert "TTL0910" in outcomes[0].stderr or "TTL091" in outcomes[0].stderr
    assert outcomes[1].status == 0 and "done" in outcomes[1].stdout and outcomes[1].stderr == ""
