"""Runs an example and records what its operations leave in their tensors."""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.recording import Calls, call_three_times, recorded
from ttl import settings
from ttl.diag import report
from ttl.host import importer
from ttl.lang.launches import NUMBERS, LaunchNumbers


def run_example(path: str, overrides: Mapping[str, Any], *, thrice: bool = False) -> tuple[Calls, str, str]:
    """What the calls left, and what was printed and said. ``thrice``: each operation is called several times."""
    importer.install()
    report.SAID.get().keys.clear()
    import torch

    torch.manual_seed(0)
    folder, arguments = str(Path(path).parent), sys.argv
    stdout, stderr = io.StringIO(), io.StringIO()
    sys.modules.pop("checking", None)
    sys.path.insert(0, folder)
    sys.argv = [path]
    try:
        with (
            settings.override(**overrides),
            contextlib.redirect_stdout(stdout),
            contextlib.redirect_stderr(stderr),
            contextlib.suppress(SystemExit),
            NUMBERS.given(LaunchNumbers()),
            recorded(call_three_times if thrice else None) as calls,
        ):
            runpy.run_path(path, run_name="__main__")
    finally:
        sys.argv = arguments
        sys.path.remove(folder)
    return calls, stdout.getvalue(), stderr.getvalue()
