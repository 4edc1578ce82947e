"""The points of a space that one section computes, and the pages and registers that each of them has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ttl.passes.building import Building, Number


@dataclass(frozen=True, slots=True)
class Source:
    """An input of a region: its circular buffer, and the page at which its block begins."""

    buffer: SSAValue
    first: Number
    # Whether tiles of 32 bits are unpacked straight to the registers.
    is_direct: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """The points of the space that one section computes: a rectangle, or a number of them in linear order.

    ``outer`` has the positions in the other dimensions, for a section that computes a whole space.
    """

    outer: tuple[tuple[int, ...], ...]
    rows: int
    columns: Number
    # Tiles of one place of DST.
    size: int
    # Whether the registers hold the points column by column.
    by_column: bool = False

    def each(
        self,
        build: Building,
        strides: tuple[tuple[int, ...], ...],
        body: Callable[[Building, tuple[Number, ...], Number], None],
        *,
        skip: tuple[int, int] = (1, 1),
    ) -> None:
        """Call ``body`` for every point, with the page of each operand relative to the first, and the register.

        ``strides`` are those of the operands over the dimensions of the space; ``skip`` is how many rows and columns
        one call computes.
        """
        for number, outer in enumerate(self.outer):
            firsts = tuple(
                sum(position * step for position, step in zip(outer, own, strict=False)) for own in strides
            )
            columns = self.columns if isinstance(self.columns, int) else 1
            self._rectangle(build, strides, firsts, number * self.rows * columns, body, skip)

    def _rectangle(
        self,
        build: Building,
        strides: tuple[tuple[int, ...], ...],
        firsts: tuple[int, ...],
        register: int,
        body: Callable[[Building, tuple[Number, ...], Number], None],
        skip: tuple[int, int],
    ) -> None:
        slow = [own[-2] if len(own) > 1 else 0 for own in strides]
        fast = [own[-1] if own else 0 for own in strides]
        lines, points = self.rows, self.columns
        if skip != (1, 1):
            assert isinstance(points, int)
            lines, points = lines // skip[0], points // skip[1]
        per_line = self.rows if self.by_column else self.columns
        if self.by_column:
            assert isinstance(points, int)
            slow, fast, lines, points = fast, slow, points, lines
        if lines == 1:
            _count(build, points, firsts, fast, register, 1, body)
        elif points == 1:
            _count(build, lines, firsts, slow, register, per_line, body)
        elif isinstance(points, int) and all(
            line == points * step for line, step in zip(slow, fast, strict=True)
        ):
            _count(build, lines * points, firsts, fast, register, 1, body)
        else:

            def line(within: Building, starts: tuple[Number, ...], first: Number) -> None:
                _count(within, points, starts, fast, first, 1, body)

            _count(build, lines, firsts, slow, register, per_line, line, name="c" if self.by_column else "r")


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """The computation between acquiring and releasing the registers: points from ``starts`` on."""

    points: Points
    starts: tuple[Number, ...]
    # Whether ``starts`` is one number, and so are all strides.
    is_linear: bool
    # The inputs in circular buffers, by their arguments of the region.
    sources: Mapping[SSAValue, Source]
    # The buffer that is packed to in the end.
    output: SSAValue | None
    fp32_dest: bool
    # Whether the buffers that the kernel reads differ in format.
    reconfigures: bool

    def strides(self, strides: tuple[int, ...]) -> tuple[int, ...]:
        """The strides of an operand along the dimensions of ``starts``."""
        return (1,) if self.is_linear else strides

    def page(self, build: Building, source: Source, strides: tuple[int, ...], offset: int = 0) -> Number:
        """The page of an input that the first point reads."""
        moved = (
            build.product(start, step) for start, step in zip(self.starts, self.strides(strides), strict=True)
        )
        return build.sum(source.first, offset, *moved)


def _count(
    build: Building,
    count: Number,
    firsts: tuple[Number, ...],
    steps: list[int],
    register: Number,
    register_step: Number,
    body: Callable[[Building, tuple[Number, ...], Number], None],
    *,
    name: str = "i",
) -> None:
    if count == 1:
        body(build, firsts, register)
        return

    def iteration(within: Building, index: SSAValue, _: object) -> tuple[()]:
        pages = tuple(
            within.sum(first, within.product(index, step)) for first, step in zip(firsts, steps, strict=True)
        )
        body(within, pages, within.sum(register, within.product(index, register_step)))
        return ()

    build.loop(0, count, 1, (), iteration, name=name)
