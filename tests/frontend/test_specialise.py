"""Which calls of a program that is only read are alike: those between which nothing changed that the operation can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from ttl.frontend.file import lower_file

PROGRAM = """
import dataclasses
import functools
import types
import ttl, ttnn
import cfg

{names}

@ttl.operation(grid=(1, 1))
def f(a):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():
        for i in range({count}):
            with dfb.reserve() as blk:
                ttl.copy(a[0:1, 0:1], blk).wait()

    @ttl.datamovement()
    def write():
        for i in range({count}):
            with dfb.wait() as blk:
                ttl.copy(blk, a[0:1, 0:1]).wait()

    @ttl.compute()
    def nothing():
        pass

a = ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
f(a)
{change}
f(a)
"""
CASES = {
    "a global": ("n = 1", "n", "n = 2"),
    "an attribute of a module": ("", "cfg.BLOCKS", "cfg.BLOCKS = 2"),
    "an attribute of a module that a helper reads": (
        "def helper(): return cfg.BLOCKS",
        "helper() + cfg.A",
        "cfg.BLOCKS = 2",
    ),
    "one that a function of the module reads": ("", "cfg.blocks()", "cfg.BLOCKS = 2"),
    "setattr": ("", "getattr(cfg, 'BLOCKS')", "setattr(cfg, 'BLOCKS', 2)"),
    "a name that is made up": ("class K: N_1 = 1\nend = '_1'", "getattr(K, 'N' + end)", "K.N_1 = 2"),
    "an attribute of a class": ("class K: N = 1", "K.N", "K.N = 2"),
    "an attribute of a base": ("class B: N = 1\nclass K(B): pass", "K.N", "B.N = 2"),
    "an attribute of an object": ("class K: pass\nk = K()\nk.n = 1", "k.n", "k.n = 2"),
    "something deep": ("d = {'a': [{'b': [{'c': [{'d': 1}]}]}]}", "d['a'][0]['b'][0]['c'][0]['d']", "d['a'][0]['b'][0]['c'][0]['d'] = 2"),
    "what a method reads": ("n = 1\nclass K:\n    def m(self): return n\nk = K()", "k.m()", "n = 2"),
    "what a partial reads": ("n = 1\ndef g(x): return n\np = functools.partial(g, 1)", "p()", "n = 2"),
    "a helper": ("def g(): return 1\ndef h(): return 2", "g()", "g = h"),
    "an item": ("t = [1]", "t[0]", "t[0] = 2"),
}  # fmt: skip


def calls(folder: Path, names: str, count: str, change: str) -> list[bool]:
    """Of the calls that are not alike, whether each is complete."""
    (folder / "cfg.py").write_text("A = 0\nBLOCKS = 1\ndef blocks(): return BLOCKS\n")
    (folder / "main.py").write_text(PROGRAM.format(names=names, count=count, change=change))
    return [call.complete for call in lower_file(str(folder / "main.py")).calls]


@pytest.mark.parametrize("case", CASES)
def test_a_change_makes_another_call(case: str, tmp_path: Path) -> None:
    names, count, change = CASES[case]
    assert calls(tmp_path, names, count, change) == [True, True]
    assert calls(tmp_path, names, count, "") == [True]


UNKNOWN = {
    "an attribute of a module that may be changed": ("import sys", "cfg.BLOCKS", "if sys.stdin.read():\n    cfg.BLOCKS = 2"),
    "an attribute of something of Python's": ("s = types.SimpleNamespace(n=1)", "s.n", "s.n = 2"),
    "an item that a method of the program's may set": (
        "class K:\n    def __init__(self): self.n = 1\n    def __setitem__(self, i, v): self.n = v\nk = K()\nimport sys",
        "k.n",
        "if sys.stdin.read():\n    k[0] = 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_may_have_changed_is_not_known(case: str, tmp_path: Path) -> None:
    first, *rest = calls(tmp_path, *UNKNOWN[case])
    assert rest in ([False], []), "the second call is told to be like the first"
    del first


def test_an_item_that_a_method_of_the_programs_sets(tmp_path: Path) -> None:
    names = (
        "class K:\n    def __init__(self): self.n = 1\n    def __setitem__(self, i, v): self.n = v\nk = K()"
    )
    assert calls(tmp_path, names, "k.n", "k[0] = 2") == [True, True]
