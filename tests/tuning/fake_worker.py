"""Stands for ``ttl.cli.tune_worker``: dies, hangs and lies as the task says, and knows what each number costs."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    reader, writer = channel.makefile("r"), channel.makefile("w")

    def send(message: Any) -> None:
        writer.write(json.dumps(message) + "\n")
        writer.flush()

    task = json.loads(reader.readline())
    script = task["script"]
    if "dies at start" in script:
        print("the program is broken", file=sys.stderr)
        sys.exit(1)
    for operation in script["calls"]:
        costs = script["costs"]
        configurations = [{"size": number} for number in range(len(costs))]
        send(
            {
                "call": {
                    "operation": operation, "file": __file__, "table": "table", "line": 1, "key": ["x"], "chip": "wormhole", "grid": [1, 1],
                    "configurations": configurations, "preferred": {"size": 0}, "excluded": script.get("excluded", []),
                }
            }
        )  # fmt: skip
        for line in iter(reader.readline, ""):
            message = json.loads(line)
            if "use" in message:
                break
            number = message["try"]
            marker = Path(script["folder"], f"tried{number}")
            if number in script.get("dies once", []) and not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            if number in script.get("dies", []):
                os.kill(os.getpid(), signal.SIGKILL)
            if number in script.get("hangs", []):
                time.sleep(60)
            with Path(script["folder"], "log").open("a") as log:
                log.write(f"{number}\n")
            verdict = "wrong" if number in script.get("wrong", []) else "measured"
            send(
                {
                    "trial": {
                        "number": number,
                        "verdict": verdict,
                        "cycles": costs[number],
                        "l1_bytes": 100 - number,
                    }
                }
            )
        else:
            return
    send({"end": 0})


main()
