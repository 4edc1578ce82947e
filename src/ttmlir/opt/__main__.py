"""``ttmlir-opt``, and ``python -m ttmlir.opt``: a process that starts, works and is gone in as little time as it can.

A small module takes less time than the imports for it. They make many objects that stay, which the collector of garbage
would look through again and again.
"""

from __future__ import annotations

import gc
from typing import NoReturn

from ttl_start import listen


def main() -> NoReturn:
    """Run as a console script."""
    gc.disable()
    from ttmlir.opt.main import TTMLIR_OPT

    gc.freeze()
    gc.enable()
    listen()
    TTMLIR_OPT.main()


if __name__ == "__main__":
    main()
