"""What the optimizer gains on ten models at the size of a layer: ``python benchmarks/optimizer_gain.py``.

Estimated time of all operations on the chip, bfloat16, without the optimizer and with its policy ``Fastest``; conversions that it paid for,
and whether ``--explain`` gives a reason for each; CPU seconds of both compiles. Ends with 1 if a model is slower with the optimizer,
or fewer than five gain 8 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "benchmarks"), str(ROOT / "src")]

import torch
from torch import nn
from zoo.language import Experts, Step
from zoo.others import DiT, Mamba
from zoo.parts import Layer, images
from zoo.vision import Bottleneck, Segmentation, ViT

import ttmlir
from ttmlir.layouts.system_desc import default_system
from ttmlir.transforms.explain import EXPLANATION, Explanation
from ttmlir.transforms.optimizer.chains import FASTEST
from ttrt.common.estimate import estimates

_OPTIONS = "enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy="
ENOUGH, MODELS_WITH_ENOUGH = 0.08, 5


def _perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))


class _LSTM(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(width, width)

    def forward(self, x: torch.Tensor, state: torch.Tensor, memory: torch.Tensor) -> Any:
        return self.cell(x, (state, memory))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[tuple[int, ...], ...]]] = {
    "encoder": (lambda: Layer(768, 12), ((1, 128, 768),)),
    "decoder with caches": (lambda: Step(768, 12), ((1, 1, 768), (1, 12, 256, 64), (1, 12, 256, 64))),
    "vision transformer": (lambda: ViT(224, 16, 384, 6, 2), ((1, 3, 224, 224),)),
    "ResNet bottlenecks": (lambda: nn.Sequential(Bottleneck(64), Bottleneck(64)), ((1, 256, 28, 28),)),
    "U-Net": (lambda: Segmentation(32, 4), ((1, 3, 64, 64),)),
    "Mamba": (lambda: Mamba(128, 16), ((1, 16, 128),)),
    "mixture of experts": (lambda: Experts(256, 8), ((128, 256),)),
    "diffusion transformer": (lambda: DiT(384, 6), ((1, 256, 384), (1, 384))),
    "LSTM": (lambda: _LSTM(512), ((32, 512), (32, 512), (32, 512))),
    "perceptron": (_perceptron, ((128, 1024),)),
}


@dataclass(frozen=True)
class Gain:
    """Estimated microseconds without and with the optimizer, its conversions, those of them with a reason, and CPU seconds."""

    before: float
    after: float
    conversions: int
    explained: int
    seconds_before: float
    seconds_after: float

    @property
    def share(self) -> float:
        return 1 - self.after / self.before


def gain(name: str) -> Gain:
    """A model compiled twice."""
    make, shapes = MODELS[name]
    torch.manual_seed(0)
    module = make().eval().bfloat16()
    inputs = tuple(images(*shape).bfloat16() for shape in shapes)
    before, seconds_before = _compiled(module, inputs, "")
    explanation = Explanation()
    with EXPLANATION.given(explanation):
        after, seconds_after = _compiled(module, inputs, _OPTIONS + FASTEST)
    conversions, explained = _conversions(after, explanation)
    return Gain(
        _microseconds(before), _microseconds(after), conversions, explained, seconds_before, seconds_after
    )


def _compiled(module: nn.Module, inputs: tuple[torch.Tensor, ...], options: str) -> tuple[Any, float]:
    started = time.process_time()
    model = ttmlir.compile(module, *inputs, options=options)
    return model, time.process_time() - started


def _microseconds(model: Any) -> float:
    chip = default_system().first_chip
    return (
        sum(
            one.nanoseconds(one.cycles)
            for program in model.binary.programs
            for one in estimates(program, chip)
            if not one.on_host
        )
        / 1000
    )


def _conversions(model: Any, explanation: Explanation) -> tuple[int, int]:
    """How many tensors are brought to another layout or memory, and for how many of these a reason was given."""
    found = [
        tensor
        for tensor in explanation.tensors(model.module.xdsl)
        if tensor.operation in ("ttnn.to_layout", "ttnn.to_memory_config")
    ]
    return len(found), sum(bool(tensor.reasons) for tensor in found)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="What the optimizer gains on ten models at the size of a layer."
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)}; all without any")
    options = parser.parse_args()
    if unknown := set(options.models) - set(MODELS):
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    torch.set_num_threads(1)
    print(
        "| model, bf16 | without, \u00b5s | with, \u00b5s | gain | conversions | with a reason | compile, s | with the optimizer, s |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    gains = {}
    for name in options.models or MODELS:
        one = gains[name] = gain(name)
        print(
            f"| {name} | {one.before:.1f} | {one.after:.1f} | {one.share:.1%} | {one.conversions} | {one.explained} "
            f"| {one.seconds_before:.2f} | {one.seconds_after:.2f} |",
            flush=True,
        )
    enough = sum(one.share >= ENOUGH for one in gains.values())
    wrong = any(one.share < 0 or one.explained < one.conversions for one in gains.values())
    return int(wrong or (not options.models and enough < MODELS_WITH_ENOUGH))


if __name__ == "__main__":
    raise SystemExit(main())
