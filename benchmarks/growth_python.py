"""How the time to read and compile ordinary Python grows: with loops, closures, conditions, early returns: ``make growth``.

Programs have 25 to 200 of them, one after the other. The exponent is that of the upper half of a curve, as in ``growth.py``; a curve whose
slope is above 1.15 grows faster than the program and ends the run with status 1, as does a program of 2,000 statements that takes 5 s.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

_FOLDER = Path(__file__).parent
sys.path[:0] = [str(_FOLDER), str(_FOLDER.parent), str(_FOLDER.parent / "tests"), str(_FOLDER.parent / "src")]

from growth import SUPERLINEAR, fit
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.frontend.live import lower_call

from support.random_programs.python.programs import Program, load, unload

_COUNTS = (25, 50, 100, 200)
_STATEMENTS = 2000
_MOST_SECONDS = 5.0
_REPEATS = 3

PARTS = {
    "loops": "for i{k} in range(n + {k} % 3):\n    total += i{k}\n",
    "closures": "def make{k}(count):\n    def inner():\n        nonlocal count\n        count += {k}\n        return count\n    return inner\n"
    "f{k} = make{k}(n)\ntotal += f{k}() + f{k}()\n",
    "nonlocals": "def up{k}(a):\n    nonlocal total\n    total += a * {k}\nup{k}(n)\n",
    "conditions": "if n == {k} % 6:\n    total += {k}\nelif x:\n    total -= 1\n",
    "early returns": "def f{k}(a):\n    if a > {k} % 5:\n        return a\n    return {k}\ntotal += f{k}(n)\n",
    "early returns of loops": "def f{k}(a):\n    for i in range(5):\n        if i * i > a + {k} % 3:\n            return i\n    return {k}\ntotal += f{k}(n)\n",
    "whiles": "w{k} = 0\nwhile w{k} < n:\n    w{k} += 1\n    if w{k} == {k} % 4:\n        break\n",
    "short circuits": "total += (n and {k}) or x\n",
    "matches": "match n:\n    case 0:\n        total += {k}\n    case 1 | 2:\n        total += 1\n",
}


def program(part: str, count: int) -> Program:
    """So many of a part, and what came of them."""
    text = "".join(PARTS[part].format(k=number) for number in range(count))
    return Program(movement=f"total = 0\n{text}print(total % 97)\n", name=f"{part.replace(' ', '_')}_{count}")


def seconds(what: Callable[[], object]) -> float:
    """Processor time, the least of some."""
    taken = []
    for _ in range(_REPEATS):
        began = time.process_time()
        what()
        taken.append(time.process_time() - began)
    return min(taken)


def read(one: Program) -> tuple[float, float]:
    """Seconds to read a program, and to compile what was read."""
    loaded = load(one)
    try:
        tensors = loaded.tensors()
        lowered = lower_call(loaded.operation, tensors, {})
        assert not lowered.diagnostics, lowered.diagnostics
        reading = seconds(lambda: lower_call(loaded.operation, tensors, {}))
        compiling = seconds(lambda: compile_module(lowered.module, settings.current(), generation="0.81"))
        return reading, compiling
    finally:
        unload(one)


def main() -> int:
    """Print the table."""
    # As the commands do: searches for cycles of objects grow with what other programs left.
    gc.set_threshold(1_000_000, *gc.get_threshold()[1:])
    failed = False
    for part in PARTS:
        try:
            times = [read(program(part, count)) for count in _COUNTS]
        except Exception as raised:  # what cannot be read does not grow
            print(f"{part:24} {type(raised).__name__}: {raised}")
            failed = True
            continue
        for what, taken in (("read", [each[0] for each in times]), ("compiled", [each[1] for each in times])):
            slope = fit(_COUNTS[1:], taken[1:])[0]
            failed |= slope > SUPERLINEAR
            milliseconds = " ".join(f"{1000 * each:8.1f}" for each in taken)
            print(
                f"{part:24} {what:9} {milliseconds} ms   exponent {slope:.2f}{'  TOO MUCH' * (slope > SUPERLINEAR)}",
                flush=True,
            )
    text = "".join(
        f"v{number} = (n + {number}) % 7 * {number % 5} + v{max(number - 1, 0)} % 5\n"
        for number in range(1, _STATEMENTS)
    )
    large = Program(movement=f"v0 = n\n{text}print(v{_STATEMENTS - 1})\n", name="statements")
    reading, compiling = read(large)
    print(f"{_STATEMENTS:,} statements: read in {reading:.2f} s, compiled in {compiling:.2f} s")
    return int(failed or reading + compiling > _MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
