"""Models of texts and of speech."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from zoo.entry import of_torch
from zoo.parts import Attention, Layer, RMSNorm, images, tokens


class Decoder(nn.Module):
    """GPT-2 of a few layers."""

    def __init__(self, words: int, width: int, heads: int, length: int, layers: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*(Layer(width, heads, causal=True) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        x = self.words(text) + self.places(torch.arange(text.shape[1]))
        return self.norm(self.layers(x)) @ self.words.weight.T


class Encoder(nn.Module):
    """BERT of a few layers, with a mask of the text."""

    def __init__(self, words: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.pooled = nn.Linear(width, width)

    def forward(self, text: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.encoder(self.words(text), src_key_padding_mask=mask)
        return torch.tanh(self.pooled(x[:, 0]))


class Llama(nn.Module):
    """A layer with rotary positions, grouped keys and a gated perceptron."""

    def __init__(self, width: int, heads: int, groups: int, length: int) -> None:
        super().__init__()
        self.heads, self.groups, size = heads, groups, width // heads
        self.norms = nn.ModuleList([RMSNorm(width), RMSNorm(width)])
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, groups * size, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(width, 2 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * width, width, bias=False)
        angles = torch.outer(torch.arange(length), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cos", torch.cat([angles, angles], 1).cos(), persistent=False)
        self.register_buffer("sin", torch.cat([angles, angles], 1).sin(), persistent=False)

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return x * self.cos + torch.cat([-second, first], -1) * self.sin

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        y = self.norms[0](x)
        q, k, v = (
            part(y).view(batch, length, -1, width // self.heads).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        k, v = (one.repeat_interleave(self.heads // self.groups, 1) for one in (self.turned(k), v))
        mixed = F.scaled_dot_product_attention(self.turned(q), k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Step(nn.Module):
    """One token of a decoder with caches of keys and values, which it writes and gives back."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(
        self, x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        batch, _, width = x.shape
        q, k, v = self.qkv(x).view(batch, 1, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        keys = torch.cat([keys[:, :, 1:], k], 2)
        values = torch.cat([values[:, :, 1:], v], 2)
        mixed = F.scaled_dot_product_attention(q, keys, values)
        return self.out(mixed.transpose(1, 2).reshape(batch, 1, width)), keys, values


class Relative(nn.Module):
    """Attention of T5: a bias by how far positions are apart."""

    def __init__(self, width: int, heads: int, buckets: int, length: int) -> None:
        super().__init__()
        self.attention, self.bias = Attention(width, heads), nn.Embedding(buckets, heads)
        far = torch.arange(length)[None] - torch.arange(length)[:, None]
        self.register_buffer(
            "bucket", far.clamp(-buckets // 2, buckets // 2 - 1) + buckets // 2, persistent=False
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, self.bias(self.bucket).permute(2, 0, 1))


class Alibi(nn.Module):
    """Attention with a linear bias."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
        far = -(torch.arange(length)[None] - torch.arange(length)[:, None]).abs()
        self.register_buffer("bias", slopes[:, None, None] * far, persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.attention(x, self.bias)


class Experts(nn.Module):
    """A layer of experts, of which each token takes two."""

    def __init__(self, width: int, experts: int) -> None:
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, 2 * width) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, 2 * width, width) / width**0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, chosen = self.router(x).softmax(-1).topk(2, -1)
        share = x.new_zeros(len(x), self.up.shape[0]).scatter(
            1, chosen, weights / weights.sum(-1, keepdim=True)
        )
        hidden = F.silu(torch.einsum("td,edh->eth", x, self.up))
        return torch.einsum("eth,ehd,te->td", hidden, self.down, share)


class Recurrent(nn.Module):
    """A language model of GRU cells, step by step."""

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.words, self.cell, self.head = (
            nn.Embedding(words, width),
            nn.GRUCell(width, width),
            nn.Linear(width, words),
        )

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        state = self.words.weight.new_zeros(len(text), self.words.embedding_dim)
        rows = []
        for place in range(text.shape[1]):
            state = self.cell(self.words(text[:, place]), state)
            rows.append(state)
        return self.head(torch.stack(rows, 1)).log_softmax(-1)


class TextCNN(nn.Module):
    """Convolutions of three widths over words, and the maximum over all places."""

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.convolutions = nn.ModuleList(nn.Conv1d(width, 32, size) for size in (3, 4, 5))
        self.head = nn.Linear(96, 4)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        x = self.words(text).mT
        return self.head(torch.cat([torch.relu(one(x)).amax(-1) for one in self.convolutions], 1))


class Conformer(nn.Module):
    """A block of a conformer: half perceptrons around attention and a gated convolution."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.before, self.after = (
            nn.Sequential(
                nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width)
            )
            for _ in range(2)
        )
        self.norm, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.middle = nn.LayerNorm(width)
        self.gates = nn.Conv1d(width, 2 * width, 1)
        self.depthwise = nn.Conv1d(width, width, 15, padding=7, groups=width)
        self.batch, self.last, self.end = (
            nn.BatchNorm1d(width),
            nn.Conv1d(width, width, 1),
            nn.LayerNorm(width),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.before(x) / 2
        x = x + self.attention(self.norm(x))
        y = F.glu(self.gates(self.middle(x).mT), 1)
        x = x + self.last(F.silu(self.batch(self.depthwise(y)))).mT
        return self.end(x + self.after(x) / 2)


class Spectrogram(nn.Module):
    """Log mel features by products with the matrices of a Fourier transform, and a classifier."""

    def __init__(self, size: int, mels: int) -> None:
        super().__init__()
        angles = 2 * torch.pi * torch.outer(torch.arange(size), torch.arange(size // 2)) / size
        window = torch.hann_window(size)[:, None]
        self.register_buffer("cosine", angles.cos() * window, persistent=False)
        self.register_buffer("sine", angles.sin() * window, persistent=False)
        self.mel = nn.Parameter(torch.rand(size // 2, mels))
        self.head = nn.Linear(mels, 10)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        power = (frames @ self.cosine).square() + (frames @ self.sine).square()
        return self.head(torch.log(power @ self.mel + 1e-5).mean(1))


class Waves(nn.Module):
    """The convolutions of wav2vec over samples."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, width, 10, 5), nn.GroupNorm(width, width), nn.GELU(),
            nn.Conv1d(width, width, 3, 2), nn.GELU(), nn.Conv1d(width, width, 2, 2), nn.GELU(),
        )  # fmt: skip

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        return self.layers(samples[:, None]).mT


def _mask() -> torch.Tensor:
    return torch.arange(32)[None] >= torch.tensor([[32], [20]])


LANGUAGE = (
    of_torch("GPT-2, two layers", "language", lambda: (Decoder(256, 64, 2, 32, 2), (tokens(2, 32, of=256),))),
    of_torch(
        "BERT, two layers", "language", lambda: (Encoder(256, 64, 2, 2), (tokens(2, 32, of=256), _mask()))
    ),
    of_torch("Llama layer", "language", lambda: (Llama(128, 4, 2, 32), (images(1, 32, 128),))),
    of_torch(
        "decoder step with caches",
        "language",
        lambda: (Step(64, 2), (images(1, 1, 64), images(1, 2, 32, 32), images(1, 2, 32, 32))),
    ),
    of_torch("T5 attention", "language", lambda: (Relative(64, 2, 8, 32), (images(2, 32, 64),))),
    of_torch("ALiBi attention", "language", lambda: (Alibi(64, 2, 32), (images(2, 32, 64),))),
    of_torch("mixture of experts", "language", lambda: (Experts(64, 4), (images(32, 64),))),
    of_torch("GRU language model", "language", lambda: (Recurrent(128, 64), (tokens(2, 8, of=128),))),
    of_torch("TextCNN", "language", lambda: (TextCNN(256, 32), (tokens(2, 24, of=256),))),
    of_torch("conformer block", "speech", lambda: (Conformer(64, 2), (images(1, 32, 64),))),
    of_torch("log mel classifier", "speech", lambda: (Spectrogram(128, 32), (images(2, 16, 128),))),
    of_torch("wav2vec convolutions", "speech", lambda: (Waves(32), (images(1, 640),))),
)
