"""``python -m ttlang_models ttrt ...``: run our command of TT-MLIR, whatever else is installed under its name."""

from __future__ import annotations

import sys

from ttlang_models.commands import COMMANDS


def main() -> int:
    """Run the command that is named first."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    command = COMMANDS.get(name)
    if command is None:
        print(
            f"error: there is no command {name or 'without a name'}; there are {', '.join(COMMANDS)}",
            file=sys.stderr,
        )
        return 2
    sys.argv = [name, *sys.argv[2:]]
    command()


if __name__ == "__main__":
    sys.exit(main())
