"""One compilation of several operations: what happens to one leaves the others alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl import settings
from ttl.codegen import compile as compiling
from ttl.codegen.compiled_calls import report
from ttl.diag import InternalError
from ttl.diag.internal import internal_error
from ttl.dialects import ttl as dialect
from ttl.frontend.file import lower_file
from ttl.passes.pipeline import pipeline

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def {name}(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.datamovement()
    def write():
        with x_dfb.wait() as x_blk:
            ttl.copy(x_blk, y[0, 0]).wait()


ones = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
{name}(ones, ones)
"""


@dataclass(frozen=True)
class Breaks(ModulePass):
    """A pass with a mistake, which the operation ``first`` meets."""

    name = "ttl-breaks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in op.body.block.ops:
            assert not isinstance(each, dialect.OperationOp) or each.operation_name != "first", "a mistake"


def test_a_mistake_of_ours_is_said_at_its_operation_and_the_others_are_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mine.py"
    program.write_text(PROGRAM.format(name="first") + PROGRAM.format(name="second"), encoding="utf-8")
    module = lower_file(str(program)).module
    monkeypatch.setattr(
        compiling, "pipeline", lambda *chip, **options: (Breaks(), *pipeline(*chip, **options))
    )
    compiled = compiling.compile_module(module, settings.current())
    assert [each.name for each in compiled.descriptions] == ["second"]
    (found,) = compiled.diagnostics
    assert found.code == "TTL9001" and "a mistake" in found.message
    assert any("ttl-breaks, operation first" in note for note in found.notes)
    assert (
        found.primary is not None
        and found.primary.span.line == PROGRAM.split("\n").index("def {name}(x, y):") + 1
    )


@dataclass(frozen=True)
class Reverses(ModulePass):
    """A pass with a mistake that no other pass minds: what the first kernel defines comes after its uses."""

    name = "ttl-reverses"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = next(each for each in op.walk() if isinstance(each, dialect.UserKernelOp)).body.block
        first = block.first_op
        assert first is not None
        first.detach()
        block.add_op(first)


def test_ir_is_verified_after_every_pass_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mine.py"
    program.write_text(PROGRAM.format(name="first"), encoding="utf-8")
    module = lower_file(str(program)).module
    with monkeypatch.context() as patch:
        patch.setattr(compiling, "pipeline", lambda *chip, **options: (Reverses(),))
        with settings.override(verify_each=True):
            (found,) = compiling.compile_module(module, settings.current()).diagnostics
    assert found.code == "TTL9001" and "does not dominate this use" in found.message
    assert any("ttl-reverses, operation first" in note for note in found.notes)
    # Else nothing is verified at all.
    monkeypatch.setattr(compiling, "RepeatedVerification", None)
    monkeypatch.setattr(compiling, "require_valid", None)
    with settings.override(verify_each=False):
        assert not compiling.compile_module(module, settings.current()).diagnostics


def test_a_launch_that_meets_a_mistake_of_ours_raises_an_internal_error() -> None:
    with pytest.raises(InternalError):
        report(internal_error(AssertionError("a mistake")).diagnostics)
