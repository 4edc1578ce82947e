"""What processes of the tests do for items."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def work(task: dict[str, Any], item: Any) -> Any:
    """By the name of the item; anything else is given back."""
    print("what is printed goes nowhere")
    if item == "dies":
        print("a last word", file=sys.stderr)
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "dies once":
        marker = Path(task["folder"], "died")
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    if item == "ends":
        raise ValueError("a defect")
    if item == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    if item == "starts another and hangs":
        other = subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True
        )
        Path(task["folder"], "pids").write_text(f"{os.getpid()} {other.pid}")
        time.sleep(600)
    if item == "grows":
        held = bytearray(400 << 20)
        time.sleep(600)
        return len(held)
    if isinstance(item, list):  # how long it takes, and who does it
        with Path(task["folder"], "log").open("a") as log:
            log.write(f"{item[0]} {os.getpid()}\n")
        time.sleep(item[1])
        return item[0]
    return [item, os.getpid()]
