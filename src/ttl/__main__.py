"""``python -m ttl`` is the command ``ttl``."""

import sys

from ttl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
