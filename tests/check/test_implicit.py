"""LANGUAGE.md, "Buffers, blocks": a push, pop or transfer wait that is left out is inferred, and ``--strict`` asks for it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import ttl
from support.kernel_builder import Builder
from support.removal import Point, load, points
from support.static_findings import checked_instead
from support.tensors import blank
from ttl.check import implicit, states
from ttl.diag import Diagnostic
from ttl.diag.edits import changes
from ttl.dialects import ttl as dialect
from ttl.passes.infer_sync import infer_sync

PROGRAMS = sorted((Path(__file__).parent.parent / "support" / "synchronised").glob("*.py"))
LEFT_TO_THE_LANGUAGE = [
    (program, point)
    for program in PROGRAMS
    for point in points(program)
    if point.kind in ("push", "pop", "transfer wait") and not point.text.startswith("current.")
]
CODES = {"push": "TTL0340", "pop": "TTL0341", "transfer wait": "TTL0520"}


def name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


def findings(source: str, file: Path, *, strict: bool) -> list[Diagnostic]:
    """What is found in a program that defines ``run()``."""
    program = load(source, file)
    with checked_instead(strict=strict) as found:
        program["run"]()
    return found


def fixed(source: str, found: list[Diagnostic]) -> str:
    """The program with all fixes applied."""
    lines = source.splitlines()
    edits = [edit for each in found if each.fix is not None for edit in each.fix.edits]
    for change in reversed(changes(lines, edits)):
        lines[change.line - 1 : change.line - 1 + len(change.before)] = change.after
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_nothing_is_inferred_where_everything_is_written_out(program: Path, tmp_path: Path) -> None:
    assert findings(program.read_text(encoding="utf-8"), tmp_path / "whole.py", strict=True) == []


@pytest.mark.parametrize(("program", "point"), LEFT_TO_THE_LANGUAGE, ids=name)
def test_what_is_left_out_is_inferred_and_can_be_written_out(
    program: Path, point: Point, tmp_path: Path
) -> None:
    assert findings(point.source, tmp_path / "removed.py", strict=False) == []
    found = findings(point.source, tmp_path / "removed.py", strict=True)
    assert {each.code for each in found} == {CODES[point.kind]}
    text = fixed(point.source, found)
    ast.parse(text)
    assert findings(text, tmp_path / "fixed.py", strict=True) == []


@pytest.mark.parametrize(
    ("program", "point"),
    [(program, point) for program in PROGRAMS for point in points(program) if point.kind == "receive"],
    ids=name,
)
def test_a_block_that_only_a_receive_writes_is_not_written_without_it(
    program: Path, point: Point, tmp_path: Path
) -> None:
    received = re.search(r"ttl\.copy\(pipe, (\w+)\)", point.source)
    assert received
    written_otherwise = re.search(rf"ttl\.copy\([^()]*\], {received[1]}\)", point.source)
    found = {each.code for each in findings(point.source, tmp_path / "removed.py", strict=False)}
    assert found <= {"TTL0301", "TTL0302"}
    assert written_otherwise or found


# --- the pass -------------------------------------------------------------------------------------------------


def order(builder: Builder) -> list[str]:
    """The operations of the first kernel, in order; what was inferred in brackets."""
    infer_sync(builder.operation)
    kernel = builder.operation.kernels[-1]
    return [
        f"[{op.name}]" if getattr(op, "how", "") == "inferred" else op.name
        for op in kernel.walk()
        if op.name.startswith("ttl.") and op is not kernel
    ]


def test_a_push_comes_after_the_last_use() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.reserve(dfb)
        with builder.loop(3):
            builder.accumulate(block)
        builder.reserve(builder.dfb("other"))
    names = order(builder)
    assert names.index("[ttl.dfb_push]") == names.index("ttl.block_accumulate") + 1


def test_a_wait_comes_before_the_next_use_and_copies_out_are_none() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.wait(dfb)
        for _ in range(2):
            builder.copy(block, builder.slice())
        builder.pop(block)
    assert order(builder) == [
        "ttl.dfb_wait", "ttl.copy", "ttl.copy", "[ttl.wait]", "[ttl.wait]", "ttl.dfb_pop",
    ]  # fmt: skip


def test_blocks_of_a_buffer_are_released_in_the_order_they_were_acquired_in() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        older, newer = builder.wait(dfb), builder.wait(dfb)
        builder.read(newer)
        builder.read(older)
    infer_sync(builder.operation)
    popped = [op.block for op in builder.operation.kernels[-1].walk() if isinstance(op, dialect.DfbPopOp)]
    assert popped == [older, newer]
    assert states.check(builder.operation, builder.context()) == []


def test_an_older_block_goes_before_a_newer_one_that_the_program_releases() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        older, newer = builder.wait(dfb), builder.wait(dfb)
        builder.read(older)
        builder.read(newer)
        builder.pop(newer)
        builder.read(older)
        line = builder.line
    infer_sync(builder.operation)
    (finding,) = states.check(builder.operation, builder.context())
    assert (finding.code, finding.primary and finding.primary.span.line) == ("TTL0307", line)
    assert "the program has no pop() for it" in finding.secondary[0].text


def test_running_it_twice_changes_nothing() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        builder.copy(builder.slice(), builder.reserve(dfb))
    assert infer_sync(builder.operation) == 2
    assert infer_sync(builder.operation) == 0


# --- what is not inferred, and what it would hide ----------------------------------------------------------------


def codes_of(produce: Any, consume: Any, *, block_count: int = 2) -> list[str]:
    """Codes found where ``produce(a, dfb)`` and ``consume(dfb, out)`` are two data movement kernels."""

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=block_count)

        @ttl.datamovement()
        def read() -> None:
            produce(a, dfb)

        @ttl.datamovement()
        def write() -> None:
            consume(dfb, out)

    with checked_instead() as found:
        op(blank((32, 160)), blank((32, 160)))
    return [each.code for each in found]


def produce_plainly(a: Any, dfb: Any) -> None:
    for tile in range(5):
        with dfb.reserve() as blk:
            ttl.copy(a[0, tile], blk).wait()


def consume_plainly(dfb: Any, out: Any) -> None:
    for tile in range(5):
        with dfb.wait() as blk:
            ttl.copy(blk, out[0, tile]).wait()


def test_an_inferred_pop_drops_no_unread_block() -> None:
    def consume(dfb: Any, out: Any) -> None:
        for tile in range(5):
            skipped = dfb.wait()
            if tile != 2:
                ttl.copy(skipped, out[0, tile])

    assert codes_of(produce_plainly, consume) == ["TTL0303"]


def test_an_inferred_push_hands_on_no_unwritten_block() -> None:
    def produce(a: Any, dfb: Any) -> None:
        for tile in range(5):
            unwritten = dfb.reserve()
            if tile != 2:
                ttl.copy(a[0, tile], unwritten)

    assert codes_of(produce, consume_plainly) == ["TTL0302"]


def test_a_release_that_is_missing_on_one_path_is_not_inferred() -> None:
    def consume(dfb: Any, out: Any) -> None:
        for tile in range(5):
            sometimes = dfb.wait()
            ttl.copy(sometimes, out[0, tile]).wait()
            if tile != 4:
                sometimes.pop()

    assert codes_of(produce_plainly, consume) == ["TTL0902"]


def test_a_release_on_a_path_that_is_gone_is_a_release() -> None:
    def consume(dfb: Any, out: Any) -> None:
        never = dfb.wait()
        ttl.copy(never, out[0, 0]).wait()
        if out.shape[0] > 32:
            never.pop()

    assert codes_of(produce_plainly, consume) == ["TTL0902"]


def test_a_wait_that_is_missing_on_one_path_is_not_inferred() -> None:
    def produce(a: Any, dfb: Any) -> None:
        for tile in range(5):
            with dfb.reserve() as blk:
                in_xf = ttl.copy(a[0, tile], blk)
                if tile != 3:
                    in_xf.wait()

    assert codes_of(produce, consume_plainly) == ["TTL0310"]


def test_a_block_that_is_used_again_does_not_make_room() -> None:
    def produce(a: Any, dfb: Any) -> None:
        first = dfb.reserve()
        ttl.copy(a[0, 0], first).wait()
        second = dfb.reserve()
        ttl.copy(a[0, 1], second).wait()
        ttl.copy(first, a[0, 4]).wait()

    assert codes_of(produce, consume_plainly, block_count=2) == []
    assert codes_of(produce, consume_plainly, block_count=1) == ["TTL0322"]


def test_two_acquisitions_in_one_iteration_without_releases() -> None:
    def produce(a: Any, dfb: Any) -> None:
        for tile in range(0, 4, 2):
            even = dfb.reserve()
            ttl.copy(a[0, tile], even)
            odd = dfb.reserve()
            ttl.copy(a[0, tile + 1], odd)

    for block_count in (1, 2, 3):
        assert codes_of(produce, consume_plainly, block_count=block_count) == []


def test_a_block_used_in_place_without_a_name() -> None:
    def produce(a: Any, dfb: Any) -> None:
        for tile in range(5):
            ttl.copy(a[0, tile], dfb.reserve())

    def consume(dfb: Any, out: Any) -> None:
        for tile in range(5):
            ttl.copy(dfb.wait(), out[0, tile])

    assert codes_of(produce, consume) == []


def test_it_is_a_finding_with_strict_only() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        builder.copy(builder.slice(), builder.reserve(dfb))
    infer_sync(builder.operation)
    assert implicit.check(builder.operation, builder.context()) == []
    found = implicit.check(builder.operation, builder.context(strict=True))
    assert sorted(each.code for each in found) == ["TTL0340", "TTL0520"]
