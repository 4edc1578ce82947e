"""Runs users' programs in processes of their own, within limits. Nothing of them is left when they end."""

import os

# Limits rely on features that Windows lacks: sessions of processes, descriptors that are handed on, forking.
IS_POSIX = os.name == "posix"


def why_not() -> str:
    """Return why programs cannot be run within limits on this system; empty where they can."""
    if IS_POSIX:
        return ""
    return (
        "programs run within limits of time and memory on Linux and macOS; here, use 'ttl run' in a terminal"
    )


# The descriptor of a task's channel, where it has one: a pipe to the process that started it, which no other process can write to.
CHANNEL = 3
