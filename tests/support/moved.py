"""Bytes that a program moves on the emulated chip, as its network counts them."""

from __future__ import annotations

import runpy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ttl import settings
from ttl.emu.chip import SEMAPHORE_BYTES
from ttl.emu.record import KINDS
from ttl.emu.recorder import RecordedLaunch, collecting
from ttl.host import importer

_READ, _WRITE, _MULTICAST = map(KINDS.index, ("read", "write", "multicast"))


@dataclass
class Moved:
    """Bytes of data by where they came from and went to; semaphores are no data."""

    wants_advice = False
    between_nodes: int = 0
    """That arrived in the L1 of a node from another node's: of a multicast, at every node that received it."""
    within_nodes: int = 0
    """That a node copied within its own L1."""
    dram: int = 0
    """From DRAM or to it."""
    launches: list[str] = field(default_factory=list)

    def add(self, launch: RecordedLaunch) -> None:
        """Count a launch."""
        assert launch.stopped is None and launch.run.record is not None
        self.launches.append(str(launch.name))
        transfers = launch.run.record.transfers
        data = transfers[
            np.isin(transfers["kind"], (_READ, _WRITE, _MULTICAST)) & (transfers["size"] > SEMAPHORE_BYTES)
        ]
        sizes = data["size"].astype(np.int64)
        on_chip, is_multicast = data["dram"] == 0, data["kind"] == _MULTICAST
        own = on_chip & ~is_multicast & (data["from"] == data["to"])
        self.dram += int(sizes[~on_chip].sum())
        self.within_nodes += int(sizes[own].sum())
        arrivals = np.where(is_multicast, data["receivers"].astype(np.int64), 1)
        self.between_nodes += int((sizes * arrivals)[on_chip & ~own].sum())


def moved_by(program: Path, chip: str) -> tuple[Moved, dict[str, Any]]:
    """Run a program on the emulated chip; what all of its launches moved, and the names that it defined."""
    importer.install()
    counted = Moved()
    with settings.override(target="emu", arch=chip), collecting(counted):
        names = runpy.run_path(str(program), run_name="__main__")
    assert counted.launches, "nothing ran on the emulated chip"
    return counted, names
