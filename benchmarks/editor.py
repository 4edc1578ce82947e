"""What an editor waits for: ``ttl lsp`` over standard input and output, as a client sees it.

    python benchmarks/editor.py                     the figures: keystroke to diagnostics, hover, start, memory
    python benchmarks/editor.py --busy 2            the same while so many other processes compute
    python benchmarks/editor.py --typed 10000       memory of the server after so many keystrokes in 500 lines
    python benchmarks/editor.py --replay 10000      random edits of every example, of four kinds, compared with a fresh check

Times are wall-clock ones, the server's wait for the next keystroke (10 ms) included: other work of the machine shows. Beside
them stands what the server computes for a keystroke, which other work hardly changes.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "src"), str(ROOT / "tests")]


def resident(process: str) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


class Client:
    """Just enough of a client to be quick."""

    def __init__(self) -> None:
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ttl", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.start = time.perf_counter() - begun
        self.tell("initialized", {})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def tell(self, method: str, params: dict[str, Any]) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                return message.get("result")

    def shown(self, version: int) -> None:
        """Wait for the diagnostics of a version."""
        while True:
            message = self.receive()
            params = message.get("params") or {}
            if (
                message.get("method") == "textDocument/publishDiagnostics"
                and params.get("version") == version
            ):
                return

    def computed(self) -> float:
        """Seconds of CPU time that the server has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes that the server holds."""
        return resident(str(self.process.pid))

    def end(self) -> None:
        self.ask("shutdown", {})
        self.tell("exit", {})
        self.process.wait(10)


def typing(client: Client, text: str, name: str, edits: int) -> tuple[list[float], list[float]]:
    """Somebody types comments, numbers and lines into operations: the times of diagnostics and of hovers."""
    uri = f"file:///tmp/{name}.py"
    client.tell(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "python", "version": 0, "text": text}},
    )
    client.shown(0)
    random, lines = Random(0), text.split("\n")
    stores = [number for number, line in enumerate(lines) if ".store(" in line]
    times, hovers = [], []
    for version in range(1, edits + 1):
        line = random.choice(stores)
        end = len(lines[line])
        begin = {"line": line, "character": end}
        new = "\n" if version % 20 == 0 else "#" if "#" not in lines[line] else "x"
        if new == "\n":
            lines.insert(line + 1, "")
            stores = [number + (number > line) for number in stores]
        else:
            lines[line] += new
        begun = time.perf_counter()
        client.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": begin, "end": begin}, "text": new}],
            },
        )
        client.shown(version)
        times.append(time.perf_counter() - begun)
        if version % 3 == 0:
            begun = time.perf_counter()
            where = {"line": line, "character": lines[line].index(".store(") - 1}
            client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})
            hovers.append(time.perf_counter() - begun)
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    return times, hovers


def storm(client: Client, name: str, text: str, edits: int) -> list[float]:
    """Somebody types without a pause, and points at things: the times of hovers while texts are analysed."""
    uri = f"file:///tmp/{name}.py"
    client.tell(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "python", "version": 0, "text": text}},
    )
    client.shown(0)
    random, lines = Random(1), text.split("\n")
    stores = [number for number, line in enumerate(lines) if ".store(" in line]
    hovers = []
    for version in range(1, edits + 1):
        line = random.choice(stores)
        begin = {"line": line, "character": len(lines[line])}
        new = "#" if "#" not in lines[line] else "x"
        lines[line] += new
        client.tell(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": {"start": begin, "end": begin}, "text": new}],
            },
        )
        time.sleep(0.08)  # the next key comes while this text is analysed
        begun = time.perf_counter()
        where = {"line": line, "character": lines[line].index(".store(") - 1}
        client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})
        hovers.append(time.perf_counter() - begun)
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    return hovers


def row(label: str, samples: list[float], asked: float) -> None:
    """Median, 95th percentile, and what is asked of the latter, in milliseconds."""
    late = statistics.quantiles(samples, n=20)[-1] * 1e3
    verdict = "met" if late <= asked else "NOT met"
    print(
        f"{label:44} {statistics.median(samples) * 1e3:7.1f} {late:7.1f}  <= {asked:5.0f} ms  {verdict}",
        flush=True,
    )


def figures(edits: int) -> None:
    """The figures of the issue."""
    from large_program import program

    attention = (ROOT / "examples" / "flash_attention.py").read_text(encoding="utf-8")
    starts = []
    for _ in range(3):
        client = Client()
        starts.append(client.start)
        client.end()
    print(
        f"{'start to the answer of initialize, median':44} {statistics.median(starts) * 1e3:7.1f}  <= 600 ms"
    )
    client = Client()
    print(f"{'':44} {'median':>7} {'95 %':>7}")
    files = (
        ("flash attention", attention, 100),
        ("500 lines", program(10, 500), 50),
        ("40 operations", program(), 250),
    )
    for label, text, asked in files:
        before = client.computed()
        times, hovers = typing(client, text, label.replace(" ", "_"), edits)
        print(
            f"{f'{label}: CPU time of a keystroke, mean':44} {(client.computed() - before) * 1e3 / edits:7.1f}"
        )
        row(f"{label}: keystroke to diagnostics", times, asked)
        row(f"{label}: hover", hovers, 20)
        row(f"{label}: hover while texts are analysed", storm(client, f"storm_{len(text)}", text, edits), 20)
    print(f"{'memory after this':44} {client.memory():7.0f}  <= 150 MB")
    client.end()


def typed(edits: int) -> None:
    """Somebody types into 500 lines for long: what the server holds then."""
    from large_program import program

    client = Client()
    for done in range(0, edits, 1000):
        typing(client, program(10, 500), f"typed_{done}", min(1000, edits - done))
        print(
            f"{f'memory after {done + min(1000, edits - done)} keystrokes':44} {client.memory():7.0f}  <= 150 MB",
            flush=True,
        )
    client.end()


@contextmanager
def others(count: int) -> Iterator[None]:
    """So many processes that compute meanwhile."""
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def replay(edits: int, compared: float, seed: str) -> int:
    """Random edits of every example, in process, of each kind; how much was known otherwise than by a fresh check."""
    from ttl.service.workspace import Workspace
    from ttl.session.switches import Settings

    from support import replaying
    from support.random_programs.typing import programs

    kinds: dict[str, Callable[..., Iterator[str]]] = {
        "every text is analysed": partial(replaying.every_edit, compared=compared),
        "half of them, all are asked about": replaying.stale,
        "versions go back": replaying.versions,
        "operations are declared": partial(replaying.every_edit, compared=compared),
    }
    wrong = 0
    for kind, replayed in kinds.items():
        texts = {program: program.read_text(encoding="utf-8") for program in programs()}
        if kind == "operations are declared":
            texts = {program: text for program in texts if (text := replaying.declared(program)) is not None}
        workspace, count, differing = Workspace(None, Settings()), edits // len(texts) + 1, 0
        memory: list[float] = []
        for program, text in texts.items():
            for line in replayed(workspace, str(program), text, Random(f"{seed} {program.name}"), count):
                print(f"{program.name}: {line}")
                differing += 1
            gc.collect()
            memory.append(resident("self"))
        quarter = max(len(memory) // 4, 1)
        print(
            f"{kind}: {count * len(texts)} edits of {len(texts)} programs, seed {seed}: {differing} differences; "
            f"{statistics.mean(memory[:quarter]):.0f} MB in the first quarter, {statistics.mean(memory[-quarter:]):.0f} MB in the last",
            flush=True,
        )
        wrong += differing
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edits", type=int, default=100, help="keystrokes in each file (default 100)")
    parser.add_argument("--replay", type=int, metavar="N", help="make N random edits of each kind instead")
    parser.add_argument(
        "--compared", type=float, default=0.15, help="part of them that is compared (default 0.15)"
    )
    parser.add_argument("--seed", default="1", help="of the edits (default 1)")
    parser.add_argument(
        "--busy", type=int, default=0, metavar="N", help="other processes that compute meanwhile"
    )
    parser.add_argument("--typed", type=int, metavar="N", help="type so much into one file instead")
    arguments = parser.parse_args()
    if arguments.typed:
        typed(arguments.typed)
        return 0
    if arguments.replay:
        return min(replay(arguments.replay, arguments.compared, arguments.seed), 1)
    with others(arguments.busy):
        figures(arguments.edits)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
