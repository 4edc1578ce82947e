"""``python -m ttl.opt`` is ``ttl-opt``."""

from __future__ import annotations

from ttl.opt.main import main

main()
