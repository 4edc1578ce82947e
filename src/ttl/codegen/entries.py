"""Entries: symbols in a description for numbers that depend on a device or on a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """The address of a tensor."""

    tensor: str

    def __str__(self) -> str:
        return f"address({self.tensor})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Coordinate:
    """The NoC coordinate of a column (x) or of a row (y) of the grid."""

    axis: Literal["x", "y"]
    index: int

    def __str__(self) -> str:
        return f"noc_{self.axis}({self.index})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Banks:
    """NoC coordinates of one or two nodes, packed: 16 bits each, the first one low; 8 bits x above 8 bits y."""

    nodes: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return f"bank({','.join(f'{x},{y}' for x, y in self.nodes)})"


@dataclass(frozen=True, kw_only=True, slots=True)
class OfMesh:
    """A number of the host's mesh.

    ``chip`` is the number of the launched chip, row by row of the mesh; ``fabric_chip`` is the fabric's number of the
    chip at ``index``, ``fabric_mesh`` its number of the mesh.
    """

    what: Literal["chip", "fabric_chip", "fabric_mesh"]
    index: int | None = None

    def __str__(self) -> str:
        return f"{self.what}({'' if self.index is None else self.index})"


@dataclass(frozen=True, kw_only=True, slots=True)
class SemaphoreAddress:
    """The address of a global semaphore, the same on every node of every chip."""

    name: str

    def __str__(self) -> str:
        return f"semaphore({self.name})"


@dataclass(frozen=True, kw_only=True, slots=True)
class MeshNumbers:
    """The values of the mesh's entries in the launch of one chip."""

    chip: int
    fabric_chips: Sequence[int]
    fabric_mesh: int
    semaphores: Mapping[str, int]

    def of(self, entry: OfMesh) -> int:
        """The value of an entry."""
        if entry.what == "fabric_chip":
            return self.fabric_chips[entry.index or 0]
        return self.chip if entry.what == "chip" else self.fabric_mesh


Entry = Address | Coordinate | Banks | OfMesh | SemaphoreAddress
Word = int | Entry
"""A 32-bit argument: a number, or an entry that represents a number."""


def read_entry(text: str) -> Entry:
    """Parse the text of an entry. Raises ``ValueError`` for any other text."""
    word, _, inside = text.removesuffix(")").partition("(")
    if text == f"{word}({inside})":
        numbers = [int(item) for item in inside.split(",") if item.isdecimal()]
        match word:
            case "address" if inside and "(" not in inside and ")" not in inside:
                return Address(tensor=inside)
            case "semaphore" if inside and "(" not in inside and ")" not in inside:
                return SemaphoreAddress(name=inside)
            case "fabric_chip" if inside.isdecimal():
                return OfMesh(what="fabric_chip", index=numbers[0])
            case "chip" | "fabric_mesh" if not inside:
                return OfMesh(what="chip" if word == "chip" else "fabric_mesh")
            case "noc_x" | "noc_y" if inside.isdecimal():
                return Coordinate(axis="x" if word == "noc_x" else "y", index=numbers[0])
            case "bank" if len(numbers) in (2, 4) and len(numbers) == inside.count(",") + 1:
                return Banks(nodes=tuple(zip(numbers[::2], numbers[1::2], strict=True)))
    raise ValueError(f"no entry: {text}")


def in_text(words: Iterable[Word]) -> tuple[int | str, ...]:
    """Return words with entries converted to text."""
    return tuple(word if isinstance(word, int) else str(word) for word in words)


def from_text(words: Iterable[int | str]) -> tuple[Word, ...]:
    """The inverse of ``in_text``. Raises ``ValueError`` for a text that is not an entry."""
    return tuple(word if isinstance(word, int) else read_entry(word) for word in words)


def resolve(
    words: Sequence[Word],
    *,
    address: Callable[[str], int],
    node: Callable[[int, int], tuple[int, int]],
    mesh: MeshNumbers | None = None,
) -> list[int]:
    """Return words as numbers.

    ``address`` returns the address of a tensor by name, ``node`` the NoC coordinates (x, y) of a column and row. Raises
    ``ValueError`` for an entry of a mesh if ``mesh`` is None.
    """
    return [word if isinstance(word, int) else _value(word, address, node, mesh) for word in words]


def _value(
    entry: Entry,
    address: Callable[[str], int],
    node: Callable[[int, int], tuple[int, int]],
    mesh: MeshNumbers | None,
) -> int:
    match entry:
        case OfMesh() | SemaphoreAddress():
            if mesh is None:
                raise ValueError(f"{entry} is known only in a mesh")
            return mesh.of(entry) if isinstance(entry, OfMesh) else mesh.semaphores[entry.name]
        case Address():
            return address(entry.tensor)
        case Coordinate(axis="x"):
            return node(entry.index, 0)[0]
        case Coordinate():
            return node(0, entry.index)[1]
        case Banks():
            return pack([node(x, y) for x, y in entry.nodes])


def pack(coordinates: Sequence[tuple[int, int]]) -> int:
    """Pack one or two coordinates (x, y) into a word."""
    word = 0
    for position, (x, y) in enumerate(coordinates):
        word |= (x << 8 | y) << (16 * position)
    return word
