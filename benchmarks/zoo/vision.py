"""Models of images."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional as F

from zoo.entry import Entry, of_torch
from zoo.parts import Attention, Layer, convolution, images


class Residual(nn.Module):
    """A basic block of ResNet."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.body = nn.Sequential(
            convolution(inputs, outputs, 3, stride),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.skip = (
            nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
            if stride != 1 or inputs != outputs
            else nn.Identity()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.body(x) + self.skip(x))


class Bottleneck(nn.Module):
    """A bottleneck of ResNet-50."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            convolution(4 * width, width, 1),
            convolution(width, width, 3),
            nn.Conv2d(width, 4 * width, 1, bias=False),
            nn.BatchNorm2d(4 * width),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.body(x))


class Inverted(nn.Module):
    """An inverted residual with squeeze and excitation, as in MobileNetV3 and EfficientNet."""

    def __init__(self, width: int, expansion: int = 4) -> None:
        super().__init__()
        hidden = width * expansion
        self.up = nn.Sequential(nn.Conv2d(width, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.SiLU())
        self.depthwise = nn.Sequential(
            nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            nn.SiLU(),
        )
        self.squeeze = nn.Sequential(
            nn.Conv2d(hidden, width // 4, 1), nn.SiLU(), nn.Conv2d(width // 4, hidden, 1)
        )
        self.down = nn.Sequential(nn.Conv2d(hidden, width, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.depthwise(self.up(x))
        y = y * torch.sigmoid(self.squeeze(y.mean((2, 3), keepdim=True)))
        return x + self.down(y)


class Dense(nn.Module):
    """A dense block: each layer reads all before it."""

    def __init__(self, width: int, growth: int, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(convolution(width + number * growth, growth) for number in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.cat([x, layer(x)], 1)
        return x


class Fire(nn.Module):
    """The fire module of SqueezeNet."""

    def __init__(self, inputs: int, squeezed: int, expanded: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inputs, squeezed, 1)
        self.one, self.three = nn.Conv2d(squeezed, expanded, 1), nn.Conv2d(squeezed, expanded, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.one(x)), torch.relu(self.three(x))], 1)


class ConvNeXt(nn.Module):
    """A block of ConvNeXt."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.body = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.scale = nn.Parameter(torch.full((width,), 1e-2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.body(self.norm(self.depthwise(x).permute(0, 2, 3, 1))) * self.scale
        return x + y.permute(0, 3, 1, 2)


class Swin(nn.Module):
    """Attention in windows that are shifted by a half."""

    def __init__(self, width: int, heads: int, window: int) -> None:
        super().__init__()
        self.window = window
        self.norm, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.bias = nn.Parameter(torch.randn(heads, window * window, window * window))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, height, breadth, width = x.shape
        size, shift = self.window, self.window // 2
        y = torch.roll(self.norm(x), (-shift, -shift), (1, 2))
        y = y.view(batch, height // size, size, breadth // size, size, width).transpose(2, 3)
        y = self.attention(y.reshape(-1, size * size, width), self.bias)
        y = y.view(batch, height // size, breadth // size, size, size, width).transpose(2, 3)
        return x + torch.roll(y.reshape(x.shape), (shift, shift), (1, 2))


class Mixer(nn.Module):
    """A layer of MLP-Mixer."""

    def __init__(self, patches: int, width: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.over_patches = nn.Sequential(
            nn.Linear(patches, 2 * patches), nn.GELU(), nn.Linear(2 * patches, patches)
        )
        self.over_channels = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.over_patches(self.norms[0](x).mT).mT
        return x + self.over_channels(self.norms[1](x))


class ViT(nn.Module):
    """A vision transformer of a few layers."""

    def __init__(self, size: int, patch: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width))
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patches(x).flatten(2).mT
        x = torch.cat([self.first.expand(len(x), -1, -1), x], 1) + self.places
        return self.head(self.layers(x)[:, 0])


class Detection(nn.Module):
    """A head of a detector over two scales."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(convolution(3, width, stride=2), convolution(width, width, stride=2))
        self.deeper = convolution(width, width, stride=2)
        self.classes, self.boxes = nn.Conv2d(width, classes, 3, padding=1), nn.Conv2d(width, 4, 3, padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        near = self.backbone(x)
        far = self.deeper(near)
        near = near + F.interpolate(far, scale_factor=2.0, mode="nearest")
        found = [(self.classes(level).flatten(2), self.boxes(level).flatten(2)) for level in (near, far)]
        return torch.cat([one for one, _ in found], 2).sigmoid(), torch.cat(
            [one for _, one in found], 2
        ).exp()


class Segmentation(nn.Module):
    """A U-Net of two levels."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.first, self.second = convolution(3, width), convolution(width, 2 * width)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.last = nn.Sequential(convolution(2 * width, width), nn.Conv2d(width, classes, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.first(x)
        second = self.second(F.max_pool2d(first, 2))
        return self.last(torch.cat([first, self.up(second)], 1)).softmax(1)


def _lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10),
    )  # fmt: skip


def _vgg() -> nn.Module:
    layers: list[nn.Module] = []
    for inputs, outputs in ((3, 16), (16, 32), (32, 64)):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10)
    )


def _resnet() -> nn.Module:
    stages = [Residual(16, 16), Residual(16, 32, 2), Residual(32, 64, 2)]
    return nn.Sequential(
        convolution(3, 16), *stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)
    )


def _upscaling() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.PReLU(), nn.Conv2d(32, 12, 3, padding=1), nn.PixelShuffle(2)
    )


def _generator() -> nn.Module:
    return nn.Sequential(
        nn.ConvTranspose2d(32, 32, 4), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh(),
    )  # fmt: skip


def _entry(name: str, make: Callable[[], nn.Module], *shape: int) -> Entry:
    return of_torch(name, "vision", lambda: (make(), (images(*shape),)))


VISION = (
    _entry("LeNet-5", _lenet, 2, 1, 28, 28),
    _entry("VGG, three stages", _vgg, 1, 3, 32, 32),
    _entry("ResNet, three stages", _resnet, 1, 3, 32, 32),
    _entry("ResNet-50 bottleneck", lambda: Bottleneck(32), 1, 128, 14, 14),
    _entry("MBConv with squeeze and excitation", lambda: Inverted(32), 1, 32, 16, 16),
    _entry("DenseNet block", lambda: Dense(16, 8, 4), 1, 16, 16, 16),
    _entry("SqueezeNet fire", lambda: Fire(32, 16, 32), 1, 32, 16, 16),
    _entry("ConvNeXt block", lambda: ConvNeXt(32), 1, 32, 14, 14),
    _entry("Swin block", lambda: Swin(64, 2, 4), 1, 8, 8, 64),
    _entry("MLP-Mixer layer", lambda: Mixer(64, 128), 2, 64, 128),
    _entry("ViT, two layers", lambda: ViT(32, 8, 64, 2, 2), 1, 3, 32, 32),
    _entry("detector with two scales", lambda: Detection(32, 8), 1, 3, 32, 32),
    _entry("U-Net, two levels", lambda: Segmentation(16, 4), 1, 3, 32, 32),
    _entry("upscaling by pixel shuffle", _upscaling, 1, 3, 16, 16),
    _entry("DCGAN generator", _generator, 2, 32, 1, 1),
)
