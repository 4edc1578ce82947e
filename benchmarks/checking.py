"""What checking costs: ``ttl check`` of a file of 300 lines, the first call under ``ttl run``, the text of the dialect.

Cold is a whole process, Python's own start included. All are CPU times: the machine may have other work. The file
is three of the examples in one, with their three operations.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from startup import SOURCES, Start, environment, start_of

EXAMPLES = SOURCES.parent / "examples"
# The file that is checked, and the operation that is called.
TOGETHER = ("flash_attention", "matmul_multicast", "layernorm")
CALLED = "flash_attention"
OPERATIONS = 2000


def measure(*, rounds: int) -> list[Start]:
    """Every row, with what is asked of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "three_operations.py"
        file.write_text("\n\n".join(_text(name) for name in TOGETHER), encoding="utf-8")
        return [
            start_of(
                "ttl check, 3 operations, 300 lines, cold", ["-m", "ttl", "check", str(file)], 300.0, rounds
            ),
            _worker("the same again, in the same process", "again", str(file), 150.0, rounds),
            _worker("first call of an operation, imports included", "first", folder, 150.0, rounds),
            _worker("first call of another kind", "another", folder, 150.0, rounds),
            _worker("first call, known from an earlier process", "kept", folder, 10.0, rounds),
            _worker("a call after that", "later", folder, 0.1, rounds),
            _worker(f"parse, verify, print {OPERATIONS} operations", "text", "", 1000.0, rounds),
        ]


def _text(name: str) -> str:
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")


def _worker(label: str, what: str, argument: str, asked_ms: float | None, rounds: int) -> Start:
    """One row: processes that measure a part of themselves."""
    cpu, wall = [], []
    for number in range(rounds + 1):
        command = [sys.executable, __file__, what, argument]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
        if number > 0:  # the first one compiles modules, and fills the cache
            found = json.loads(done.stdout.splitlines()[-1])
            cpu.append(found[0])
            wall.append(found[1])
    return Start(
        label=label,
        cpu_ms=statistics.median(cpu),
        wall_ms=statistics.median(wall),
        asked_ms=asked_ms,
        torch_imported=False,
    )


def _timed(work: Callable[[], Any]) -> tuple[float, float]:
    """CPU and wall-clock time of ``work``, in milliseconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return (time.process_time() - cpu) * 1e3, (time.perf_counter() - wall) * 1e3


def _median_of(work: Callable[[], Any], times: int = 5) -> tuple[float, float]:
    samples = [_timed(work) for _ in range(times)]
    return statistics.median(cpu for cpu, _ in samples), statistics.median(wall for _, wall in samples)


def _checked_again(file: str) -> tuple[float, float]:
    from ttl import settings
    from ttl.check.file import check_file

    def check() -> None:
        report = check_file(file, settings.current())
        assert report.operations == len(TOGETHER) and not report.findings, report

    check()
    return _median_of(check)


def _called(what: str, folder: str) -> tuple[float, float]:
    """What ``ttl run`` does before it runs an operation: the import of the checks, and the check."""
    from ttl import settings
    from ttl.check import launch

    new = what in ("first", "another")
    cache = tempfile.mkdtemp(dir=folder) if new else str(Path(folder) / "cache")
    file = Path(folder) / f"{CALLED}_alone.py"
    file.write_text(_text(CALLED).partition("\ndef to_device")[0].replace("import torch\n", ""), "utf-8")
    sys.path[:0] = [folder, str(EXAMPLES)]
    program: Any = __import__(file.stem)
    ttnn = program.ttnn

    def tensors(*shape: int) -> tuple[Any, ...]:
        of = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT, "device": program.device}
        return tuple(ttnn.zeros(shape, **of) for _ in range(4))

    usual, other = tensors(8, 1024, 64), tensors(2, 1024, 64)

    def call(arguments: tuple[Any, ...] = usual) -> None:
        launch.before(program.attention, arguments, {}, settings.current())

    with settings.override(cache_dir=cache):
        if what in ("first", "kept"):
            return _timed(call)
        call()
        return _timed(lambda: call(other)) if what == "another" else _median_of(call, 99)


def _text_of_a_module() -> tuple[float, float]:
    from ttl.dialects.text import parse_module
    from ttl.ir.printer import print_module
    from ttl.ir.verifier import verify

    from dialect import module_text

    text = module_text(OPERATIONS)

    def all_three() -> None:
        module = parse_module(text)
        verify(module)
        print_module(module)

    all_three()
    return _median_of(all_three)


def main() -> None:
    what, argument = sys.argv[1:]
    match what:
        case "again":
            found = _checked_again(argument)
        case "text":
            found = _text_of_a_module()
        case _:
            found = _called(what, argument)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
