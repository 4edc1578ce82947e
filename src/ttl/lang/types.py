"""Type aliases of the specification ("Grid", "Pipe", "Semaphore", "Dataflow buffer")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ttl.rows.types import TILE


@dataclass(frozen=True, slots=True)
class Gt:
    """Annotation: greater than."""

    bound: int


@dataclass(frozen=True, slots=True)
class Ge:
    """Annotation: greater than or equal."""

    bound: int


PositiveInt = Annotated[int, Gt(0)]
NaturalInt = Annotated[int, Ge(0)]
Size = PositiveInt
Index = NaturalInt
Count = NaturalInt
Shape = Size | tuple[Size, ...]
NodeCoord = Index | tuple[Index, ...]
NodeRange = tuple[Index | slice, ...]

TILE_SHAPE = (TILE, TILE)
