"""One model of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

FAMILIES = (
    "vision",
    "language",
    "speech",
    "diffusion",
    "recommender",
    "state space",
    "graph",
    "training step",
)


@dataclass(frozen=True)
class Entry:
    """A model by its name and family.

    ``make`` gives what is compiled, a module of PyTorch or a function of JAX, and its inputs; ``road`` says which. ``is_real``: it
    has the configuration under which it was published, with random weights.
    """

    name: str
    family: str
    make: Callable[[], tuple[Any, tuple[Any, ...]]]
    road: str = "PyTorch"
    is_real: bool = False
    least: float = 0.99
    """The least correlation of its results with the framework's."""


def of_torch(name: str, family: str, make: Callable[[], tuple[Any, tuple[Any, ...]]]) -> Entry:
    """A module of PyTorch, ready for inference, with the same random weights each time it is made."""

    def made() -> tuple[Any, tuple[Any, ...]]:
        import torch

        torch.manual_seed(0)
        module, inputs = make()
        return module.eval(), inputs

    return Entry(name, family, made)
