"""The kernel headers of TT-Metalium, out of two published wheels of ttnn: fetched once, kept in the user's cache folder.

The two stand for the two generations of the kernel API. Of each, the headers of Wormhole kernels are kept, and some
kernels of TT-NN's own operations (below ``ttnn/cpp``), 30 MB in all.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from ttl import settings

try:
    import fcntl
except ImportError:  # where there are no locks, there is no second process of ours either
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent.parent
_HEADERS = (".h", ".hpp", ".inc", ".inl")
# Parts of the wheel, under its folder ttnn/, that an include path of a Wormhole kernel reaches.
_PARTS = (
    "tt_metal/hw/inc", "tt_metal/hw/ckernels/wormhole_b0", "tt_metal/tt-llk/common",
    "tt_metal/tt-llk/tools/include", "tt_metal/tt-llk/tt_llk_wormhole_b0", "tt_metal/tools/profiler",
    "tt_metal/api", "tt_metal/hostdevcommon", "ttnn/cpp/ttnn/kernel", "ttnn/cpp/ttnn/kernel_lib",
)  # fmt: skip
# Operations of TT-NN whose kernels are kept, sources and all.
_OPERATIONS = ("eltwise", "matmul", "reduction", "data_movement", "normalization")
_PLATFORM = ("--python-version", "3.12", "--platform", "manylinux_2_34_x86_64", "--only-binary", ":all:")
_MANIFEST = "manifest.json"


class HeadersMissing(Exception):
    """The headers are not in the cache and cannot be fetched; the text says what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wheel:
    """One release of ttnn; ``sha256`` of its file for CPython 3.12 on Linux x86-64, as pip checks it."""

    version: str
    sha256: str

    @property
    def requirement(self) -> str:
        """The line of a requirements file that names exactly this file."""
        return f"ttnn=={self.version} --hash=sha256:{self.sha256}"

    @property
    def identity(self) -> str:
        """What the headers of this wheel are called, and with them all that is derived from them."""
        content = hashlib.sha256("\n".join((self.sha256, *_HEADERS, *_PARTS, *_OPERATIONS)).encode())
        return f"{self.version}-{content.hexdigest()[:12]}"


WHEELS: Mapping[str, Wheel] = {
    "0.69": Wheel(
        version="0.69.0", sha256="9d4f61c67ae77fdd231ede6c08457e317d8a552f3e4d784e7f05f7e246709f1d"
    ),
    "0.81": Wheel(
        version="0.81.1", sha256="cc6df66162c8b5f5a5eb7347fe687b6095bf57bd64f9ba1be3d9b7f42e01d64f"
    ),
}


def cache_folder() -> Path:
    """Where the headers and what is derived from them are kept: the user's cache folder, else ``build/``."""
    with settings.override(cache_dir=None):
        chosen = settings.cache_folder()
    return Path(chosen) / "kernel-headers" if chosen else ROOT / "build" / "kernel-headers"


@cache
def headers(generation: str) -> Path:
    """The folder with the headers of ``generation`` ("0.69" or "0.81"), fetched when they are not there yet.

    Raises ``HeadersMissing``.
    """
    wheel = WHEELS[generation]
    return _kept(wheel, wheel.identity, _wanted)


def more(generation: str, parts: tuple[str, ...]) -> Path:
    """A folder with other headers of the wheel, those below ``parts``, fetched when they are not there yet.

    Raises ``HeadersMissing``.
    """
    wheel = WHEELS[generation]
    name = hashlib.sha256("\n".join((wheel.sha256, *parts)).encode()).hexdigest()[:12]
    return _kept(
        wheel, f"{wheel.version}-more-{name}", lambda path: path.suffix in _HEADERS and _below(path, parts)
    )


def _kept(wheel: Wheel, name: str, wanted: Callable[[PurePosixPath], bool]) -> Path:
    folder = cache_folder() / name
    if not _complete(folder):
        with locked(folder.with_name(f"{name}.lock")):
            if not _complete(folder):
                _fetch(wheel, folder, wanted)
    return folder / "ttnn"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone among the processes of this machine while the ``with`` lasts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _complete(folder: Path) -> bool:
    """Whether every file is there with the size it had; a cache may have been tidied by others."""
    try:
        sizes: dict[str, int] = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def _fetch(wheel: Wheel, folder: Path, wanted: Callable[[PurePosixPath], bool]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="fetching-") as name:
        made = Path(name) / "made"
        _unpack(_download(wheel, Path(name)), made, wanted)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def _download(wheel: Wheel, folder: Path) -> Path:
    """The wheel's file. pip compares the hash."""
    requirements = folder / "requirements.txt"
    requirements.write_text(wheel.requirement + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet", "--no-deps"]
    command += [*_PLATFORM, "--require-hashes", "--dest", str(folder), "--requirement", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True)
    found = list(folder.glob("*.whl"))
    if done.returncode or len(found) != 1:
        raise HeadersMissing(
            f"the kernel headers of ttnn {wheel.version} are not in {cache_folder()} and cannot be downloaded.\n"
            "Run 'make headers' once with a network, or leave these tests out: pytest -m 'not headers'.\n"
            f"pip said:\n{done.stderr.strip()}"
        )
    return found[0]


def _unpack(wheel: Path, folder: Path, wanted: Callable[[PurePosixPath], bool]) -> None:
    sizes: dict[str, int] = {}
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if wanted(PurePosixPath(entry.filename)):
                archive.extract(entry, folder)
                sizes[entry.filename] = entry.file_size
    (folder / _MANIFEST).write_text(json.dumps(sizes), encoding="utf-8")


def _below(name: PurePosixPath, parts: tuple[str, ...]) -> bool:
    return any(name.is_relative_to(f"ttnn/{part}") for part in parts)


def _wanted(name: PurePosixPath) -> bool:
    if name.parts[:1] != ("ttnn",):
        return False
    below = name.relative_to("ttnn")
    if name.suffix in _HEADERS and any(below.is_relative_to(part) for part in _PARTS):
        return True
    kernels = any("kernels" in part for part in below.parts[:-1])
    operations = (f"ttnn/cpp/ttnn/operations/{operation}" for operation in _OPERATIONS)
    return kernels and name.suffix in (*_HEADERS, ".cpp") and any(map(below.is_relative_to, operations))
