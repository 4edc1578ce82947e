"""A stand-alone project: a folder with sources, a build script, and a page that describes them.

It is for programmers who continue by hand, and does not need the compiler. The page describes the compiler's choices.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, kw_only=True, slots=True)
class StandaloneProject:
    """The files of a project that builds on its own.

    ``sources`` are all files except the build script and the page, by their paths below the folder. The program is
    built from ``entry``; ``needs`` are lines of CMake before it, ``links`` those after it. ``page`` is the text of
    ``README.md``.
    """

    program: str
    entry: str
    sources: Mapping[str, str]
    page: str
    links: str
    needs: str = ""
    cmake: str = "3.20"

    def files(self) -> dict[str, str]:
        """The files of the folder: path with slashes to text."""
        build = (
            f"cmake_minimum_required(VERSION {self.cmake})\nproject({self.program} CXX)\n\n"
            "set(CMAKE_CXX_STANDARD 20)\nset(CMAKE_CXX_STANDARD_REQUIRED ON)\n"
            f"{self.needs}\nadd_executable({self.program} {self.entry})\n{self.links}"
        )
        return {**self.sources, "CMakeLists.txt": build, "README.md": self.page}


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, rule: str = " --- ") -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(columns)} |", f"|{'|'.join([rule] * len(columns))}|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def write_files(folder: str, files: Mapping[str, str]) -> None:
    """Write files into a folder, which is made if it is missing; other files in it stay.

    Raises ``OSError`` with the name of the file or the folder, and ``ValueError`` for a path that leads out of the folder.
    """
    for name, text in files.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute() or os.path.sep in "".join(parts):
            raise ValueError(f"{name} is not the path of a file below a folder")
        path = os.path.join(folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
