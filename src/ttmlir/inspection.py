"""The compiler's knowledge of a module beside its text: the reasons for layouts, and the use of the device's memory.

The same as ``ttmlir-opt --explain`` and ``--memory-map``, for modules of ``ttmlir.ir``.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tt_model.operations.explanation import EXPLANATION, Explanation
from ttmlir.transforms.memory_map import memory_map as map_of
from ttmlir.transforms.memory_map import text
from ttmlir.transforms.model_memory import memory_needs as needs_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tt_model.operations.explanation import ExplainedTensor
    from ttmlir.bindings.modules import Module
    from ttmlir.transforms.memory_map import WorstMoment
    from ttmlir.transforms.model_memory import MemoryNeeds

__all__ = ["ModuleExplanation", "explaining", "memory_map", "memory_map_text", "memory_needs"]


def module_of(module: Module) -> ModuleOp:
    """Return the xDSL module of a handle of ``ttmlir.ir``."""
    from xdsl.dialects.builtin import ModuleOp

    operation = module.operation.xdsl
    assert isinstance(operation, ModuleOp)
    return operation


class ModuleExplanation:
    """The explanations that passes give while they run inside ``explaining``."""

    def __init__(self) -> None:
        self._explanation = Explanation()

    def tensors(self, module: Module) -> list[ExplainedTensor]:
        """Every tensor of a module that was compiled inside, with its layout in words and the reasons for it."""
        return list(self._explanation.tensors(module_of(module)))

    def text(self, module: Module) -> str:
        """Return the layouts and reasons as readable text."""
        return self._explanation.text(module_of(module))


@contextmanager
def explaining() -> Iterator[ModuleExplanation]:
    """Record the passes' decisions inside a ``with`` statement.

    ``with explaining() as explanation: passes.ttir_to_ttnn_backend_pipeline(module)``
    """
    explanation = ModuleExplanation()
    with EXPLANATION.given(explanation._explanation):
        yield explanation


def memory_map(module: Module) -> list[WorstMoment]:
    """Return the tensors in DRAM and L1 at the worst moment of every function, bank by bank; sizes are bytes.

    A moment has ``fits``, ``reserved`` and ``capacity`` of one bank, ``tensors`` and ``in_banks()``. Raises ``LayoutError``, a
    ``ValueError``, if the module does not name its system.
    """
    return map_of(module_of(module))


def memory_needs(module: Module, weights: Set[int] | None = None) -> list[MemoryNeeds]:
    """Return a chip's DRAM and L1, the needs of every function, and changes that make it fit; ``str`` of one is readable text.

    ``weights`` are the arguments, by position, that are weights, where they are known. Raises ``LayoutError`` as ``memory_map``.
    """
    return needs_of(module_of(module), weights)


def memory_map_text(module: Module) -> str:
    """Return the memory map as readable text."""
    return text(map_of(module_of(module)))
