"""Text of the dialect with one rule broken is refused with its place, whatever rule it is; text that is right is lowered.

The mutations and why they are illegal: ``tests/support/ir_mutations.py``. 150 are in ``make test``, 2,000 with
``--long``.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.ir_mutations import Cell, cells, chosen, illegal_values, text_changes
from support.legal_modules import (
    EXAMPLES,
    of_example,
    of_examples,
    of_pages,
    of_row,
    of_rows,
    renumbered,
    written,
)
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.codegen.cpp import kernel_sources
from ttl.dialects.filled import WriteMaskOp, WriteScalerOp
from ttl.dialects.text import DIALECTS, parse_module
from ttl.opt.main import TTL_OPT
from ttl.rows.table import OPS

SEED = 20261130
PLACED = re.compile(r"<stdin>:\d+:\d+: error: ")
# What no module that is right has: single tiles, which nothing lowers, and what only passes make, between two of them.
NEVER_LEGAL = frozenset(
    {
        "ttl.require_dst", "ttl.acquire_dst", "ttl.release_dst", "ttl.spill_tile", "ttl.restore_tile", "ttl.get_tile",
        "ttl.pack_tile", "ttl.structured_call", "ttl.block_view", "ttl.block_part", "ttl.block_insert", WriteMaskOp.name, WriteScalerOp.name,
    }
)  # fmt: skip


def verdict(text: str) -> str:
    """What is wrong with how ``ttl-check`` takes a text that is wrong; nothing where it refuses it as it has to."""
    output, errors = io.StringIO(), io.StringIO()
    try:
        status = TTL_OPT.run(["-p", "ttl-check"], io.StringIO(text), output, errors)
    except Exception as raised:
        return f"{type(raised).__name__} was raised: {raised}"
    said = errors.getvalue()
    if status == 0:
        return "it passed"
    if status != 1:
        return f"the exit code is {status}: {said}"
    if "internal error" in said or "cannot cope" in said or "Traceback" in said:
        return f"an error of ours: {said}"
    lines = [line for line in said.splitlines() if re.match(r"\S+: error: ", line)]
    if not lines or not all(map(PLACED.match, lines)):
        return f"an error has no place: {said}"
    if re.search(r": error: .*\b\w+(?:Error|Exception)\b", said):
        return f"an error of Python is shown: {said}"
    return ""


@cache
def modules() -> list[ModuleOp]:
    return [parse_module(text) for text in (*written(), *map(of_example, EXAMPLES), *of_rows())]


@cache
def every() -> list[Cell]:
    return cells(modules())


def not_refused(count: int, seed: int) -> dict[str, list[str]]:
    found = defaultdict(list)
    for cell in chosen(every(), count, seed):
        text = cell.text(modules())
        if wrong := verdict(text):
            found[wrong].append(f"{cell.kind}: {cell.rule}, module {cell.module}")
    return dict(found)


def test_every_property_of_every_operation_has_values_that_it_cannot_have() -> None:
    open_ = [
        (kind.name, name)
        for kind in DIALECTS["ttl"]().operations
        for name in kind.get_irdl_definition().properties  # type: ignore[attr-defined]
        if kind.name not in NEVER_LEGAL and illegal_values(kind.name, name) is None
    ]
    assert open_ == []


def test_every_operation_is_in_a_module_that_is_right() -> None:
    there = {op.name for module in modules() for op in module.walk()}
    missing = {kind.name for kind in DIALECTS["ttl"]().operations} - there
    assert missing == NEVER_LEGAL


@pytest.mark.parametrize("number", range(len(written()) + len(EXAMPLES)))
def test_what_is_right_passes(number: int) -> None:
    text = [*written(), *map(of_example, EXAMPLES)][number]
    assert TTL_OPT.run(["-p", "ttl-check"], io.StringIO(text), io.StringIO(), errors := io.StringIO()) == 0, (
        errors
    )


def test_150_broken_modules_are_refused() -> None:
    assert not_refused(150, SEED) == {}


@pytest.mark.long
def test_2000_broken_modules_are_refused() -> None:
    assert not_refused(2000, SEED + 1) == {}


def test_types_and_attributes_that_are_none_are_refused() -> None:
    texts = [*written(), *map(of_example, EXAMPLES)]
    found = {name: wrong for name, text in text_changes(texts) if (wrong := verdict(text))}
    assert found == {}


# --- what passes is lowered, or refused with a reason -------------------------------------------------------------


def not_lowered(texts: list[str]) -> list[str]:
    """The texts that end otherwise than in C++ or in a diagnostic with a code."""
    found = []
    for text in texts:
        module = parse_module(text)
        try:
            compiled = compile_module(module, settings.current(), generation="0.81")
            for program in compiled.programs:
                assert kernel_sources(program, "0.81")
        except Exception as raised:
            found.append(f"{type(raised).__name__}: {raised}\n{text}")
            continue
        codes = {finding.code for finding in compiled.diagnostics}
        if not compiled.programs and not codes and not compiled.notes:
            found.append(f"nothing was said\n{text}")
    return found


def test_what_passes_is_lowered_or_refused_with_a_reason() -> None:
    assert not_lowered([*written(), *map(of_row, OPS[::8])]) == []


@pytest.mark.long
def test_500_modules_that_pass_are_lowered_or_refused_with_a_reason() -> None:
    texts = [*written(), *of_examples(), *of_rows(), *of_pages()]
    texts += map(renumbered, [*written(), *map(of_example, EXAMPLES)])
    assert len(texts) >= 500
    assert not_lowered(texts) == []
