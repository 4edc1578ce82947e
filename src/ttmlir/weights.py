"""What the weights of a model are to the program that it becomes."""

from __future__ import annotations

from typing import Literal, TypeAlias

# Inputs of the program, which may change; or what they are now, in the file.
Weights: TypeAlias = Literal["inputs", "constants"]
WEIGHTS: tuple[Weights, ...] = ("inputs", "constants")
