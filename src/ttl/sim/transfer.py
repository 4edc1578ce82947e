"""Transfers: a copy under way between a block and a tensor slice or a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttl.diag import error
from ttl.lang.copy import Transfer
from ttl.protocol.blocks import State
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBlock


class SimTransfer(Transfer):
    """A copy into (``writes``) or out of a block."""

    __slots__ = ("block", "done", "site", "writes")

    def __init__(self, block: SimBlock, writes: bool, site: Site) -> None:
        self.block = block
        self.writes = writes
        self.site = site
        self.done = False

    def wait(self) -> None:
        """Wait for the transfer; see ``Transfer.wait``."""
        block = self.block
        if self.done or block.engine.current is not block.kernel:
            self._refuse()
        self.complete()
        self.done = True
        block.transfers.remove(self)
        if self.writes:
            block.state = State.MUST_BE_READ
        else:
            block.readers -= 1
            if not block.readers:
                block.state = State.READ_WRITE

    def complete(self) -> None:
        """Block until the data are where they belong. Tensor slices: at once."""

    def _refuse(self) -> None:
        block = self.block
        if self.done:
            block.engine.fail(
                error(
                    "TTL0503",
                    "wait on a transfer that was already waited for",
                    help="wait once per ttl.copy(); for a new transfer call ttl.copy() again",
                ),
                related=((self.site, "the copy was started here"),),
            )
        block.engine.fail(
            error(
                "TTL0504",
                f"wait on a transfer of kernel {block.kernel.name} outside that kernel",
                help="wait for a transfer in the data movement kernel that started it",
            ),
            related=((self.site, "the copy was started here"),),
        )
