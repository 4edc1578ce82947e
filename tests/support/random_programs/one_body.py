"""Random operations that are written as one body, and what NumPy makes of the same.

Buffers of several depths, reads and writes in many forms (``with``, calls of methods, functions around the body and in it,
kept transfers, nesting, operations that are called), loops, conditions, sums, chains of buffers, and pipes between both nodes. Numbers are small
integers, so that every order of operations gives the same floats.
"""

from __future__ import annotations

import re
from random import Random

HEAD = """\
import numpy as np
import ttl
import ttnn
from ttl import copy as move


def load(source, blk):
    xf = move(source, blk)
    xf.wait()


def save(blk, target):
    ttl.copy(blk, target).wait()


generator = np.random.default_rng(0)
device = ttnn.open_device(device_id=0)
on = dict(dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
a, b = (generator.integers(-4, 5, (64, 128)).astype(np.float32) for _ in range(2))
columns = np.arange(128) // 32
"""
_PER_PROGRAM = """

y = ttnn.zeros((64, 128), **on)
{name}(ttnn.Tensor(a, **on), ttnn.Tensor(b, **on), y)
wanted = {wanted}
print("{name}", np.array_equal(y.numpy(), wanted), int(np.abs(y.numpy()).sum()))
"""


class OneBody:
    """One random operation."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.name = f"body_{seed}"
        self._setup: list[str] = []
        self._operations: list[str] = []
        self._buffers = 0

    def text(self) -> str:
        """The operation and its call, which prints whether the result is NumPy's."""
        self._setup = ["x, _ = ttl.node(dims=2)"]
        self._out = self._buffer("y")
        body, wanted = self._body()
        lines = [f"@ttl.operation(grid=(2, 1))\ndef {self.name}(a, b, y):"]
        self._random.shuffle(self._setup)
        lines += [f"    {line}" for line in self._setup]
        lines += [f"    {line}" if line else "" for line in body]
        run = _PER_PROGRAM.format(name=self.name, wanted=wanted)
        return "".join(self._operations) + "\n\n" + "\n".join(lines) + run

    # --- pieces -----------------------------------------------------------------------------------------------------

    def _one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _maybe(self, share: float) -> bool:
        return self._random.random() < share

    def _buffer(self, like: str) -> str:
        self._buffers += 1
        name = f"dfb_{self._buffers}"
        count = self._random.randint(1, 3)
        self._setup.append(
            f"{name} = ttl.make_dataflow_buffer_like({like}, shape=(1, 1), block_count={count})"
        )
        return name

    def _called(self, names: list[str], lines: list[str]) -> list[str]:
        """A call of an operation with these statements; ``names`` are what they use of the body."""
        name = f"stage_{self.name}_{len(self._operations)}"
        parameters = [
            f"{item}: ttl.DFB" if item[:3] == "dfb" and self._maybe(0.5) else item for item in names
        ]
        head = f"@ttl.operation()\ndef {name}({', '.join(parameters)}):"
        self._operations.append("\n\n" + "\n".join([head, *_deeper(lines, 1)]) + "\n")
        given = names if self._maybe(0.5) else [f"{item}={item}" for item in reversed(names)]
        return [f"{name}({', '.join(given)})"]

    def _body(self) -> tuple[list[str], str]:
        loop = self._one("for column in range(4):", "while column < 4:")
        before = ["column = 0"] if loop.startswith("while") else []
        behind = ["    column += 1"] if loop.startswith("while") else []
        if self._maybe(0.4):
            parity = self._one("column % 2 == 0", "column >= 2", "column == 1 or column == 2")
            one, first = self._tile()
            other, second = self._tile()
            lines = [f"    if {parity}:", *_deeper(one, 2), "    else:", *_deeper(other, 2)]
            mask = parity.replace("column", "columns")
            if " or " in mask:
                mask = " | ".join(f"({part})" for part in mask.split(" or "))
            return [*before, loop, *lines, *behind], f"np.where({mask}, {first}, {second})"
        one, first = self._tile()
        return [*before, loop, *_deeper(one, 1), *behind], first

    def _tile(self) -> tuple[list[str], str]:
        """Statements for one column, and the array of which it is a part."""
        if self._maybe(0.25):
            return self._sum()
        lines: list[str] = []
        blocks, arrays = [], []
        for _ in range(self._random.randint(1, 2)):
            read, dfb, array = self._read("column")
            lines += read
            blocks.append(dfb)
            arrays.append(array)
        compute, dfb, array = self._compute(blocks, arrays)
        return [*lines, *compute, *self._write(dfb)], array

    def _read(self, column: str) -> tuple[list[str], str, str]:
        """Statements that fill a block, its buffer, and the array that it is a part of."""
        tensor = self._one("a", "b")
        dfb = self._buffer(tensor)
        if self._maybe(0.2) and column == "column":
            return self._pipe(dfb, tensor)
        source = f"{tensor}[x, {column}]"
        array = tensor
        blk = self._one("blk", f"{dfb}_blk", "t")
        form = self._random.randrange(7)
        if form == 6:
            lines = [f"with {dfb}.reserve() as {blk}:", f"    load({tensor}[x, at], {blk})"]
            return [f"at = {column}", *self._called([tensor, dfb, "x", "at"], lines)], dfb, array
        own, within = f"fill_{dfb}", f"with {dfb}.reserve() as {blk}:"
        lines = (
            [within, f"    ttl.copy({source}, {blk}).wait()"],
            [within, f"    load({source}, {blk})"],
            [f"{blk} = {dfb}.reserve()", f"xf = move({source}, {blk})", "xf.wait()", f"{blk}.push()"],
            [within, f"    ttl.copy({source}, {blk})"],
            [f"def {own}(position):", f"    {within}", f"        ttl.copy({tensor}[x, position], {blk}).wait()", f"{own}({column})"],
            [within, "    group = ttl.GroupTransfer()", f"    group.add(ttl.copy({source}, {blk}))", "    group.wait_all()"],
        )[form]  # fmt: skip
        return lines, dfb, array

    def _pipe(self, dfb: str, tensor: str) -> tuple[list[str], str, str]:
        """A tile of the other node."""
        net = f"net_{dfb}"
        self._setup.append(f"{net} = ttl.PipeNet([ttl.Pipe(src=(i, 0), dst=(1 - i, 0)) for i in range(2)])")
        staging = self._buffer(tensor)
        receive = [f"    {net}.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())"]
        if not self._maybe(0.5):
            receive = [
                f"    def receive_{dfb}(pipe):",
                "        load(pipe, blk)",
                f"    {net}.if_dst(receive_{dfb})",
            ]
        lines = [
            f"with {staging}.reserve() as own:",
            f"    load({tensor}[x, column], own)",
            f"def send_{dfb}(pipe):",
            f"    with {staging}.wait() as own:",
            "        ttl.copy(own, pipe).wait()",
            f"{net}.if_src(send_{dfb})",
            f"with {dfb}.reserve() as blk:",
            *receive,
        ]
        return lines, dfb, f"np.roll({tensor}, 32, axis=0)"

    def _expression(self, names: list[str]) -> str:
        text = names[0]
        for name in names[1:]:
            text = self._one(
                f"{text} + {name}", f"{name} - {text}", f"{text} * {name}", f"max({text}, {name})"
            )
        return self._one(text, f"({text}) * 2", f"3 - ({text})", f"abs({text})")

    def _compute(self, buffers: list[str], arrays: list[str]) -> tuple[list[str], str, str]:
        """Statements that compute of waited blocks, the buffer of the result and the array that it is a part of."""
        last = not self._maybe(0.3)
        target = self._out if last else self._buffer("y")
        names = [f"v{number}" for number in range(len(buffers))]
        text = self._expression(names)
        language = text.replace("max(", "ttl.math.max(").replace("abs(", "ttl.math.abs(")
        array = text.replace("max(", "np.maximum(").replace("abs(", "np.abs(")
        for name, value in zip(names, arrays, strict=True):
            array = array.replace(name, f"({value})")
        items = [f"{dfb}.wait() as {name}" for dfb, name in zip(buffers, names, strict=True)]
        if self._maybe(0.3):
            lines = [f"{name} = {dfb}.wait()" for dfb, name in zip(buffers, names, strict=True)]
            lines += [f"r = {target}.reserve()", f"value = {language}", "r.store(value)", "r.push()"]
            lines += [f"{name}.pop()" for name in names]
        elif self._maybe(0.3):
            inner = [f"with {', '.join(items)}:", f"    r.store({language})"]
            lines = [f"with {target}.reserve() as r:", *_deeper(inner, 1)]
        else:
            lines = [f"with {', '.join([*items, f'{target}.reserve() as r'])}:", f"    r.store({language})"]
        if not last:
            own = self._setup.pop() if self._maybe(0.5) else ""
            more, target, array = self._compute([target], [array])
            lines = [*lines, *more]
            if own:  # the buffer between is the called operation's
                used = [name for name in _buffers_in(lines) if name != own.partition(" ")[0]]
                return self._called([*used, "y"], [own, *lines]), target, array
        return (self._called(_buffers_in(lines), lines) if self._maybe(0.3) else lines), target, array

    def _sum(self) -> tuple[list[str], str]:
        """A sum over tiles, with the reads inside of what computes."""
        count = self._random.randint(2, 3)
        read, dfb, array = self._read("(column + k) % 4")
        stop = self._maybe(0.3)
        used = max(count - 1, 1) if stop else count
        lines = [
            f"with {self._out}.reserve() as r:",
            "    total = ttl.block.fill(0, shape=(1, 1))",
            f"    for k in range({count}):",
            *([f"        if k == {used}:", "            break"] if stop else []),
            *_deeper(read, 2),
            f"        with {dfb}.wait() as v:",
            "            total += v",
            "    r.store(total)",
        ]
        parts = [f"np.roll({array}, {-32 * k}, axis=1)" for k in range(used)]
        return [*lines, *self._write(self._out)], f"({' + '.join(parts)})"

    def _write(self, dfb: str) -> list[str]:
        form = self._random.randrange(5)
        if form == 4:
            lines = [f"with {dfb}.wait() as blk:", "    save(blk, y[x, column])"]
            return self._called([dfb, "y", "x", "column"], lines)
        return [
            [f"with {dfb}.wait() as blk:", "    ttl.copy(blk, y[x, column]).wait()"],
            [f"with {dfb}.wait() as result:", "    save(result, target=y[x, column])"],
            [f"blk = {dfb}.wait()", "xf = ttl.copy(blk, y[x, column])", "xf.wait()", "blk.pop()"],
            [f"with {dfb}.wait() as blk:", "    move(blk, y[x, column])"],
        ][form]


def _buffers_in(lines: list[str]) -> list[str]:
    """The buffers that statements name, in order."""
    return list(dict.fromkeys(re.findall(r"\bdfb_\d+\b", "\n".join(lines))))


def _deeper(lines: list[str], levels: int) -> list[str]:
    return [f"{'    ' * levels}{line}" for line in lines]


def program(seeds: range) -> str:
    """A program with an operation for each seed."""
    return HEAD + "".join(OneBody(seed).text() for seed in seeds)
