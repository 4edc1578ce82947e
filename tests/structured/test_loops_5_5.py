"""Helpers on loops (seed 002, section 5.5): what a nest does, in order, is the same after it was tiled, unrolled or coalesced."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest
from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnregisteredOp
from xdsl.ir import Operation

from ttl.analysis.interpreter import Interpreter
from ttl.analysis.loops import Loop
from ttl.dialects.text import parse_module
from ttl.ir.printer import print_module
from ttl.ir.refusals import Refused
from ttl.ir.verifier import require_valid
from ttl.passes.structured.loops import coalesce, nest_of, tile, unroll


def number_at(op: Operation) -> int:
    at = op.attributes["at"]
    assert isinstance(at, IntegerAttr)
    return int(at.value.data)


class Traced(Interpreter):
    """Runs a module; ``trace`` has what the operation ``test.act`` was given each time, ``memory`` what was written where."""

    def __init__(self, arguments: list[int]) -> None:
        super().__init__()
        self.trace: list[tuple[Any, ...]] = []
        self.memory: dict[Any, Any] = {}
        self._arguments = arguments

    def other(self, op: Operation) -> None:
        match op:
            case memref.StoreOp():
                value, _, *place = self.given(op)
                self.memory[tuple(place)] = value
            case memref.LoadOp():
                _, *place = self.given(op)
                self.define(op.results, [self.memory.get(tuple(place), 0)])
            case affine.ApplyOp():
                self.define(op.results, op.map.data.eval(self.given(op), []))
            case affine.MinOp():
                self.define(op.results, [min(op.map.data.eval(self.given(op), []))])
            case _:
                name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
                if name == "test.act":
                    self.trace.append(tuple(self.given(op)))
                elif name == "test.given":
                    self.define(op.results, [self._arguments[number_at(op)]])
                else:
                    self.define(op.results, [None] * len(op.results))


def played(module: ModuleOp, arguments: list[int]) -> tuple[list[tuple[Any, ...]], dict[Any, Any]]:
    require_valid(module)
    again = parse_module(print_module(module), allow_unregistered=True)
    run = Traced(arguments)
    run.block(again.body.block)
    return run.trace, run.memory


def tiled(loops: list[Loop], sizes: list[int]) -> object:
    return tile(loops[0], sizes)


def unrolled(loops: list[Loop], factor: int) -> object:
    return unroll(loops[0], factor)


def loops_in(module: ModuleOp) -> list[Loop]:
    return [op for op in module.walk() if isinstance(op, scf.ForOp | affine.ForOp)]


def scf_nest(bounds: list[tuple[int, int, int]], *, known: bool, carries: bool) -> tuple[str, list[int]]:
    """A nest of ``scf.for``, and the numbers of which its bounds are made where they are not known."""
    lines: list[str] = []
    given: list[int] = []
    names = []
    for at, triple in enumerate(bounds):
        for which, number in zip("les", triple, strict=True):
            if known:
                lines.append(f"%{which}{at} = arith.constant {number} : index")
            else:
                lines.append(f'%{which}{at} = "test.given"() {{at = {len(given)} : i64}} : () -> index')
                given.append(number)
        names.append(f"%i{at}")
    depth = len(bounds)
    lines.append("%start = arith.constant 0 : index")
    for at in range(depth):
        carried = (
            f"iter_args(%c{at} = {'%start' if at == 0 else f'%c{at - 1}'}) -> (index) " if carries else ""
        )
        result = f"%r{at} = " if carries else ""
        lines.append(f"{result}scf.for %i{at} = %l{at} to %e{at} step %s{at} {carried}{{")
    innermost = [*names, f"%c{depth - 1}"] if carries else names
    lines.append(f'"test.act"({", ".join(innermost)}) : ({", ".join(["index"] * len(innermost))}) -> ()')
    if carries:
        lines.append(f"%n = arith.muli %c{depth - 1}, %three : index")
        lines.append(f"%m = arith.addi %n, %i{depth - 1} : index")
        lines.append("scf.yield %m : index")
    lines.append("}")
    for at in reversed(range(depth - 1)):
        lines += [f"scf.yield %r{at + 1} : index"] if carries else []
        lines.append("}")
    if carries:
        lines.append('"test.act"(%r0) : (index) -> ()')
    return "\n".join(["%three = arith.constant 3 : index", *lines]), given


def affine_nest(bounds: list[tuple[int, int, int]], *, known: bool, carries: bool) -> tuple[str, list[int]]:
    text, given = scf_nest(bounds, known=known, carries=carries)
    lines = []
    for line in text.splitlines():
        if " scf.for " in f" {line}":
            at = int(line.split("%i")[1].split(" ")[0])
            low, high, step = bounds[at]
            line = line.replace("scf.for", "affine.for").replace(f"step %s{at}", f"step {step}")
            if known:
                line = line.replace(f"%l{at} to %e{at}", f"{low} to {high}")
        lines.append(line.replace("scf.yield", "affine.yield"))
    return "\n".join(lines), given


NESTS: dict[str, Callable[..., tuple[str, list[int]]]] = {"scf": scf_nest, "affine": affine_nest}
BOUNDS = [(0, 8, 1), (0, 7, 1), (3, 20, 4), (5, 5, 2), (9, 2, 1), (-4, 6, 3), (2, 3, 7)]


def checked(
    text: str, given: list[int], change: Callable[[list[Loop]], object], *, ordered: bool = True
) -> ModuleOp:
    before = played(parse_module(text, allow_unregistered=True), given)
    module = parse_module(text, allow_unregistered=True)
    change(loops_in(module))
    after = played(module, given)
    assert (after if ordered else after[1]) == (before if ordered else before[1]), print_module(module)
    return module


@pytest.mark.parametrize("kind", NESTS)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("carries", [True, False])
def test_5_5_a_tiled_loop_takes_the_same_turns_in_the_same_order(
    kind: str, known: bool, carries: bool
) -> None:
    for bounds, size in product(BOUNDS, (1, 2, 3, 4, 9)):
        text, given = NESTS[kind]([bounds], known=known, carries=carries)
        module = checked(text, given, partial(tiled, sizes=[size]))
        assert len(loops_in(module)) == 2


@pytest.mark.parametrize("kind", NESTS)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("carries", [True, False])
def test_5_5_an_unrolled_loop_takes_the_same_turns_in_the_same_order(
    kind: str, known: bool, carries: bool
) -> None:
    for bounds, factor in product(BOUNDS, (1, 2, 3, 4, 9)):
        text, given = NESTS[kind]([bounds], known=known, carries=carries)
        checked(text, given, partial(unrolled, factor=factor))
        if known:
            module = checked(text, given, lambda loops: unroll(loops[0]))
            assert not loops_in(module)


@pytest.mark.parametrize("kind", NESTS)
@pytest.mark.parametrize("carries", [True, False])
def test_5_5_coalesced_loops_take_the_same_turns_in_the_same_order(kind: str, carries: bool) -> None:
    for depth in (2, 3):
        for seed in range(20):
            bounds = random.Random(seed * 10 + depth).choices(BOUNDS, k=depth)
            text, given = NESTS[kind](bounds, known=True, carries=carries)
            module = checked(text, given, coalesce)
            assert len(loops_in(module)) == 1


STORES = """
%m = "test.memory"() : () -> memref<99x99xindex>
{constants}
{begins}
  %one = arith.addi %i0, %i{last} : index
  {body}
{ends}
"""


def stored(bounds: list[tuple[int, int, int]], body: str) -> str:
    constants = [
        f"%{which}{at} = arith.constant {number} : index"
        for at, triple in enumerate(bounds)
        for which, number in zip("les", triple, strict=True)
    ]
    begins = [f"scf.for %i{at} = %l{at} to %e{at} step %s{at} {{" for at in range(len(bounds))]
    return STORES.format(
        constants="\n".join(constants),
        begins="\n".join(begins),
        ends="}\n" * len(bounds),
        last=len(bounds) - 1,
        body=body,
    )


SUM = """%old = memref.load %m[%i0, %i1] : memref<99x99xindex>
%three = arith.constant 3 : index
%more = arith.muli %old, %three : index
%new = arith.addi %more, %one : index
memref.store %new, %m[%i0, %i1] : memref<99x99xindex>"""


def test_5_5_a_nest_is_tiled_where_the_order_does_not_matter() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        bounds = rng.choices(BOUNDS, k=3)
        sizes = [rng.choice((0, 1, 2, 3)) for _ in bounds]
        text = stored(bounds, SUM)
        module = checked(text, [], partial(tiled, sizes=sizes), ordered=False)
        assert len(loops_in(module)) == 3 + sum(size > 0 for size in sizes)


@pytest.mark.parametrize(
    ("text", "sizes", "reason"),
    [
        (scf_nest([(0, 4, 1), (0, 4, 1)], known=True, carries=True)[0], [2, 2], "iterations hand values on"),
        (scf_nest([(0, 4, 1), (0, 4, 1)], known=True, carries=False)[0], [2, 2], "has effects"),
        (scf_nest([(0, 4, 1)], known=True, carries=False)[0], [2, 2], "the nest has 1"),
        (scf_nest([(0, 4, 1)], known=True, carries=False)[0], [-1], r"sizes are 0 or more iterations of a loop, not \[-1\]"),
        (stored([(0, 4, 1)] * 3, "memref.store %one, %m[%i0, %s0] : memref<99x99xindex>"), [2, 2, 2], "several loops"),
        (
            stored([(0, 4, 1)] * 2, "%o = memref.load %m[%i1, %i0] : memref<99x99xindex>\n"
                   "memref.store %o, %m[%i0, %i1] : memref<99x99xindex>"),
            [2, 2],
            "what other iterations write",
        ),
    ],
)  # fmt: skip
def test_5_5_a_nest_whose_order_matters_is_not_tiled(text: str, sizes: list[int], reason: str) -> None:
    module = parse_module(text, allow_unregistered=True)
    before = print_module(module)
    with pytest.raises(Refused, match=reason):
        tile(loops_in(module)[0], sizes)
    assert print_module(module) == before


def test_5_5_what_cannot_be_unrolled_or_coalesced_is_refused_with_the_reason() -> None:
    text, _ = scf_nest([(0, 4, 1), (0, 4, 1)], known=False, carries=False)
    loops = loops_in(parse_module(text, allow_unregistered=True))
    with pytest.raises(Refused, match="is not known before it runs"):
        coalesce(loops)
    with pytest.raises(Refused, match="is not known before it runs"):
        unroll(loops[0])
    with pytest.raises(Refused, match="at least one iteration is done in one, not 0"):
        unroll(loops[0], 0)
    with pytest.raises(Refused, match="the 1 loops are not nested"):
        coalesce(loops[:1])
    many = loops_in(
        parse_module(scf_nest([(0, 60000, 1)], known=True, carries=False)[0], allow_unregistered=True)
    )
    with pytest.raises(Refused, match="are more than 20000"):
        unroll(many[0])


def test_5_5_a_bound_that_depends_on_an_outer_loop_keeps_loops_apart() -> None:
    text = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
scf.for %i = %c0 to %c4 step %c1 { scf.for %j = %c0 to %i step %c1 { "test.act"(%j) : (index) -> () } }"""
    loops = loops_in(parse_module(text, allow_unregistered=True))
    assert nest_of(loops[0], 5) == loops
    with pytest.raises(Refused, match="is not known before it runs"):
        coalesce(loops)
    with pytest.raises(Refused, match="depends on a loop around it"):
        tile(loops[0], [2, 2])
