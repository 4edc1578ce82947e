"""Host code that is read: values are Python's wherever the source says them, and unknown, never wrong, elsewhere.

What is known is compared with running the same code; names that start with ``u`` must be unknown.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from ttl.frontend.classes import Instance
from ttl.frontend.host.program import HostProgram
from ttl.frontend.host.torch_shapes import Array
from ttl.frontend.unknown import Unknown
from ttl.host.tensor import Tensor
from ttl.source.trees import source_file

HEAD = "import os\nimport sys\nimport torch\nimport ttl\nimport ttnn\nimport numpy as np\n"


def names_of(folder: Path, text: str) -> dict[str, Any]:
    """The names of a module after it was read."""
    path = folder / "host.py"
    path.write_text(HEAD + dedent(text))
    file = source_file(str(path))
    assert file is not None
    reader = HostProgram(str(path), lambda launch: None, 100_000)
    reader.read_program(file)
    assert reader.evaluator.diagnostics == []
    return reader.courses.namespaces[0]


KNOWN = {
    "arithmetic": "a = 7 // 2 + 2**3 % 5 - -1\nb = (a << 2) | 1, ~a, a / 3\nc = 1 < a <= 4 != 5\nd = not a and 3 or 'x'",
    "literals": "a = [1, *(2, 3)]\nb = {'x': 1, **{'y': 2}}\nc = {1, 2}\nd = f'{a[0]:>3}|{b!r}'\ne = ...\nf = 1 if a else 2",
    "slices": "a = list(range(10))[2:8:2]\nb = a[-1], 'text'[1:]\na[0] = 9\ndel a[1]\na += [4]",
    "unpacking": "a, (b, *c), [d] = 1, (2, 3, 4), [5]\n(e := 3)\nx = y = 0\nx, y = y + 1, x + 2",
    "comprehensions": "a = [i * j for i in range(3) for j in range(i) if j % 2 == 0]\nb = {k: v for k, v in zip('ab', a)}\nc = sum(x for x in a)\nd = {i // 2 for i in range(4)}",
    "loops": """
        a = []
        for i in range(5):
            if i == 1:
                continue
            if i == 4:
                break
            a.append(i)
        else:
            a = None
        n = 0
        while n < 10:
            n += 3
        else:
            m = n
        """,
    "functions": """
        def f(x, *more, y=2, **rest):
            def inner():
                nonlocal x
                x += 1
                return x
            inner()
            return x, more, y, rest

        a = f(1, 2, 3, z=4)
        g = lambda n: n if n < 2 else g(n - 1) + g(n - 2)
        b = g(10)
        counter = 0

        def count():
            global counter
            counter += 1

        count()
        count()
        del f, g, count
        """,
    "builtins": "import math, functools, itertools, operator\na = max(3, 1), min([2, 4]), abs(-1), divmod(7, 3), round(2.5), len('abc')\n"
    "b = sorted([3, 1, 2], key=lambda x: -x), list(map(str, [1, 2])), list(filter(None, [0, 1])), any([0, 1]), all([])\n"
    "c = math.ceil(7 / 2), math.prod([2, 3]), functools.reduce(operator.add, [1, 2, 3])\n"
    "d = list(itertools.product([1, 2], repeat=2)), dict(enumerate('ab')), tuple(reversed([1, 2])), list(zip([1], [2]))\n"
    "e = isinstance(a, tuple), 'a,b'.split(','), [1, 2].index(2), {'a': 1}.get('b', 3), int('12'), float('0.5')\n"
    "f = functools.partial(max, 3)(5)\ndel math, functools, itertools, operator",
    "classes": """
        from dataclasses import dataclass, field
        from enum import Enum
        from typing import NamedTuple

        class Base:
            scale = 2

            def __init__(self, n):
                self.n = n

            def area(self):
                return self.n * self.scale

            @staticmethod
            def twice(n):
                return 2 * n

            @classmethod
            def of(cls, n):
                return cls(cls.twice(n))

        class Child(Base):
            scale = 3

            def __init__(self, n):
                super().__init__(n + 1)
                self.n += 1

        @dataclass
        class Point:
            x: int
            y: int = 4
            z: list = field(default_factory=lambda: [1])

            @property
            def total(self):
                return self.x + self.y

        class Pair(NamedTuple):
            first: int
            second: int = 2

        class Color(Enum):
            RED = 1

        a = Child(1).area(), Base.of(3).n, Child.twice(4)
        p = Point(1)
        p.y += 1
        b = p.total, p.z, Point(1, 2) == Point(1, 2), getattr(p, "w", 7)
        first, second = Pair(1)
        c = first + second, Color.RED.value
        del Base, Child, Point, Pair, Color, p, dataclass, field, Enum, NamedTuple
        """,
    "exceptions": """
        try:
            a = 1
            raise ValueError("no")
        except ValueError:
            b = 2
        finally:
            c = 3
        try:
            import numpy
        except ImportError:
            numpy = None
        d = numpy is None
        assert a == 1
        del numpy
        """,
    "match": "match 3:\n    case 1:\n        a = 1\n    case 3:\n        a = 2\n    case _:\n        a = 3",
    "ends": "a = 1\ndef stop():\n    raise SystemExit\nif a:\n    sys.exit(0)\na = 2\ndel stop",
}


@pytest.mark.parametrize("what", KNOWN)
def test_what_is_known_is_what_running_gives(what: str, tmp_path: Path) -> None:
    found = names_of(tmp_path, KNOWN[what])
    ran: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(HEAD + dedent(KNOWN[what]), "host.py", "exec"), ran)
    except SystemExit:
        ran.pop("stop")
        found.pop("stop")
    wanted = {
        name: value for name, value in ran.items() if name not in _IMPORTED and not name.startswith("__")
    }
    given = {name: value for name, value in found.items() if name in wanted}
    assert given == wanted


_IMPORTED = ("os", "sys", "torch", "ttl", "ttnn", "np", "annotations")

# What is known afterwards, by name; names that start with u are unknown.
UNKNOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "both ways": (
        """
        a = b = 1
        if os.environ:
            u = 1
            a = 2 - 1
            b = 1
        else:
            u = 2
        u_b = b if os.environ else 2
        c = 1 if os.environ else 1
        """,
        {"a": 1, "b": 1, "c": 1},
    ),
    "in a function": (
        """
        def f():
            if os.environ:
                return 1
            return 2

        def g():
            if os.environ:
                return 3
            return 3

        def h():
            if not os.environ:
                raise ValueError
            return 4

        u = f()
        a, b = g(), h()
        """,
        {"a": 3, "b": 4},
    ),
    "in loops": (
        """
        u = u_a = u_b = u_k = a = 0
        for i in range(3):
            if os.environ:
                break
            u = i
        for j in os.listdir():
            u_k = 1
            u_b += 1
        while sys.stdin.read():
            u_a = u_b
        u_l = 0
        for i in range(3):
            if os.environ:
                continue
            u_l = i
        """,
        {"a": 0},
    ),
    "else of a loop": (
        """
        u = a = u_w = 0
        for i in range(2):
            u = u_w = a = 1
            for j in os.listdir():
                a = 1
            else:
                if os.environ:
                    u = 2
                    break
                u = 1
            while sys.stdin.read():
                continue
            else:
                if os.environ:
                    u_w = 2
                    break
            u = u_w = 1
        """,
        {},
    ),
    "containers": (
        """
        u, a, u_d, b = [], [], {}, []
        if os.environ:
            u.append(1)
            u_d["x"] = 1
            b = [1]
            b.append(2)
            b = []
        a.append(1)
        u_n = len(u)
        a[0] += 1
        """,
        {"a": [2]},
    ),
    "objects": (
        """
        class C:
            def __init__(self):
                self.n = 1

            def grow(self):
                self.n += 1

        u, v = C(), C()
        if os.environ:
            u.grow()
        v.grow()
        u_n, a = u.n, v.n
        """,
        {"a": 2},
    ),
    "operators": (
        """
        x = os.getpid()
        u, u_a, u_b = x + 1, [1, 2][x], x < 2
        u_c, u_d = -x, f"{x}"
        u_e = {x: 1}
        u_f = x and 1
        a = [x, 1][1]
        u_g = [x, 1][0]
        u_h = x in [1]
        u_i = [i for i in x]
        u_j = x.y.z(1)[2]
        u_k, u_l = x
        u_m = max(1, x)
        b = (1, x)[0]
        """,
        {"a": 1, "b": 1},
    ),
    "handlers": (
        """
        try:
            a = 1
            u = os.stat("x").st_size
        except OSError:
            u = 2
            a = 1
        try:
            b = 3
        except OSError:
            b = 4
        """,
        {"a": 1, "b": 3},
    ),
    "other libraries": (
        """
        import json
        from collections import OrderedDict
        from somewhere import anything as u
        import somewhere.inside
        u_a = json.loads("1")
        with open("x") as u_b:
            u_c = u_b.read()
        u_d = somewhere.inside.f()
        @anything
        def u_e():
            pass
        """,
        {},
    ),
    "walrus and star": (
        """
        if (n := os.getpid()) > 3:
            u = n
        from missing import *
        a = 1
        """,
        {"a": 1},
    ),
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_cannot_be_known_is_unknown(what: str, tmp_path: Path) -> None:
    text, known = UNKNOWN[what]
    found = names_of(tmp_path, text)
    blurred = {name for name in found if name == "u" or name.startswith("u_")}
    assert blurred
    for name in sorted(blurred):
        value = found[name]
        if isinstance(value, list | dict | Instance):  # is known to be unknown where it is read
            continue
        assert type(value) is Unknown, (name, value)
    assert {name: found[name] for name in known} == known


def test_a_container_that_may_have_changed_is_unknown_where_it_is_read(tmp_path: Path) -> None:
    found = names_of(tmp_path, "a = []\nif os.environ:\n    a.append(1)\nb = a\nc = len(a)\nd = [a, 1][0]\n")
    assert [type(found[name]) for name in "bcd"] == [Unknown] * 3


SHAPES = {
    "torch.zeros(2, 3)": (2, 3),
    "torch.randn((2, 3), generator=os.x).bfloat16()": (2, 3),
    "torch.full((2, 3), 1.0).to(torch.float32)": (2, 3),
    "torch.arange(2, 10, 3)": (3,),
    "torch.tensor([[1, 2], [3, 4], [5, 6]])": (3, 2),
    "torch.zeros(2, 3, 4).transpose(0, 2)": (4, 3, 2),
    "torch.zeros(2, 3, 4).permute(2, 0, 1)": (4, 2, 3),
    "torch.zeros(2, 3, 4).reshape(-1, 6)": (4, 6),
    "torch.zeros(2, 3, 4).view(24).unsqueeze(1)": (24, 1),
    "torch.zeros(1, 3, 1).squeeze()": (3,),
    "torch.zeros(1, 3, 1).squeeze(0)": (3, 1),
    "torch.zeros(1, 3).expand(4, -1)": (4, 3),
    "torch.zeros(2, 3).repeat(2, 1, 2)": (2, 2, 6),
    "torch.zeros(2, 3).repeat_interleave(4, dim=1)": (2, 12),
    "torch.zeros(2, 3) @ torch.zeros(5, 3, 4)": (5, 2, 4),
    "torch.matmul(torch.zeros(3), torch.zeros(3, 4))": (4,),
    "torch.zeros(2, 1) * torch.zeros(3) + 1.0": (2, 3),
    "torch.cat([torch.zeros(2, 3), torch.zeros(4, 3)])": (6, 3),
    "torch.stack([torch.zeros(2, 3)] * 4, dim=1)": (2, 4, 3),
    "torch.zeros(10, 3).split(4)[2]": (2, 3),
    "torch.zeros(10, 3).chunk(3)[2]": (2, 3),
    "torch.zeros(2, 3, 4).sum(1)": (2, 4),
    "torch.zeros(2, 3, 4).mean(dim=(0, -1), keepdim=True)": (1, 3, 1),
    "torch.zeros(2, 3, 4).max()": (),
    "torch.zeros(2, 3, 4)[0, ..., 1:3]": (3, 2),
    "torch.zeros(2, 3, 4)[:, None]": (2, 1, 3, 4),
    "torch.zeros(2, 3, 4).flatten(1)": (2, 12),
    "torch.zeros(2, 3).T": (3, 2),
    "torch.nn.functional.pad(torch.zeros(2, 3), (1, 2, 3, 4))": (9, 6),
    "torch.where(torch.zeros(2, 1) > 0, torch.zeros(3), 0.0)": (2, 3),
    "torch.zeros_like(torch.zeros(2, 3))": (2, 3),
    "torch.eye(4)": (4, 4),
    "torch.randint(0, 9, (2, 3))": (2, 3),
    "torch.randperm(9)": (9,),
    "torch.nn.functional.one_hot(torch.randint(0, 9, (2, 3)), 9)": (2, 3, 9),
    "torch.nn.functional.one_hot(torch.randint(0, 9, (2, 3)))": None,
    "torch.zeros(2, 3).exp().softmax(-1)": (2, 3),
    "next(iter([torch.zeros(2)]))": (2,),
    "np.zeros((2, 3), dtype=np.float32)": (2, 3),
    "np.random.rand(2, 3).astype(np.float32)": (2, 3),
    "np.arange(6).reshape(2, 3)": (2, 3),
    "np.concatenate([np.zeros((2, 3)), np.ones((2, 3))], axis=1)": (2, 6),
    "np.array([[1.0, 2.0]])": (1, 2),
    "torch.from_numpy(np.zeros((2, 3)))": (2, 3),
    "torch.zeros(2, 3)[torch.tensor([0])]": None,
    "torch.nonzero(torch.zeros(2, 3))": None,
}


@pytest.mark.parametrize("text", SHAPES)
def test_shapes_of_arrays(text: str, tmp_path: Path) -> None:
    found = names_of(tmp_path, f"x = {text}\n")["x"]
    wanted = SHAPES[text]
    if wanted is None:
        assert type(found) is Unknown
        return
    assert isinstance(found, Array)
    assert found.shape == wanted
    if "os.x" not in text:
        import numpy
        import torch

        given = eval(text, {"torch": torch, "np": numpy})
        assert tuple(given.shape) == wanted
        assert str(given.dtype).removeprefix("torch.") == found.dtype.name


TENSORS = [
    "ttnn.from_torch(torch.zeros(64, 96), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)",
    "ttnn.from_torch(torch.zeros(64, 96).bfloat16())",
    "ttnn.from_torch(torch.arange(64))",
    "ttnn.zeros((64, 96))",
    "ttnn.full((3, 5), 1.5, ttnn.float32, ttnn.TILE_LAYOUT)",
    "ttnn.rand((64, 96))",
    "ttnn.ones_like(ttnn.zeros((64, 96), ttnn.float32, ttnn.TILE_LAYOUT), dtype=ttnn.bfloat16)",
    "ttnn.arange(0, 64, 2)",
    "ttnn.to_layout(ttnn.zeros((64, 96)), ttnn.TILE_LAYOUT, dtype=ttnn.float32)",
    "ttnn.to_memory_config(ttnn.zeros((64, 96)), ttnn.L1_MEMORY_CONFIG)",
    "ttnn.typecast(ttnn.zeros((64, 96), layout=ttnn.TILE_LAYOUT), ttnn.bfloat8_b)",
    "ttnn.add(ttnn.zeros((64, 1), ttnn.float32), ttnn.zeros((1, 96), ttnn.float32))",
    "ttnn.zeros((64, 96)) * 2.0 - ttnn.ones((96,))",
    "ttnn.exp(ttnn.zeros((64, 96), layout=ttnn.TILE_LAYOUT))",
    "ttnn.matmul(ttnn.zeros((2, 64, 32)), ttnn.zeros((32, 96)), dtype=ttnn.float32)",
    "ttnn.zeros((64, 32)) @ ttnn.zeros((32, 96))",
    "ttnn.linear(ttnn.zeros((64, 32)), ttnn.zeros((96, 32)), transpose_b=True)",
    "ttnn.softmax(ttnn.zeros((64, 96)), dim=-1)",
    "ttnn.sum(ttnn.zeros((64, 96)), dim=1, keepdim=True)",
    "ttnn.mean(ttnn.zeros((64, 96)), dim=-1)",
    "ttnn.reshape(ttnn.zeros((64, 96)), (32, -1))",
    "ttnn.transpose(ttnn.zeros((2, 64, 96)), 1, 2)",
    "ttnn.permute(ttnn.zeros((2, 64, 96)), (2, 0, 1))",
    "ttnn.unsqueeze(ttnn.zeros((64, 96)), 0)",
    "ttnn.concat([ttnn.zeros((64, 96)), ttnn.zeros((64, 96))], dim=1)",
    "ttnn.zeros((64, 96))[0:32, :]",
    "ttnn.zeros((64, 96)).reshape(96, 64)",
    "ttnn.from_torch(ttnn.to_torch(ttnn.zeros((64, 96), ttnn.float32)))",
    "ttnn.where(ttnn.zeros((64, 96)), 1.0, 0.0)",
    "ttnn.to_device(ttnn.zeros((64, 96)), ttnn.open_device(device_id=0), memory_config=ttnn.L1_MEMORY_CONFIG)",
    "ttnn.all_gather(ttnn.from_torch(torch.zeros(64, 96), device=ttnn.open_mesh_device(ttnn.MeshShape(2, 4)),"
    " mesh_mapper=ttnn.ShardTensorToMesh(ttnn.open_mesh_device(ttnn.MeshShape(2, 4)), dim=0)), 0)",
    "ttnn.from_torch(torch.zeros(512, 96), layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0),"
    " memory_config=ttnn.create_sharded_memory_config((64, 96), core_grid=ttnn.CoreGrid(x=8, y=1),"
    " strategy=ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True))",
]


@pytest.mark.parametrize("text", TENSORS)
def test_tensors_are_those_of_the_host_library(text: str, tmp_path: Path) -> None:
    import torch
    import ttnn

    found = names_of(tmp_path, f"x = {text}\n")["x"]
    assert isinstance(found, Tensor)
    made = eval(text, {"torch": torch, "ttnn": ttnn})
    assert tuple(found.shape) == tuple(made.shape)
    assert (found.dtype, found.layout) == (made.dtype, made.layout)
    assert found.memory_config() == made.memory_config()
    assert len(found.shards or ()) == len(made.shards or ())


def test_large_tensors_take_no_memory(tmp_path: Path) -> None:
    text = "x = ttnn.from_torch(torch.zeros(2**17, 2**17), layout=ttnn.TILE_LAYOUT)\ny = ttnn.matmul(x, x.reshape(-1, 2**10))\n"
    names = names_of(tmp_path, text.replace("x.reshape(-1, 2**10)", "ttnn.transpose(x, 0, 1)"))
    assert tuple(names["y"].shape) == (2**17, 2**17)


def test_data_of_tensors_are_unknown(tmp_path: Path) -> None:
    names = names_of(
        tmp_path,
        """
        x = ttnn.zeros((1, 1))
        a = x.item()
        b = float(x)
        c = ttnn.to_torch(x)[0, 0].item()
        d = 1 if x == 0 else 2
        e = f"{x}"
        """,
    )
    assert [type(names[name]) for name in "abcde"] == [Unknown] * 5


def test_torch_is_not_imported_for_reading() -> None:
    import subprocess

    program = Path(__file__).parent.parent.parent / "examples" / "mlp_host_mix.py"
    code = (
        "import sys; from ttl.frontend.file import lower_file; "
        f"assert len(lower_file({str(program)!r}).calls) == 2; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
