"""Runs printed kernels on this machine: one compilation for many, against stubs of the few calls they make."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ARGUMENTS = 4
_START = """\
#include <algorithm>
#include <cstdint>
#include <cstdio>
struct Arguments { uint32_t at[4]; };
static Arguments arguments;
template <typename T> T get_arg_val(int i) { return arguments.at[i]; }
inline uint8_t get_absolute_logical_x() { return arguments.at[0]; }
inline void cb_push_back(uint32_t, int64_t n) { printf(" %u", uint32_t(n)); }
static void run(int kernel, int input, void (*main)(), Arguments given) {
    printf("%d %d:", kernel, input);
    arguments = given;
    main();
    printf("\\n");
}
"""
# What is a warning on a kernel is a defect of the printer, but for what any random program has.
_FLAGS = ("-std=c++20", "-O0")
_WARNINGS = (
    "-Wall", "-Wextra", "-Werror", "-Wno-type-limits", "-Wno-tautological-compare",
    "-Wno-bool-compare",
)  # fmt: skip


def pushed(
    kernels: Mapping[int, str],
    inputs: Mapping[tuple[int, int], Sequence[int]],
    folder: Path,
    *,
    warnings: bool = True,
    before: str = "",
) -> dict[tuple[int, int], list[int]]:
    """What each kernel pushes for each of its inputs; ``inputs`` are by kernel and number.

    ``before`` is C++ in front of the kernels.
    """
    text = [_START, before]
    for key, source in kernels.items():
        body = re.sub(r"^#include .*$", "", source, flags=re.MULTILINE)
        text.append(f"namespace kernel_{key} {{\n{body}}}\n")
    calls = [
        f"    run({key}, {number}, kernel_{key}::kernel_main, {{{{{', '.join(map(str, given))}}}}});\n"
        for (key, number), given in inputs.items()
    ]
    text.append(f"int main() {{\n{''.join(calls)}}}\n")
    (folder / "kernels.cpp").write_text("".join(text), encoding="utf-8")
    program = folder / "kernels"
    made = subprocess.run(
        [
            "g++",
            *_FLAGS,
            *(_WARNINGS if warnings else ("-w",)),
            "-o",
            str(program),
            str(folder / "kernels.cpp"),
        ],
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    done = subprocess.run([str(program)], capture_output=True, text=True, check=True, timeout=60)
    found = {}
    for line in done.stdout.splitlines():
        key_text, _, numbers = line.partition(":")
        kernel, number = map(int, key_text.split())
        found[kernel, number] = [int(each) for each in numbers.split()]
    return found
