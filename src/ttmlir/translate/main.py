"""What ``ttmlir-translate`` is made of: the translations from a module to something else.

Exit codes are those of ``ttmlir-opt``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn, TextIO

# The translations that there will be, and what they write.
ANNOUNCED = {
    "mlir-to-cpp": "C++ from a module in the emitc dialect",
    "ttnn-to-flatbuffer": "a .ttnn binary from a module in the ttnn dialect",
    "ttmetal-to-flatbuffer": "a .ttm binary from a module in the ttmetal dialect",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslateTool:
    """The tool that turns a module into something that is no module."""

    name: str

    def main(self) -> NoReturn:
        """Run as a console script."""
        sys.exit(self.run(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))

    def run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        """Run with these arguments; returns the exit code."""
        flags = [argument for argument in arguments if argument.startswith("-") and argument != "-"]
        names = [flag.lstrip("-").partition("=")[0] for flag in flags]
        if "help" in names or "h" in names or not arguments:
            stdout.write(self._help())
            return 0 if arguments else 2
        for name in names:
            if name in ANNOUNCED:
                stderr.write(
                    f"{self.name}: error: --{name} ({ANNOUNCED[name]}) is not there yet: it comes with the second half of "
                    "TT-MLIR, with binaries and the runtime; ttmlir-opt prints the module that it will start from\n"
                )
                return 2
        near = get_close_matches(names[0], ANNOUNCED, n=1) if names else []
        hint = f"; did you mean --{near[0]}?" if near else f"; {self.name} --help lists what there will be"
        what = f"unknown argument {flags[0]}" if flags else "say what to translate to"
        stderr.write(f"{self.name}: error: {what}{hint}\n")
        return 2

    def _help(self) -> str:
        lines = "".join(f"  --{name:24} {what}; not there yet\n" for name, what in ANNOUNCED.items())
        return f"usage: {self.name} --<translation> [input] [-o FILE]\n\nTranslate a module.\n\ntranslations:\n{lines}"


TTMLIR_TRANSLATE = TranslateTool(name="ttmlir-translate")
main = TTMLIR_TRANSLATE.main
