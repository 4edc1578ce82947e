"""Stands for ``ttl.cli.tune_worker``: dies, hangs and lies as the task says, and knows what each number costs."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from ttl.sweeps.channel import ParentChannel


def main() -> None:
    channel = ParentChannel()
    script = channel.task["script"]
    item = channel.item()
    if "dies at start" in script:
        print("the program is broken", file=sys.stderr)
        sys.exit(1)
    costs = script["costs"]
    estimates, bounds = script.get("estimates", costs), script.get("bounds", [0] * len(costs))
    for place, name in enumerate(script["calls"]):
        operation, _, key = name.partition("/")
        costs = script.get("costs of", {}).get(key, script["costs"])
        call = {
            "operation": operation, "file": __file__, "table": "table", "line": 1, "key": [key or "x"], "chip": "wormhole", "grid": [1, 1],
            "configurations": [{"size": number} for number in range(len(costs))], "preferred": {"size": 0},
            "excluded": script.get("excluded", []),
        }  # fmt: skip
        while len(item["decided"]) == place:
            channel.begun()
            channel.answer(answer(item, call, script, costs, estimates, bounds))
            item = channel.item()
    while True:
        channel.answer({"end": 0})
        channel.item()


def answer(item: Any, call: Any, script: Any, costs: Any, estimates: Any, bounds: Any) -> Any:
    if "about" in item:
        return {"call": call}
    if "screen" in item:
        return {
            "screened": [
                {"number": number, "bound": bounds[number], "estimate": estimates[number], "l1_bytes": 200}
                for number in item["screen"]
            ]
        }
    if "choices" in item:
        return {"choices": script["choices"]}
    number = item["try"]
    if item.get("compile_option"):
        gained = sum(script["gains"].get(option, 0) for option in item["compile_option"].split())
        return {
            "trial": {
                "number": number, "verdict": "wrong" if "bad" in item["compile_option"] else "measured",
                "cycles": costs[number] - gained, "compile_option": item["compile_option"],
            }
        }  # fmt: skip
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
    trial = {"number": number, "verdict": "measured", "cycles": costs[number], "l1_bytes": 100 - number}
    if number in script.get("wrong", []):
        trial["verdict"] = "wrong"
    elif item["limit"] is not None and costs[number] > item["limit"]:
        trial |= {"verdict": "slower", "cycles": item["limit"]}
    return {"trial": trial}


main()
