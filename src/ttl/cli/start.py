"""Where the command ``ttl`` begins: before the modules that it is made of are imported."""

from __future__ import annotations

from ttl.cli import interrupts


def main() -> int:
    """Run the command line of the process and return its exit code."""
    interrupts.leave()
    from ttl.cli.main import main as command

    return command()
