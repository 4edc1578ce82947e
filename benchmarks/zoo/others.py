"""Models that diffuse, recommend, keep a state, and read graphs."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from zoo.entry import of_torch
from zoo.parts import Attention, Layer, images, tokens


class DiT(nn.Module):
    """A block of a diffusion transformer: normalisations are scaled and shifted by the step."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.first, self.second = (nn.LayerNorm(width, elementwise_affine=False) for _ in range(2))
        self.attention = Attention(width, heads)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width)
        )
        self.by_step = nn.Sequential(nn.SiLU(), nn.Linear(width, 6 * width))

    def forward(self, x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        shift, scale, gate, shift2, scale2, gate2 = self.by_step(step)[:, None].chunk(6, -1)
        x = x + gate * self.attention(self.first(x) * (1 + scale) + shift)
        return x + gate2 * self.perceptron(self.second(x) * (1 + scale2) + shift2)


class Noise(nn.Module):
    """A block of a diffusion U-Net: group norm, the step, and attention over places."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.one, self.two = nn.GroupNorm(8, width), nn.GroupNorm(8, width)
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.by_step = nn.Linear(width, width)
        self.norm, self.attention = nn.GroupNorm(8, width), Attention(width, heads)

    def forward(self, x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        y = self.first(F.silu(self.one(x))) + self.by_step(F.silu(step))[:, :, None, None]
        x = x + self.second(F.silu(self.two(y)))
        rows = self.norm(x).flatten(2).mT
        return x + self.attention(rows).mT.reshape(x.shape)


class Embedded(nn.Module):
    """Sines and cosines of a step, and a perceptron."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("rates", 10000.0 ** (-torch.arange(width // 2) / (width // 2)), persistent=False)
        self.body = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, step: torch.Tensor) -> torch.Tensor:
        angles = step[:, None] * self.rates
        return self.body(torch.cat([angles.cos(), angles.sin()], 1))


class VAE(nn.Module):
    """An autoencoder of images; the noise is an input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, width, 4, 2, 1), nn.SiLU(), nn.Conv2d(width, 8, 4, 2, 1))
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(4, width, 4, 2, 1), nn.SiLU(), nn.ConvTranspose2d(width, 3, 4, 2, 1)
        )

    def forward(self, x: torch.Tensor, noise: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, deviation = self.encoder(x).chunk(2, 1)
        code = mean + noise * (deviation / 2).exp()
        loss = (mean.square() + deviation.exp() - deviation - 1).sum((1, 2, 3)) / 2
        return self.decoder(code), loss


class DLRM(nn.Module):
    """Embeddings of categories, a perceptron of numbers, and the products of each two."""

    def __init__(self, tables: int, rows: int, width: int) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(13, 64), nn.ReLU(), nn.Linear(64, width), nn.ReLU())
        pairs = torch.tril_indices(tables + 1, tables + 1, -1)
        self.register_buffer("pairs", pairs[0] * (tables + 1) + pairs[1], persistent=False)
        self.top = nn.Sequential(nn.Linear(width + pairs.shape[1], 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, numbers: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        x = self.bottom(numbers)
        rows = [x, *(table(categories[:, place]) for place, table in enumerate(self.tables))]
        stacked = torch.stack(rows, 1)
        products = (stacked @ stacked.mT).flatten(1)[:, self.pairs]
        return torch.sigmoid(self.top(torch.cat([x, products], 1)))


class WideAndDeep(nn.Module):
    """A linear model of crossed categories beside a perceptron."""

    def __init__(self, rows: int, width: int) -> None:
        super().__init__()
        self.wide, self.deep = nn.Embedding(rows, 1), nn.Embedding(rows, width)
        self.body = nn.Sequential(nn.Linear(4 * width, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, categories: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.wide(categories).sum(1) + self.body(self.deep(categories).flatten(1)))


class TwoTowers(nn.Module):
    """Users and items as vectors of length one; the best items of each user."""

    def __init__(self, users: int, items: int, width: int) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(users, width), nn.Embedding(items, width)

    def forward(self, user: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = F.normalize(self.users(user), dim=1) @ F.normalize(self.items.weight, dim=1).T
        best = scores.topk(4)
        return best.values, best.indices


class FactorisationMachine(nn.Module):
    """DeepFM: products of each two categories by squares of sums, and a perceptron."""

    def __init__(self, rows: int, width: int, fields: int) -> None:
        super().__init__()
        self.linear, self.factors = nn.Embedding(rows, 1), nn.Embedding(rows, width)
        self.body = nn.Sequential(nn.Linear(fields * width, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, categories: torch.Tensor) -> torch.Tensor:
        factors = self.factors(categories)
        crossed = (factors.sum(1).square() - factors.square().sum(1)).sum(1, keepdim=True) / 2
        return torch.sigmoid(self.linear(categories).sum(1) + crossed + self.body(factors.flatten(1)))


class Session(nn.Module):
    """SASRec: a causal transformer over what a user has seen."""

    def __init__(self, items: int, width: int, length: int) -> None:
        super().__init__()
        self.items, self.places = nn.Embedding(items, width), nn.Parameter(torch.randn(length, width))
        self.layers = nn.Sequential(*(Layer(width, 1, causal=True) for _ in range(2)))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.layers(self.items(seen) + self.places)[:, -1] @ self.items.weight.T


class Mamba(nn.Module):
    """A selective state space layer, with its scan written out."""

    def __init__(self, width: int, states: int) -> None:
        super().__init__()
        self.into, self.out = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)
        self.convolution = nn.Conv1d(2 * width, 2 * width, 4, padding=3, groups=2 * width)
        self.select = nn.Linear(2 * width, 2 * states + 1, bias=False)
        self.rate = nn.Linear(1, 2 * width)
        self.decay = nn.Parameter(torch.arange(1.0, states + 1).log().repeat(2 * width, 1))
        self.skip = nn.Parameter(torch.ones(2 * width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        y, gate = self.into(x).chunk(2, -1)
        y = F.silu(self.convolution(y.mT)[..., :length].mT)
        states = self.decay.shape[1]
        step, b, c = self.select(y).split([1, states, states], -1)
        step = F.softplus(self.rate(step))
        decay = torch.exp(-step[..., None] * self.decay.exp())
        into = step[..., None] * b[:, :, None] * y[..., None]
        state = torch.zeros_like(into[:, 0])
        rows = []
        for place in range(length):
            state = decay[:, place] * state + into[:, place]
            rows.append((state * c[:, place, None]).sum(-1))
        return self.out((torch.stack(rows, 1) + y * self.skip) * F.silu(gate))


class RWKV(nn.Module):
    """The time mixing of RWKV, written out."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.key, self.value, self.gate, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.mix = nn.Parameter(torch.rand(3, width))
        self.decay, self.first = nn.Parameter(torch.rand(width)), nn.Parameter(torch.rand(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        before = F.pad(x, (0, 0, 1, 0))[:, :-1]
        k, v, r = (
            part(x * mix + before * (1 - mix))
            for part, mix in zip((self.key, self.value, self.gate), self.mix, strict=True)
        )
        above, below = torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0])
        rows = []
        for place in range(x.shape[1]):
            now = torch.exp(self.first + k[:, place])
            rows.append((above + now * v[:, place]) / (below + now))
            decay, power = torch.exp(-self.decay.exp()), torch.exp(k[:, place])
            above, below = decay * above + power * v[:, place], decay * below + power
        return self.out(torch.sigmoid(r) * torch.stack(rows, 1))


class Retention(nn.Module):
    """RetNet: attention without softmax, with decay by distance."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.gate, self.out = (
            nn.Linear(width, 3 * width),
            nn.Linear(width, width),
            nn.Linear(width, width),
        )
        self.norm = nn.GroupNorm(heads, width)
        far = torch.arange(length)[:, None] - torch.arange(length)
        decay = (1 - 2.0 ** (-5 - torch.arange(heads)))[:, None, None] ** far
        self.register_buffer("decay", torch.where(far >= 0, decay, 0), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = ((q @ k.mT) * self.decay) @ v
        y = y.transpose(1, 2).reshape(batch * length, width)
        return self.out(F.silu(self.gate(x)) * self.norm(y).view(x.shape))


class LSTM(nn.Module):
    """Two layers of LSTM over a sequence."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body, self.head = nn.LSTM(width, width, 2, batch_first=True), nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x)[0][:, -1])


class GCN(nn.Module):
    """Two layers of a graph convolution over a matrix of neighbours."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, hidden), nn.Linear(hidden, outputs)

    def forward(self, x: torch.Tensor, neighbours: torch.Tensor) -> torch.Tensor:
        scale = neighbours.sum(1).clamp(min=1).rsqrt()
        matrix = scale[:, None] * neighbours * scale
        return (matrix @ self.second(torch.relu(matrix @ self.first(x)))).log_softmax(1)


class GAT(nn.Module):
    """Attention of a node to its neighbours."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.body = nn.Linear(inputs, outputs, bias=False)
        self.target, self.source = nn.Linear(outputs, 1, bias=False), nn.Linear(outputs, 1, bias=False)

    def forward(self, x: torch.Tensor, neighbours: torch.Tensor) -> torch.Tensor:
        h = self.body(x)
        scores = F.leaky_relu(self.target(h) + self.source(h).T, 0.2)
        return F.elu(torch.where(neighbours > 0, scores, -1e9).softmax(1) @ h)


class Messages(nn.Module):
    """GraphSAGE over a list of edges: messages are gathered, and added at their ends."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        source, target = edges
        total = torch.zeros_like(x).index_add(0, target, x[source])
        count = torch.zeros(len(x)).index_add(0, target, torch.ones(edges.shape[1]))
        return torch.relu(self.own(x) + self.others(total / count.clamp(min=1)[:, None]))


def _graph() -> torch.Tensor:
    return (images(32, 32) > 1).float() + torch.eye(32)


OTHERS = (
    of_torch("DiT block", "diffusion", lambda: (DiT(64, 2), (images(2, 16, 64), images(2, 64)))),
    of_torch(
        "diffusion U-Net block", "diffusion", lambda: (Noise(32, 1), (images(1, 32, 8, 8), images(1, 32)))
    ),
    of_torch("embedding of the step", "diffusion", lambda: (Embedded(64), (torch.tensor([1.0, 40.0]),))),
    of_torch("VAE", "diffusion", lambda: (VAE(16), (images(1, 3, 16, 16), images(1, 4, 4, 4)))),
    of_torch("DLRM", "recommender", lambda: (DLRM(4, 64, 16), (images(8, 13), tokens(8, 4, 3, of=64)))),
    of_torch("wide and deep", "recommender", lambda: (WideAndDeep(128, 16), (tokens(8, 4, of=128),))),
    of_torch("two towers", "recommender", lambda: (TwoTowers(64, 128, 32), (tokens(8, of=64),))),
    of_torch("DeepFM", "recommender", lambda: (FactorisationMachine(128, 16, 6), (tokens(8, 6, of=128),))),
    of_torch("SASRec", "recommender", lambda: (Session(128, 32, 16), (tokens(4, 16, of=128),))),
    of_torch("Mamba layer", "state space", lambda: (Mamba(32, 8), (images(1, 8, 32),))),
    of_torch("RWKV time mixing", "state space", lambda: (RWKV(32), (images(1, 8, 32),))),
    of_torch("RetNet layer", "state space", lambda: (Retention(64, 2, 32), (images(1, 32, 64),))),
    of_torch("LSTM, two layers", "state space", lambda: (LSTM(32), (images(2, 8, 32),))),
    of_torch("GCN", "graph", lambda: (GCN(32, 16, 4), (images(32, 32), _graph()))),
    of_torch("GAT", "graph", lambda: (GAT(32, 16), (images(32, 32), _graph()))),
    of_torch(
        "GraphSAGE over edges", "graph", lambda: (Messages(16, 16), (images(24, 16), tokens(2, 64, of=24)))
    ),
)
