"""``python -m ttrt``."""

from __future__ import annotations

from ttrt.common.main import main

if __name__ == "__main__":
    main()
