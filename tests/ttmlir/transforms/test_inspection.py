"""Explanations and memory maps from Python."""

from __future__ import annotations

import pytest

from support.ttmlir_programs import ALIASES
from support.ttnn_notation import PROGRAMS
from ttmlir import passes
from ttmlir.dialects import ttir
from ttmlir.inspection import explaining, memory_map, memory_map_text
from ttmlir.ir import Context, Module

TEXT = ALIASES + next(program.text for program in PROGRAMS if program.name == "multiply")


def test_explained_and_mapped() -> None:
    with Context() as context:
        ttir.register_dialect(context)
        module = Module.parse(TEXT)
        with explaining() as explanation:
            passes.ttir_to_ttnn_backend_pipeline(module)
        tensors = explanation.tensors(module)
        assert [tensor.operation for tensor in tensors][:3] == ["argument", "argument", "ttnn.to_layout"]
        assert all(tensor.reasons for tensor in tensors)
        assert explanation.text(module).startswith("function f\n")
        (moment,) = memory_map(module)
        # Two operands of 2x4 tiles of 4096 bytes; the destination has 64 rows of 512 bytes, and the result lies beside it.
        assert (moment.memory, moment.fits, moment.reserved) == ("DRAM", True, 2 * 4096 + 2 * 6 * 512)
        assert memory_map_text(module).startswith("function f, DRAM: 14336 of 1073740800 bytes of every bank")


def test_a_module_that_is_not_for_a_system() -> None:
    with Context() as context:
        ttir.register_dialect(context)
        with pytest.raises(ValueError, match="needs the module attributes"):
            memory_map(Module.parse(TEXT))
