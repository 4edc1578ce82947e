"""Programs that call the public functions with arguments that do not fit, outside of operations and in every part of one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from random import Random
from typing import Any

from fuzz.values import wrong

# What an argument of a name usually is: a call is wrong in one place or two, not in all.
_USUAL: dict[str, tuple[str, ...]] = {
    "shape": ("(64, 64)", "(1, 1)", "(32, 64)", "(2, 2)"),
    "dims": ("[-1]", "[0]", "[0, 1]", "[1]"),
    "dim": ("-1", "0", "1"),
    "dtype": ("ttnn.bfloat16", "ttnn.float32", "ttnn.int32", "ttnn.bfloat8_b", "ttnn.uint8"),
    "layout": ("ttnn.TILE_LAYOUT", "ttnn.ROW_MAJOR_LAYOUT"),
    "device": ("device",),
    "mesh_device": ("device",),
    "memory_config": ("ttnn.DRAM_MEMORY_CONFIG", "ttnn.L1_MEMORY_CONFIG"),
    "grid": ("(1, 1)", "'auto'"),
    "value": ("1", "0.5"),
    "fill_value": ("1", "0.5"),
    "likeness_tensor": ("t",),
    "tensors": ("[t, t]",),
    "pipes": ("[ttl.Pipe((0, 0), (0, 0))]",),
    "src": ("(0, 0)",),
    "dst": ("(0, 0)",),
}
_TENSORS = (
    "t", "t", "f", "i", "row", "vec", "cube", "freed", "host", "bf8", "u8", "empty", "scalar", "x", "mesh_t",
)  # fmt: skip
_PRELUDE = """\
import math
import numpy as np
import torch
import ttl
import ttnn

device = ttnn.open_device(device_id=0)
x = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
t = ttnn.from_torch(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
"""
_MORE = {
    "f": "f = ttnn.from_torch(x, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)",
    "i": "i = ttnn.from_torch(x.int(), dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT, device=device)",
    "row": "row = ttnn.from_torch(x, dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)",
    "vec": "vec = ttnn.from_torch(x[0], dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)",
    "cube": "cube = ttnn.ones((2, 33, 40), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)",
    "freed": "freed = ttnn.ones((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)\nttnn.deallocate(freed)",
    "host": "host = ttnn.from_torch(x)",
    "bf8": "bf8 = ttnn.from_torch(x, dtype=ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT, device=device)",
    "u8": "u8 = ttnn.ones((32, 32), dtype=ttnn.uint8)",
    "empty": "empty = ttnn.zeros((0, 32))",
    "scalar": "scalar = ttnn.full((), 2.0, dtype=ttnn.float32)",
    "mesh_t": "mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))\nmesh_t = ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))",
    "mesh": "mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))",
}
_OBJECTS = (
    "t", "row", "mesh_t", "device", "mesh", "t.shape", "t.memory_config()", "ttnn.CoreCoord(0, 0)", "ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))",
    "ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))})", "ttnn.CoreGrid(x=1, y=1)", "ttnn.MeshShape(1, 2)",
    "ttnn.TILE_LAYOUT", "t.tile", "ttl.Pipe((0, 0), (0, 0))", "ttl.PipeNet([])", "ttl.GroupTransfer()", "ttnn.ShardTensorToMesh(mesh, dim=0)",
    "ttl.operation(grid=(1, 1))(lambda a: None)", "ttnn.DRAM_MEMORY_CONFIG", "ttnn.Shape((2, 3))",
)  # fmt: skip
_USES = (
    "print({})", "repr({})", "{} + {}", "{}[0]", "ttnn.to_torch({})", "len({})", "{} == {}", "hash({})", "bool({})", "list({})", "{}.shape", "{} * 2", "ttnn.add({}, t)", "ttnn.relu({})",
    "-{}", "{}.nothing", "del {}", "{}()", "float({})", "np.asarray({})", "{}[0:1, 0]", "{} @ {}", "abs({})", "{} < 1", "str({})", "{}.dtype", "2 ** {}", "{} in [{}]",
    "import copy\ncopy.deepcopy({})", "import pickle\npickle.loads(pickle.dumps({}))", "torch.tensor({})", "{}[0] = 1", "{}.shape = 2", "with {} as w: pass", "for each in {}: break", "int({})",
)  # fmt: skip

_OPERATION = """\
@ttl.operation(grid=(2, 1))
def op(a, b, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
    semaphore = ttl.Semaphore(1)
    remote = semaphore.get_remote((0, 0))
{body}

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
            a_xf = ttl.copy(a[0, :], a_blk)
            b_xf = ttl.copy(b[0, 0:2], b_blk)
            group = ttl.GroupTransfer()
{read}
            a_xf.wait()
            b_xf.wait()

            def send(pipe):
{send}
                ttl.copy(b_blk, pipe).wait()

            def receive(pipe):
{receive}
                ttl.copy(pipe, b_blk).wait()

            net.if_src(send)
            net.if_dst(receive)

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            expr = a_blk * b_blk
            result = expr
{compute}
            y_blk.store(result)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            part = y[0, 0:2]
{write}
            ttl.copy(y_blk, part).wait()


y = ttnn.zeros((64, 64), dtype=ttnn.{dtype}, layout=ttnn.TILE_LAYOUT, device=device)
op({first}, {first}, y)
"""
# What there is in each part of the operation above.
_VISIBLE = {
    "body": ("a", "y", "a_dfb", "net", "semaphore", "remote", "op"),
    "read": (
        "a",
        "a_dfb",
        "a_blk",
        "b_blk",
        "a_xf",
        "group",
        "net",
        "semaphore",
        "remote",
        "a[0, 0]",
        "a[0, :]",
        "a[0:1, 0:2]",
    ),
    "send": ("pipe", "a_blk", "b_blk", "net", "pipe.dst", "a[0, :]"),
    "receive": ("pipe", "b_blk", "net", "pipe.src", "semaphore"),
    "compute": (
        "a_blk",
        "b_blk",
        "y_blk",
        "expr",
        "expr",
        "a_dfb",
        "a",
        "semaphore",
        "ttl.math.exp(a_blk)",
        "ttl.block.fill(1, shape=(1, 2))",
    ),
    "write": ("y_blk", "part", "y", "y_dfb", "semaphore", "remote", "net"),
}
_INDENT = {"body": 4, "read": 12, "send": 16, "receive": 16, "compute": 12, "write": 12}
_DTYPES = ("bfloat16", "bfloat16", "float32", "float32", "int32", "bfloat8_b", "uint16")


def abuse(random: Random) -> str:
    """A program with one or two wrong calls."""
    return _outside(random) if random.random() < 0.5 else _inside(random)


# --- outside -------------------------------------------------------------------------------------------------


def _outside(random: Random) -> str:
    lines = []
    for number in range(random.choice((1, 1, 2))):
        called = _any_call(random, _TENSORS, outside=True)
        lines.append(f"r{number} = {called}")
        if random.random() < 0.6:
            lines.append(random.choice(_USES).replace("{}", f"r{number}"))
    text = "\n".join(lines)
    return _PRELUDE + _needed(text) + text + "\n"


def _needed(text: str) -> str:
    import re

    words = set(re.findall(r"\w+", text))
    if "mesh_t" in words:
        words.discard("mesh")
    return "".join(f"{line}\n" for name, line in _MORE.items() if name in words)


def _any_call(random: Random, visible: tuple[str, ...], *, outside: bool) -> str:
    import ttl
    import ttnn
    from ttl.lang.functions import names

    match random.randrange(10):
        case 0 | 1 | 2 | 3 if outside:
            name = random.choice(ttnn.public_names())
            return _call(random, f"ttnn.{name}", getattr(ttnn, name), visible)
        case 4 | 5 if outside:
            return _method(random, visible)
        case 0 | 1 | 2 | 3 | 4:
            space = random.choice(("math", "math", "block"))
            name = random.choice(names(space))
            return _call(random, f"ttl.{space}.{name}", getattr(getattr(ttl, space), name), visible)
        case 5 | 6 if not outside:
            return _method_of(random, visible)
        case 7 if not outside:
            name = random.choice(ttnn.public_names())
            return _call(random, f"ttnn.{name}", getattr(ttnn, name), visible)
        case _:
            name = random.choice(ttl.__all__)
            return _call(random, f"ttl.{name}", getattr(ttl, name), visible)


def _method(random: Random, visible: tuple[str, ...]) -> str:
    owner = random.choice(_OBJECTS)
    value = _example(owner)
    names = sorted(name for name in dir(value) if not name.startswith("_") or name in _SPECIAL)
    name = random.choice(names)
    if random.random() < 0.15:
        return f"setattr({owner}, {name!r}, {wrong(random, visible)})"
    if random.random() < 0.1:
        return f"{owner}[{wrong(random, visible)}]"
    if random.random() < 0.1:
        return f"{owner} {random.choice(('+', '-', '*', '/', '@', '%', '**', '//', '==', '<', '&', '|', '<<'))} {wrong(random, visible)}"
    return _call(random, f"{owner}.{name}", getattr(type(value), name, None), visible)


_SPECIAL = (
    "__getitem__", "__setitem__", "__call__", "__enter__", "__exit__", "__len__", "__iter__", "__eq__",
    "__add__", "__matmul__",
)  # fmt: skip


def _example(owner: str) -> Any:
    """The object that an expression of ``_OBJECTS`` is, for its names."""
    import torch
    import ttl
    import ttnn

    scope: dict[str, Any] = {
        "torch": torch,
        "ttl": ttl,
        "ttnn": ttnn,
        "device": ttnn.open_device(device_id=0),
    }
    scope["t"] = scope["row"] = scope["mesh_t"] = ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT)
    scope["mesh"] = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    return eval(owner, scope)


def _method_of(random: Random, visible: tuple[str, ...]) -> str:
    owner = random.choice(visible)
    name = random.choice((
        "push", "pop", "store", "wait", "reserve", "add", "wait_all", "set", "inc", "wait_eq", "wait_ge", "get_remote", "get_remote_multicast", "if_src", "if_dst", "is_src",
        "is_dst", "is_active", "shape", "dtype", "block_count", "dst", "src", "__enter__", "__len__", "__getitem__", "__bool__", "__iter__", "nothing", "layout", "__call__",
    ))  # fmt: skip
    arguments = ", ".join(wrong(random, visible, visible) for _ in range(random.choice((0, 0, 1, 1, 2))))
    return f"{owner}.{name}" + (f"({arguments})" if random.random() < 0.9 else "")


# --- inside --------------------------------------------------------------------------------------------------


def _inside(random: Random) -> str:
    part = random.choice(
        ("compute", "compute", "compute", "read", "read", "body", "send", "receive", "write")
    )
    visible = _VISIBLE[part]
    lines = []
    for _ in range(random.choice((1, 1, 2))):
        called = _any_call(random, visible, outside=False)
        match random.randrange(6):
            case 0:
                lines.append(called)
            case 1 | 2:
                lines.append(f"result = {called}")
            case 3:
                lines += [f"result = {called}", random.choice(_USES).replace("{}", "result")]
            case 4:
                lines.append(random.choice(_USES).replace("{}", random.choice(visible)))
            case _:
                lines.append(
                    f"result = {random.choice(visible)} {random.choice(('+', '-', '*', '/', '@', '%', '**', '//', '<', '>=', '+=', '&'))} {wrong(random, visible, visible)}".replace(
                        "+= ", "+ "
                    )
                )
    space = " " * _INDENT[part]
    text = "\n".join(space + line for each in lines for line in each.split("\n"))
    parts = {name: text if name == part else f"{' ' * _INDENT[name]}pass" for name in _VISIBLE}
    dtype = random.choice(_DTYPES)
    first = "t" if dtype == "bfloat16" else "a"
    make = (
        ""
        if first == "t"
        else f"a = ttnn.ones((64, 64), dtype=ttnn.{dtype}, layout=ttnn.TILE_LAYOUT, device=device)\n"
    )
    needed = "" if part == "body" else _needed("\n".join(lines)).replace("host =", "host_t =")
    return _PRELUDE + make + needed + _OPERATION.format(**parts, dtype=dtype, first=first)


# --- arguments -----------------------------------------------------------------------------------------------


def _call(random: Random, name: str, function: Callable[..., Any] | Any, visible: tuple[str, ...]) -> str:
    """A call with usual arguments, some of them replaced by wrong ones."""
    if not callable(function) and random.random() < 0.9:
        return name
    parameters = _parameters(function)
    arguments: list[str] = []
    broken = random.choice((0, 1, 1, 1, 2, 9))
    chosen = [each for each in parameters if each.default is each.empty or random.random() < 0.3]
    for place, each in enumerate(chosen):
        usual = random.choice(_USUAL.get(each.name, visible))
        value = wrong(random, visible) if random.random() < broken / max(1, len(chosen)) else usual
        if each.kind is each.VAR_POSITIONAL:
            arguments += [value] * random.randrange(3)
        elif each.kind is each.VAR_KEYWORD:
            continue
        elif (
            each.kind is each.KEYWORD_ONLY
            or (place and random.random() < 0.4)
            or any("=" in a for a in arguments)
        ):
            arguments.append(f"{each.name}={value}")
        else:
            arguments.append(value)
    match random.randrange(12):
        case 0:
            arguments = arguments[:-1]
        case 1:
            arguments.append(
                f"{random.choice(('nothing', 'dims', 'shape', 'dtype', 'device', 'queue_id', 'memory_config', 'out'))}={wrong(random, visible)}"
            )
        case 2:
            arguments.insert(0, wrong(random, visible))
    return f"{name}({', '.join(arguments)})"


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        found = list(inspect.signature(inspect.unwrap(function)).parameters.values())
    except (TypeError, ValueError):
        return []
    return [each for each in found if each.name != "self"]
