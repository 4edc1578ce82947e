"""How it is said that something of a program has no equivalent."""

from __future__ import annotations

from ttl.ir.refusals import Refused


class Unsupported(Refused):
    """What no operation of TTIR computes."""
