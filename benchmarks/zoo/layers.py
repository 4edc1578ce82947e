"""Models at the size of a layer, for comparisons of what the compiler makes of them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from zoo.language import Experts, Step
from zoo.others import DiT, Mamba
from zoo.parts import Layer, images

LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[tuple[int, ...], ...]]] = {
    "encoder": (lambda: Layer(768, 12), ((1, 128, 768),)),
    "decoder with caches": (lambda: Step(768, 12), ((1, 1, 768), (1, 12, 256, 64), (1, 12, 256, 64))),
    "Mamba": (lambda: Mamba(128, 16), ((1, 16, 128),)),
    "mixture of experts": (lambda: Experts(256, 8), ((128, 256),)),
    "diffusion transformer": (lambda: DiT(384, 6), ((1, 256, 384), (1, 384))),
}
"""What makes each, and the shapes of its inputs."""


def layer(name: str, dtype: torch.dtype) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """A model with random weights, and random inputs; the same at each call."""
    make, shapes = LAYERS[name]
    torch.manual_seed(0)
    return make().eval().to(dtype), tuple(images(*shape).to(dtype) for shape in shapes)
