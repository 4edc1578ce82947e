"""Starts an interpreter that imports nothing from the working folder, the program's folder or relative paths.

``python -m ttl`` puts the working folder first in the import path: a ``numpy.py`` there would be executed by a check,
which promises to execute nothing. Here an interpreter is started with ``-I``, or with ``-P`` where the user's
environment applies. The folders of this package and of the user's packages are passed to it as absolute paths, after
those of the standard library.
"""

from __future__ import annotations

import json
import os
import site
import sys
from collections.abc import Sequence
from pathlib import Path

from ttl.session.switches import python_path

_START = """\
import json, runpy, sys
sys.path += [folder for folder in json.loads(sys.argv.pop(1)) if folder not in sys.path]
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


def command(
    module: str, *arguments: str, flags: Sequence[str] = ("-I",), folders: Sequence[str] = ()
) -> list[str]:
    """The command line that runs a module as ``python -m`` does, isolated; modules are looked for in ``folders``, too.

    Its output is in UTF-8, and not buffered. ``flags``: ``-P`` instead of ``-I`` is for a process to which Python's
    environment variables apply.
    """
    start = (sys.executable, *flags, "-u", "-X", "utf8", "-c", _START, json.dumps([*_folders(), *folders]))
    return [*start, module, *arguments]


def is_this_process() -> bool:
    """Whether this process was started by such a command line: ``sys.flags.safe_path`` is our choice then, not the user's."""
    return _START in sys.orig_argv


def _folders() -> list[str]:
    """Return folders of packages that an isolated process does not search by itself: ours, ``PYTHONPATH``, the user's own.

    A relative entry of ``PYTHONPATH`` is left out: it depends on the working folder.
    """
    given = [] if sys.flags.ignore_environment else [part for part in python_path() if os.path.isabs(part)]
    own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    return [str(Path(__file__).resolve().parents[2]), *given, *own]
