"""What ``ttmlir-opt`` shows beside the module: ``--explain`` and ``--memory-map``."""

from __future__ import annotations

from contextlib import AbstractContextManager

from xdsl.dialects.builtin import ModuleOp

from ttl.ir.driver import Watch
from ttl.ir.reports import Report, about
from ttmlir.layouts.values import LayoutError
from ttmlir.operations import explanation
from ttmlir.operations.explanation import EXPLANATION, ExplainedTensor, Explanation
from ttmlir.transforms import memory_map
from ttmlir.transforms.memory_map import WorstMoment


class Explain(Watch):
    """Why tensors lie as they do."""

    flag = "explain"
    summary = "say of every tensor which layout it got and why, and of every conversion what asked for it"

    def __init__(self) -> None:
        self._explanation = Explanation()
        self._tensors: list[ExplainedTensor] = []

    def watching(self) -> AbstractContextManager[object]:
        return EXPLANATION.given(self._explanation)

    def look(self, module: ModuleOp) -> list[Report]:
        self._tensors += self._explanation.tensors(module)
        return []

    def text(self, *, as_json: bool = False) -> str:
        return explanation.as_json(self._tensors) if as_json else explanation.as_text(self._tensors)


class ShowMemory(Watch):
    """What lies in the memory of the device. What does not fit is an error."""

    flag = "memory-map"
    summary = "say what lies in L1 and DRAM at the worst moment, and refuse what does not fit"

    def __init__(self) -> None:
        self._moments: list[WorstMoment] = []

    def look(self, module: ModuleOp) -> list[Report]:
        try:
            moments = memory_map.memory_map(module)
        except LayoutError as problem:
            return [about(module, str(problem))]
        self._moments += moments
        return memory_map.too_large(moments, module)

    def text(self, *, as_json: bool = False) -> str:
        return memory_map.as_json(self._moments) if as_json else memory_map.text(self._moments)
