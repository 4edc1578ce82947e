"""A process that calls one function for every item: ``python -m ttl.sweeps.child``, started by ``WorkerProcess``."""

from __future__ import annotations

import importlib
import sys

from ttl.sweeps.channel import ParentChannel


def main() -> int:
    """Answer items until the channel closes."""
    channel = ParentChannel()
    module, _, name = channel.function.partition(":")
    function = getattr(importlib.import_module(module), name)
    while True:
        item = channel.item()
        channel.begun()
        channel.answer(function(channel.task, item))


if __name__ == "__main__":
    sys.exit(main())
