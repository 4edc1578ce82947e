"""Ten models of PyTorch, as people write them: nothing in them knows of the compiler.

Each comes at a small size, for tests, and at the size that a layer of a real model has. ``make demo-model`` compiles and runs
the latter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


class MLP(nn.Module):
    """Three linear layers."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, outputs),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class MnistNet(nn.Module):
    """The convolution net of PyTorch's MNIST example."""

    def __init__(self, size: int, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 3, 1)
        self.conv2 = nn.Conv2d(channels, 2 * channels, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(2 * channels * ((size - 4) // 2) ** 2, 4 * channels)
        self.fc2 = nn.Linear(4 * channels, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = torch.flatten(self.dropout1(x), 1)
        x = self.dropout2(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


class ResNetBlock(nn.Module):
    """The basic block of ResNet, with a stride and a projection."""

    def __init__(self, channels: int, outputs: int, stride: int = 2) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Sequential(
            nn.Conv2d(channels, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
        )
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + self.downsample(x))


class UNetBlock(nn.Module):
    """Down, a bottom, up by a transposed convolution, and the join with what came before."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.down = self._double(channels, width)
        self.pool = nn.MaxPool2d(2)
        self.bottom = self._double(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.out = self._double(2 * width, width)
        self.resized = nn.Upsample(scale_factor=2, mode="nearest")

    @staticmethod
    def _double(inputs: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, padding=1),
            nn.GroupNorm(2, outputs),
            nn.SiLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1),
            nn.GroupNorm(2, outputs),
            nn.SiLU(),
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        skip = self.down(x)
        bottom = self.bottom(self.pool(skip))
        joined = torch.cat([self.up(bottom), skip], dim=1)
        return self.out(joined), self.resized(bottom)


class Attention(nn.Module):
    """Attention over several heads with a mask that comes from outside: True where a position counts."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)
        self.out_proj = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            proj(x).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        scores = scores.masked_fill(~mask[:, None, None, :], torch.finfo(scores.dtype).min)
        context = torch.softmax(scores, dim=-1) @ v
        return self.out_proj(context.transpose(1, 2).reshape(batch, length, width))


class GPTLayer(nn.Module):
    """A layer of GPT-2: its own embedding in front, causal attention, GELU by the hyperbolic tangent."""

    def __init__(self, vocabulary: int, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.heads = heads
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(length, width)
        self.ln_1 = nn.LayerNorm(width)
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.c_fc = nn.Linear(width, 4 * width)
        self.c_out = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer(
            "bias", torch.tril(torch.ones(length, length, dtype=torch.bool))[None, None], persistent=False
        )

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        batch, length = tokens.shape
        x = self.dropout(self.wte(tokens) + self.wpe(torch.arange(length)))
        q, k, v = self.c_attn(self.ln_1(x)).split(x.shape[-1], dim=2)
        q, k, v = (one.view(batch, length, self.heads, -1).transpose(1, 2) for one in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) * (k.shape[-1] ** -0.5)
        scores = scores.masked_fill(self.bias[:, :, :length, :length] == 0, float("-inf"))
        context = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous().view(batch, length, -1)
        x = x + self.c_proj(context)
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class LlamaLayer(nn.Module):
    """A layer of Llama: RMS norms, rotary embedding, fewer heads of keys than of queries, SwiGLU."""

    def __init__(self, width: int, heads: int, kv_heads: int, hidden: int, length: int) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, width // heads
        self.input_layernorm = nn.RMSNorm(width, eps=1e-5)
        self.q_proj = nn.Linear(width, heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)
        self.post_attention_layernorm = nn.RMSNorm(width, eps=1e-5)
        self.gate_proj = nn.Linear(width, hidden, bias=False)
        self.up_proj = nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)
        frequencies = 10000.0 ** -(torch.arange(0, self.head_dim, 2).float() / self.head_dim)
        angles = torch.outer(torch.arange(length).float(), frequencies)
        self.register_buffer("cos", torch.cat([angles, angles], -1).cos(), persistent=False)
        self.register_buffer("sin", torch.cat([angles, angles], -1).sin(), persistent=False)

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, dim=-1)
        turned = torch.cat((-second, first), dim=-1)
        length = x.shape[-2]
        return x * self.cos[:length].to(x.dtype) + turned * self.sin[:length].to(x.dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        h = self.input_layernorm(x)
        q = self.q_proj(h).view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(h).view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(h).view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        context = F.scaled_dot_product_attention(
            self.rotated(q), self.rotated(k), v, is_causal=True, enable_gqa=True
        )
        x = x + self.o_proj(context.transpose(1, 2).reshape(batch, length, -1))
        h = self.post_attention_layernorm(x)
        return x + self.down_proj(F.silu(self.gate_proj(h)) * self.up_proj(h))


class TextBags(nn.Module):
    """The text classifier of PyTorch's tutorial: means of rows of a table, then a linear layer."""

    def __init__(self, vocabulary: int, width: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary, width, mode="mean")
        self.fc = nn.Linear(width, classes)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        return self.fc(self.embedding(text))


class LSTMStep(nn.Module):
    """One step of two LSTM cells, and what they predict: the state comes in and goes out."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first = nn.LSTMCell(inputs, hidden)
        self.second = nn.LSTMCell(hidden, hidden)
        self.out = nn.Linear(hidden, outputs)

    def forward(self, x: torch.Tensor, state: dict[str, tuple[torch.Tensor, torch.Tensor]]) -> Any:
        first = self.first(x, state["first"])
        second = self.second(first[0], state["second"])
        return self.out(second[0]), {"first": first, "second": second}


class ViTBlock(nn.Module):
    """Patches of an image, a class token, positions, and an encoder layer of a vision transformer."""

    def __init__(self, size: int, patch: int, width: int, heads: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.02)
        self.ln_1 = nn.LayerNorm(width, eps=1e-6)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions
        h = self.ln_1(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return (x + self.mlp(self.ln_2(x)))[:, 0]


@dataclass(frozen=True)
class Example:
    """A model with inputs."""

    module: nn.Module
    inputs: tuple[Any, ...]


def _lstm(batch: int, inputs: int, hidden: int, outputs: int) -> Example:
    def state() -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(batch, hidden), torch.randn(batch, hidden)

    given = (torch.randn(batch, inputs), {"first": state(), "second": state()})
    return Example(LSTMStep(inputs, hidden, outputs), given)


def _attention(batch: int, length: int, width: int, heads: int) -> Example:
    lengths = torch.arange(batch) * (length // 4) + length // 2
    mask = torch.arange(length)[None, :] < lengths[:, None]
    return Example(Attention(width, heads), (torch.randn(batch, length, width), mask))


def _tokens(*shape: int, of: int) -> torch.Tensor:
    return torch.randint(0, of, shape)


Made = Callable[[], Example]
# Each model at a small size, and at that of a layer of a real model.
MODELS: Mapping[str, tuple[Made, Made]] = {
    "mlp": (
        lambda: Example(MLP(16, 32, 10), (torch.randn(4, 16),)),
        lambda: Example(MLP(784, 1024, 10), (torch.randn(64, 784),)),
    ),
    "mnist": (
        lambda: Example(MnistNet(12, 4), (torch.randn(2, 1, 12, 12),)),
        lambda: Example(MnistNet(28, 32), (torch.randn(8, 1, 28, 28),)),
    ),
    "resnet": (
        lambda: Example(ResNetBlock(4, 8), (torch.randn(1, 4, 8, 8),)),
        lambda: Example(ResNetBlock(64, 128), (torch.randn(1, 64, 56, 56),)),
    ),
    "unet": (
        lambda: Example(UNetBlock(3, 4), (torch.randn(1, 3, 8, 8),)),
        lambda: Example(UNetBlock(3, 32), (torch.randn(1, 3, 64, 64),)),
    ),
    "attention": (
        lambda: _attention(2, 8, 16, 2),
        lambda: _attention(2, 128, 512, 8),
    ),
    "gpt": (
        lambda: Example(GPTLayer(50, 16, 2, 12), (_tokens(2, 8, of=50),)),
        lambda: Example(GPTLayer(5000, 768, 12, 1024), (_tokens(1, 128, of=5000),)),
    ),
    "llama": (
        lambda: Example(LlamaLayer(32, 4, 2, 48, 16), (torch.randn(1, 8, 32),)),
        lambda: Example(LlamaLayer(2048, 32, 8, 5632, 128), (torch.randn(1, 128, 2048),)),
    ),
    "bags": (
        lambda: Example(TextBags(50, 16, 4), (_tokens(3, 5, of=50),)),
        lambda: Example(TextBags(20000, 64, 4), (_tokens(64, 32, of=20000),)),
    ),
    "lstm": (
        lambda: _lstm(2, 8, 16, 4),
        lambda: _lstm(32, 512, 1024, 512),
    ),
    "vit": (
        lambda: Example(ViTBlock(16, 4, 16, 2), (torch.randn(1, 3, 16, 16),)),
        lambda: Example(ViTBlock(224, 16, 768, 12), (torch.randn(1, 3, 224, 224),)),
    ),
}


def example(name: str, *, real: bool = False, dtype: torch.dtype = torch.float32) -> Example:
    """A model, ready for inference, with inputs; always the same ones."""
    torch.manual_seed(sum(map(ord, name)))
    made = MODELS[name][real]()
    for module in made.module.modules():
        if isinstance(module, nn.BatchNorm2d):
            # Statistics as after training.
            nn.init.uniform_(module.running_mean, -0.5, 0.5)
            nn.init.uniform_(module.running_var, 0.5, 2.0)
    inputs = torch.utils._pytree.tree_map(
        lambda one: one.to(dtype) if one.is_floating_point() else one, made.inputs
    )
    return Example(made.module.eval().to(dtype), inputs)
