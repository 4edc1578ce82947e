"""Tables by a state, a step, a kind … say something of every member, so that a new member is never a KeyError for a user.

A table that leaves some out on purpose is named here with what makes that right.
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
from collections.abc import Iterator, Mapping

import ttl

PARTIAL = {
    "ttl.analysis.sharing._USES": "what uses a buffer is in it",
    "ttl.check.network.stalled._VERB": "of what a kernel does, asked of events that do something",
    "ttl.check.network.stalled._WAITS": "of what a kernel waits for, asked of events that wait",
    "ttl.frontend.kernel.applying._PUBLIC": "asked with .get(): kinds that kernels meet under a public name",
    "ttl.frontend.kernel.value_facts._KNOWN": "asked of numbers only",
    "ttl.frontend.kernel.value_facts._OF_NODE": "asked of numbers only",
    "ttl.host.collectives._OF_FABRIC": "asked with .get(): all others are lines",
    "ttl.host.collectives._OPENED": "asked of rings and tori",
    "ttl.protocol.blocks._VERB": "of the steps of an author: ends of copies are none",
    "ttl.protocol.views._SURELY": "asked with .get(): what is left out may be anything",
    "ttl.sim.native.segment._COLUMNS": "of 16 bits: all others are float32 where columns are read",
    "ttl.sim.native.segment._LOADS": "of 16 bits: float32 is copied, others are decoded before",
    "ttl.sim.native.segment._MANTISSAS": "formats with a block exponent",
    "ttl.sim.native.segment._STORES": "of 16 bits: float32 is copied, others are rounded before",
}


def tables() -> Iterator[tuple[str, Mapping[enum.Enum, object], type[enum.Enum]]]:
    """Every table of a module of ours whose keys are members of one enumeration: its name, itself, the enumeration."""
    for module in pkgutil.walk_packages(ttl.__path__, "ttl."):
        if module.name.rpartition(".")[2] == "__main__":
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Mapping) and not isinstance(value, enum.EnumMeta) and value:
                kinds = {type(key) for key in value}
                if len(kinds) == 1 and issubclass(kind := kinds.pop(), enum.Enum):
                    yield f"{module.name}.{name}", value, kind


def test_every_table_by_an_enumeration_is_total_or_says_why_not() -> None:
    several = list(tables())
    assert len(several) > 20
    missing = {
        name: sorted(member.name for member in kind if member not in table) for name, table, kind in several
    }
    partial = {name: names for name, names in missing.items() if names}
    assert partial.keys() == PARTIAL.keys(), {
        name: names for name, names in partial.items() if name not in PARTIAL
    }
