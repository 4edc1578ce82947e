"""Parts that several models share."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


def images(*shape: int) -> torch.Tensor:
    """Random images, always the same."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def tokens(*shape: int, of: int) -> torch.Tensor:
    """Random numbers of words, always the same."""
    return torch.randint(of, shape, generator=torch.Generator().manual_seed(of))


def convolution(inputs: int, outputs: int, size: int = 3, stride: int = 1, groups: int = 1) -> nn.Sequential:
    """A convolution with batch norm and ReLU."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class Attention(nn.Module):
    """Attention of several heads, causal if wanted, with a bias of the scores if there is one."""

    def __init__(self, width: int, heads: int, *, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if bias is None:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        else:
            scores = q @ k.mT / (width // self.heads) ** 0.5 + bias
            mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    """A transformer layer that normalises first."""

    def __init__(self, width: int, heads: int, *, causal: bool = False, hidden: int = 0) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, causal=causal)
        hidden = hidden or 4 * width
        self.perceptron = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        x = x + self.attention(self.first(x), bias)
        return x + self.perceptron(self.second(x))


class RMSNorm(nn.Module):
    """Root mean square normalisation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight
