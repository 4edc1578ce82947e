"""``python -m ttmlir.opt``."""

from __future__ import annotations

from ttmlir.opt.main import main

if __name__ == "__main__":
    main()
