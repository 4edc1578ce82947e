#!/bin/sh
# Prints the interpreter that .venv is made from: Python 3.11 or newer, the first of the names below, unless another one on this
# machine is at least a tenth faster and has all that .venv and the native core need (venv, pip, headers). How Python was compiled
# makes that difference: a distribution's has profile-guided optimisation, one that pyenv builds by its defaults has not.
chosen=
for python in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    time=$($python - 2>/dev/null <<'PROGRAM'
import importlib.util
import pathlib
import sys
import sysconfig
from time import process_time_ns


class Counter:
    def __init__(self, start):
        self.count = start

    def next(self):
        return self.count + 1


def work():
    start, known = process_time_ns(), {}
    for number in range(20_000):
        known[number % 100] = f"{Counter(number).next()}"
    return (process_time_ns() - start) // 1000


if sys.version_info >= (3, 11):
    whole = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
    headers = pathlib.Path(sysconfig.get_paths()["include"], "Python.h").exists()
    print(min(work() for _ in range(9)) if whole and headers else 0)
PROGRAM
    ) || continue
    [ -n "$time" ] || continue
    if [ -z "$chosen" ]; then
        chosen=$python least=$time
    elif [ "$time" -gt 0 ] && { [ "$least" -eq 0 ] || [ $((time * 10)) -lt $((least * 9)) ]; }; then
        chosen=$python least=$time
    fi
done
echo "$chosen"
