"""``python -m ttl`` runs the command ``ttl``; like that command, it does not import modules from the working folder."""

import os
import sys

if not sys.flags.safe_path and sys.path:
    sys.path[0] = os.path.dirname(sys.executable)

from ttl_start import ttl

if __name__ == "__main__":
    sys.exit(ttl())
