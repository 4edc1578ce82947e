"""Overrides of the optimizer: the possible layouts, requests for layouts, and handles of operations.

The legal choices of every result of a model, as the explorer offers them::

    from ttmlir import overrides

    for choice in overrides.choices(text, options="memory-layout-analysis-enabled=true"):
        print(choice.name, choice.chosen, [one.override for one in choice.candidates])
    options = overrides.Overrides(output_layouts={"relu_1": "4x1:l1:height_sharded:tile:bf16"}).options()

``options`` are those of ``ttir-to-ttnn-backend-pipeline``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tt_model.operations.explanation import EXPLANATION, Explanation
from ttmlir.bindings.modules import Module
from ttmlir.bindings.operations import OperationHandle, OpView
from ttmlir.ir import Context
from ttmlir.passes import ttir_to_ttnn_backend_pipeline
from ttmlir.transforms.optimizer.overrides import parse_memory_reconfigurations, parse_output_layouts

if TYPE_CHECKING:
    from tt_model.operations.explanation import ExplainedCandidate, ExplainedTensor

__all__ = ["LayoutChoice", "Overrides", "choices", "get_ptr"]


def get_ptr(op: OperationHandle | OpView) -> int:
    """A number that identifies an operation as long as it lives."""
    return id(op.operation.xdsl)


@dataclass(frozen=True, kw_only=True, slots=True)
class Overrides:
    """Requests to the optimizer: layouts of results by the names of operations, as ``2x2:l1:block_sharded:tile:bf16``, and
    positions of operands whose layout is changed before they are read.

    Raises ``ValueError`` for a text that is not a layout.
    """

    output_layouts: Mapping[str, str] = field(default_factory=dict)
    memory_reconfigurations: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parse_output_layouts(self._layouts())
        parse_memory_reconfigurations(self._operands())

    def options(self) -> str:
        """The requests as options of the pipeline: ``override-output-layout=... insert-memreconfig=...``; empty without overrides."""
        parts = {"override-output-layout": self._layouts(), "insert-memreconfig": self._operands()}
        return " ".join(f"{name}={text}" for name, text in parts.items() if text)

    def as_json(self) -> str:
        """The requests as JSON, which ``from_json`` reads."""
        operands = {name: list(positions) for name, positions in self.memory_reconfigurations.items()}
        plain = {"output_layouts": dict(self.output_layouts), "memory_reconfigurations": operands}
        return json.dumps(plain, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Overrides:
        """The requests from the text of ``as_json``. Raises ``ValueError`` for any other text."""
        plain: Any = json.loads(text)
        known = {"output_layouts", "memory_reconfigurations"}
        if not isinstance(plain, dict) or not set(plain) <= known:
            raise ValueError(f"overrides are an object with {' and '.join(sorted(known))}")
        layouts, operands = plain.get("output_layouts", {}), plain.get("memory_reconfigurations", {})
        if not all(isinstance(one, dict) for one in (layouts, operands)):
            raise ValueError("overrides must be keyed by the names of operations")
        if not all(isinstance(text, str) for text in layouts.values()):
            raise ValueError('a layout is a text such as "2x2:l1:block_sharded:tile:bf16"')
        if not all(isinstance(one, list) and all(type(at) is int for at in one) for one in operands.values()):
            raise ValueError("operands are lists of positions, such as [0, 1]")
        return cls(output_layouts=layouts, memory_reconfigurations=operands)

    def _layouts(self) -> str:
        return ",".join(f"{name}={text}" for name, text in self.output_layouts.items())

    def _operands(self) -> str:
        return ",".join(
            f"{name}={':'.join(map(str, positions))}"
            for name, positions in self.memory_reconfigurations.items()
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LayoutChoice:
    """A result that a layout is chosen for. ``name`` is that of its operation, empty if it has no name and cannot be overridden;
    ``chosen`` and ``candidates`` have the form of ``override-output-layout``, ``reasons`` are the reasons of the choice."""

    function: str
    name: str
    operation: str
    shape: tuple[int, ...]
    chosen: str
    candidates: tuple[ExplainedCandidate, ...]
    reasons: tuple[str, ...]


def choices(model: str | Module, options: str = "") -> list[LayoutChoice]:
    """Every result that the optimizer chooses a layout for, in program order, with its possible layouts and their costs.

    Args:
        model: TTIR, as text or as a module, which is not changed.
        options: of the pipeline, such as ``"memory-layout-analysis-enabled=true"``; the optimizer runs in any case.

    Raises ``RuntimeError`` with every error for a model that does not compile, or an impossible override.
    """
    from xdsl.dialects.builtin import ModuleOp

    explanation = Explanation()
    with Context() as context, EXPLANATION.given(explanation):
        module = Module.parse(str(model), context)
        ttir_to_ttnn_backend_pipeline(module, f"enable-optimizer=true {options}".strip())
        compiled = module.operation.xdsl
        assert isinstance(compiled, ModuleOp)
        return [_choice(tensor) for tensor in explanation.tensors(compiled) if tensor.candidates]


def _choice(tensor: ExplainedTensor) -> LayoutChoice:
    chosen = next((one.override for one in tensor.candidates if one.chosen), "")
    return LayoutChoice(
        function=tensor.function,
        name=tensor.name,
        operation=tensor.operation,
        shape=tensor.shape,
        chosen=chosen,
        candidates=tensor.candidates,
        reasons=tensor.reasons,
    )
