"""``python -m ttmlir.translate``."""

from __future__ import annotations

from ttmlir.translate.main import main

if __name__ == "__main__":
    main()
