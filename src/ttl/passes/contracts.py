"""The facts that each pass expects and establishes, which decide whether an order of passes is legal.

A pass declares a ``Contract`` as ``contract``. A schedule that a user wrote (``ttl.transform``) may leave passes out and move
them; before a pass runs, its contract is compared with the facts that the passes before it have established.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, cast

from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.analysis.dominance import of_kinds


class PassFact(Enum):
    """A fact that is true of an operation after some pass, in words."""

    PROCESSORS = "threads of microcores are kernels"
    CHIP = "the chip is known"
    LOCAL = "distributed tensors are slices and copies"
    SYNC = "every push, pop and wait is there"
    ROWS = "every operation is one that the chip has a function for"
    MODE = "the width of the registers is chosen"
    PADDING = "padding stays out of sums and products"
    BUFFERED = "values that have to be in buffers are"
    REGIONS = "what is computed together is one region"
    PLACES = "tiles have their registers"
    SECTIONS = "regions have their sub-blocks"
    HANDED = "it is decided which blocks are handed over in parts"
    PIPES = "pipes have their semaphores"
    SPARE_ROWS = "rows that begin anywhere have their buffers"
    NUMBERS = "buffers have their numbers and their place in L1"
    MOVERS = "data movement is calls of the kernel API"
    TILES = "computation is calls of the kernel API"
    KERNELS = "operations are programs of kernels"
    HOISTED = "superfluous inits are gone"
    LATE = "kernels wait where they first need a block"


@dataclass(frozen=True, kw_only=True, slots=True)
class Contract:
    """The facts that a pass needs, those it establishes, and those that must not be true yet."""

    needs: tuple[PassFact, ...] = ()
    gives: tuple[PassFact, ...] = ()
    before: tuple[PassFact, ...] = ()
    again: bool = False
    """Whether the pass may run where the facts that it establishes are already true."""

    def violation(
        self, facts: Iterable[PassFact], makers: Mapping[PassFact, str] | None = None
    ) -> str | None:
        """Return why a pass cannot run where these facts hold; None where it can. ``makers`` name the passes that establish facts."""
        there = set(facts)
        for fact in self.needs:
            if fact not in there:
                maker = (makers or {}).get(fact)
                return f"it requires that {fact.value}, which is not true yet" + (
                    f": {maker} does that" if maker else ""
                )
        for fact in self.before:
            if fact in there:
                return f"it has to run before {fact.value}, which is already true"
        if not self.again and self.gives and there.issuperset(self.gives):
            return f"it ran already: {self.gives[0].value}"
        return None


class _HasContract(Protocol):
    contract: Contract


def contract_of(one: ModulePass | type[ModulePass]) -> Contract | None:
    """Return the contract that a pass declares; None if it declares no contract."""
    return cast(_HasContract, one).contract if hasattr(one, "contract") else None


_IN_ORDER = tuple(PassFact)


def facts_of(op: Operation) -> frozenset[PassFact]:
    """Return the facts that can be read off an operation that passes have run on; empty for one from the front end."""
    # Checks import contracts with the passes that they run, and need nothing of kernels.
    from ttl.dialects.registers import ComputeRegionOp
    from ttl.dialects.ttkernel import ProgramOp

    if isinstance(op, ProgramOp):
        return frozenset(_IN_ORDER[: _IN_ORDER.index(PassFact.KERNELS) + 1])
    regions = of_kinds(op, ComputeRegionOp)
    if not regions:
        return frozenset()
    last = (
        PassFact.SECTIONS if all("subblock" in region.attributes for region in regions) else PassFact.REGIONS
    )
    return frozenset(_IN_ORDER[: _IN_ORDER.index(last) + 1])


@dataclass(slots=True)
class FactBook:
    """The facts of each operation of a module, while passes run over them."""

    facts: dict[Operation, frozenset[PassFact]] = field(default_factory=dict)

    def of(self, op: Operation) -> frozenset[PassFact]:
        """Return the facts that hold for an operation or program."""
        if op not in self.facts:
            self.facts[op] = facts_of(op)
        return self.facts[op]

    def ran(self, contract: Contract, before: Iterable[Operation], after: Iterable[Operation]) -> None:
        """A pass has made ``after`` of ``before``."""
        held = [self.of(op) for op in before]
        common = frozenset.intersection(*held) if held else frozenset[PassFact]()
        for op in after:
            self.facts[op] = common | set(contract.gives)
