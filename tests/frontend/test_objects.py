"""Objects of the program's classes in an operation: their special methods do what they do in Python, and nothing false is said."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.frontend.file import lower_file

PROGRAM = """
import dataclasses
import enum
import functools
from collections import namedtuple
from dataclasses import dataclass, field
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import ttl
import ttnn

T = TypeVar("T")
Pair = namedtuple("Pair", "x y")


@dataclass(frozen=True, order=True)
class Size:
    m: int = 2
    n: int = 3
    area: int = field(init=False)
    TILE: ClassVar[int] = 32

    def __post_init__(self):
        object.__setattr__(self, "area", self.m * self.n)

    def __iter__(self):
        return iter((self.m, self.n))


class Point(NamedTuple):
    x: int
    y: int = 3


class Number(Generic[T]):
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Number(self.value + getattr(other, "value", other))

    __radd__ = __add__

    def __eq__(self, other):
        return isinstance(other, Number) and self.value == other.value

    def __lt__(self, other):
        return self.value < other.value

    def __len__(self):
        return self.value

    def __getitem__(self, index):
        return self.value * index

    def __contains__(self, item):
        return item < self.value

    def __call__(self, item):
        return self.value - item

    def __neg__(self):
        return -self.value

    def __int__(self):
        return self.value

    def __repr__(self):
        return f"<{self.value}>"

    def __getattr__(self, name):
        return name.upper()

    @property
    def half(self):
        return self.value // 2

    @classmethod
    def of(cls, text):
        return cls(int(text))


class Counted:
    x = 1

    @functools.cached_property
    def more(self):
        return twice(self.x)

    def __iadd__(self, other):
        self.x += other
        return self


@functools.lru_cache
def twice(value):
    return 2 * value


class Mode(str, enum.Enum):
    FAST = "fast"
    EXACT = "exact"

    def is_fast(self):
        return self is Mode.FAST


class Order(enum.Enum):
    ROWS = enum.auto()
    COLUMNS = enum.auto()


SIZE, SEVEN, ARRAY, COUNTED = dataclasses.replace(Size(), m=4), Number(7), np.array([5, 6]), Counted()


@ttl.operation(grid=(2, 1))
def objects(a, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    assert [*SIZE] == [4, 3] and sum(Size()) == 5 and list(SIZE)[1] == 3
    m, n = Size(n=5)
    assert (m, n) == (2, 5)
    assert SIZE.area == 12 and Size(1).area == 3 and SIZE.TILE == 32
    assert Size(1) < Size(2) and Size(1) == Size(1, 3) and {Size(1): 8}[Size(1)] == 8
    assert dataclasses.replace(SIZE, n=1).area == 4
    assert dataclasses.asdict(SIZE) == {"m": 4, "n": 3, "area": 12} and dataclasses.astuple(SIZE)[2] == 12
    assert f"{SIZE}" == "Size(m=4, n=3, area=12)"
    assert Point(1)._replace(x=4).x == 4 and Point(1)._asdict() == {"x": 1, "y": 3} and Pair(1, y=2).y == 2
    assert (SEVEN + 1).value == 8 and (1 + Number(2)).value == 3 and (SEVEN + SEVEN).value == 14
    assert Number(1) == Number(1) and Number(1) != Number(2) and Number(1) < Number(2)
    assert len(SEVEN) == 7 and SEVEN[2] == 14 and 3 in SEVEN and 8 not in SEVEN and SEVEN(2) == 5
    assert -SEVEN == -7 and int(SEVEN) == 7 and not Number(0) and bool(SEVEN)
    assert f"{SEVEN} {SEVEN!r}" == "<7> <7>" and SEVEN.other == "OTHER" and SEVEN.half == 3
    assert Number.of("4").value == 4 and Number[int](2).value == 2
    assert isinstance(SEVEN, Number) and isinstance(SEVEN, (int, Number)) and not isinstance(3, Size)
    assert Mode.FAST == "fast" and Mode("exact") is Mode.EXACT and Mode.FAST.is_fast() and Order.COLUMNS.value == 2
    assert ARRAY[1].item() == 6 and type(SEVEN) is Number and type(Number(1)) is Number
    assert isinstance(Number(1), Number) and not isinstance(Number(1), Size) and isinstance(Number(1), object)
    assert (SEVEN + Number(1)).value == 8 and (Number(1) + SEVEN).value == 8 and SEVEN == Number(7)
    assert Counted().more == 2 and Counted() != Counted() and COUNTED == COUNTED and Size(1, 2) == Size(m=1, n=2)
    assert Number(4)(1) == 3 and Number(5).half == 2 and Number(6).other == "OTHER" and 3 in Number(4)
    assert min([3, 1], key=lambda value: -value) == 3 and functools.reduce(lambda x, y: x + y, [1, 2, 3]) == 6
    bring = functools.partial(fetch, dfb)

    @ttl.datamovement()
    def read():
        bring(a[0, 0])

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, ttl.node(dims=1)]).wait()


def fetch(dfb, source):
    with dfb.reserve() as blk:
        ttl.copy(source, blk).wait()


device = ttnn.open_device(device_id=0)
a = ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
objects(a, ttnn.zeros_like(a))
"""


def _findings(folder: Path, text: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(text)
    lowered = lower_file(str(path))
    assert not lowered.notes
    return [f"{finding.code}: {finding.message}" for finding in lowered.diagnostics]


def test_objects_do_what_they_do_in_python(tmp_path: Path) -> None:
    assert _findings(tmp_path, PROGRAM) == []
    runpy.run_path(str(tmp_path / "program.py"))


def test_what_is_read_compiles_where_the_program_runs(tmp_path: Path) -> None:
    """There the classes are Python's own, and objects made outside of the operation are real beside those made in it."""
    (tmp_path / "program.py").write_text(PROGRAM)
    for target in ("sim", "emu"):
        done = run_ttl(["run", "--target", target, "program.py"], folder=tmp_path)
        assert (done.status, done.stderr) == (0, "")


def test_objects_of_the_program_are_not_changed_while_they_are_read(tmp_path: Path) -> None:
    text = PROGRAM.replace(
        "    m, n = Size(n=5)\n", "    counted = COUNTED\n    counted += 2\n    m = 2\n    n = 5\n"
    )
    assert _findings(tmp_path, text)[0] == "TTL1301: assignment to an attribute cannot be compiled"
    done = run_ttl(["run", "--target", "emu", "program.py"], folder=tmp_path)
    assert done.stderr.startswith("error[TTL1301]: assignment to an attribute cannot be compiled")


@pytest.mark.parametrize(
    ("expression", "finding"),
    [
        ("range(SEVEN)", "TTL1302: range(SEVEN) cannot be compiled"),
        ("sorted([Counted(), Counted()])", "TTL1302: sorted([Counted(), Counted()]) cannot be compiled"),
        ("SIZE.rows", "TTL1304: this raises AttributeError: Size has no attribute rows"),
        ("Size(rows=1)", "TTL1304: this raises TypeError: Size() has no field rows"),
        ("Size(1, 2, 3)", "TTL1304: this raises TypeError: Size() takes 2 values, and 3 are given"),
    ],
)
def test_what_is_not_read_is_refused_in_the_programs_words(
    tmp_path: Path, expression: str, finding: str
) -> None:
    text = PROGRAM.replace("    m, n = Size(n=5)\n", f"    m, n = {expression}\n")
    assert _findings(tmp_path, text)[0] == finding
