"""``ttl.SRAMStorage``: memory in L1 whose tensors live across launches, and errors in its use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, DropStatement, StatementBefore

WRONG_TIME, WRONG_STORAGE, NO_ROOM = "TTL0268", "TTL0269", "TTL0804"
State = Literal["declared", "allocated", "closed"]
_LATER = {
    "declared": "call its allocate() first, once, when all of its tensors are declared",
    "allocated": "declare all of its tensors before allocate(), or make another ttl.SRAMStorage for the new ones",
    "closed": "close it after the last use; copy tensors that are needed later with ttnn.to_torch before",
}
_IS = {"declared": "not allocated yet", "allocated": "allocated already", "closed": "closed"}


def wrong_time(what: str, state: State, method: str = "") -> Diagnostic:
    """The error for a use of a storage, or of a tensor in it, that its state forbids (TTL0268).

    ``method`` is the name of the called method.
    """
    finding = error(WRONG_TIME, f"{what}, and its ttl.SRAMStorage is {_IS[state]}", help=_LATER[state])
    if method == "submit" and state == "declared":
        before = StatementBefore(description="allocate before that", text="{object}.allocate()")
        return finding.remedied_by(before)
    again = (method, state) in (("allocate", "allocated"), ("close", "closed"))
    return finding.remedied_by(DropStatement(description="leave it out")) if again else finding


def of_another(shape: Sequence[int]) -> Diagnostic:
    """The error for a tensor that is passed to ``submit`` and belongs to another storage (TTL0269)."""
    return error(
        WRONG_STORAGE,
        f"submit() of a ttl.SRAMStorage got a tensor of shape {tuple(shape)} that belongs to another storage",
        notes=(
            "close() of a storage waits for the submitted calls, so that its tensors are not used any more",
        ),
        help="declare both tensors in one storage, or submit the call to the storage that has the tensor",
    )


def owned(shape: Sequence[int]) -> Diagnostic:
    """The error for freeing a tensor that belongs to a storage (TTL0269)."""
    return error(
        WRONG_STORAGE,
        f"a tensor of shape {tuple(shape)} is deallocated, and belongs to a ttl.SRAMStorage",
        help="leave it out: close() of the storage frees all of its tensors",
    ).remedied_by(DropStatement(description="leave it out"))


def wrong_argument(
    method: str, name: str, shown: str, expected: str, remedy: str | None = None
) -> Diagnostic:
    """The error for a wrong argument of ``method`` (TTL0269)."""
    finding = error(WRONG_STORAGE, f"{name} of {method} is {shown}", help=f"write {expected}")
    return finding if remedy is None else finding.remedied_by(Argument(name=name, value=remedy))


def on_a_card() -> Diagnostic:
    """The error for a storage on a card, where storages do not exist (TTL0269)."""
    return error(
        WRONG_STORAGE,
        "ttl.SRAMStorage does not exist on the target device",
        notes=("on a card, memory belongs to tensors of ttnn, which exist as long as they are referenced",),
        help="make sharded tensors in L1, ttnn.zeros(..., memory_config=ttnn.MemoryConfig(...)), and pass them to every launch",
    )


def no_room(sizes: Sequence[tuple[tuple[int, ...], int]], taken: int, chip: Chip) -> Diagnostic | None:
    """The error for a storage whose tensors do not fit beside the ``taken`` bytes of other storages (TTL0804), or None.

    ``sizes`` has the shape of each tensor, and its bytes on a node.
    """
    own = sum(size for _, size in sizes)
    if own + taken <= chip.l1_available_bytes:
        return None
    shape, largest = max(sizes, key=lambda item: item[1])
    beside = f" beside {taken} of other storages" if taken else ""
    return error(
        NO_ROOM,
        f"the tensors of a ttl.SRAMStorage take {own} bytes of L1 of a node{beside}, and a node of {chip.name} has "
        f"{chip.l1_available_bytes}",
        help=f"spread them over more cores, or close storages that are not needed any more; the largest tensor, of shape {shape}, "
        f"takes {largest}",
    )
