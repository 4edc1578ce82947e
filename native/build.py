"""Build the extension modules of the native core in place, with the host's C++ compiler.

    python native/build.py [--force] [--only machine|core|emu] [--jobs N] [--optional]

``src/ttl/_machine*.so`` is made from ``native/machine/*.cpp``, ``_core*.so`` and ``_emu*.so`` in the same way.
Only what changed is compiled, on all cores: an object in ``build/native/`` is named after everything it was made from.
Where there is a ccache, it is used (``CCACHE_DISABLE=1`` turns it off, as everywhere). Files whose
names end in an instruction set (``_avx2``, ``_amx``, ``_neonbf16``, ...) are compiled for that, and only where it can be;
``*.inc.cpp`` are included by others. Standard library only; ``CXX``, ``CXXFLAGS`` and ``LDFLAGS`` are honoured.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "native"
PACKAGE = ROOT / "src" / "ttl"
MODULES = ("machine", "core", "emu")

COMPILERS = ("c++", "g++", "clang++")
# No fast-math: a result must not depend on the compiler. Contraction into FMA is off for the same reason.
FLAGS = (
    "-std=c++20",
    "-O3",
    "-fPIC",
    "-pthread",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    # The tables of types and methods that Python reads leave out what is zero, and hold functions of several types.
    "-Wno-missing-field-initializers",
    "-Wno-cast-function-type",
)
_AVX2 = ("-mavx2", "-mfma", "-mf16c")
_AVX512 = (*_AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512")
# By the end of a file's name; the longest one that fits counts.
INSTRUCTION_SETS = {
    "_avx2": _AVX2,
    "_avx512": _AVX512,
    "_avx512bf16": (*_AVX512, "-mavx512bf16"),
    "_amx": (*_AVX512, "-mamx-tile", "-mamx-bf16"),
    "_neonbf16": ("-march=armv8.2-a+bf16",),
}
# The macro with the hash of the module's sources; the file that mentions it is compiled anew when any of them changes.
HASH_MACRO = "TTL_SOURCES_HASH"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


class BuildError(Exception):
    """Why the modules could not be built, in words for the user."""


class NoCompilerError(BuildError):
    """There is no C++ compiler."""


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """A compiler that answers; ``identity`` is what it says about itself, ``cache`` the ccache to call it through."""

    command: tuple[str, ...]
    identity: str
    cache: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Job:
    """One object to be made. ``target`` is named after everything it depends on; the command runs in ``ROOT``."""

    source: Path
    target: Path
    command: tuple[str, ...]


def find_compiler() -> Compiler:
    """The compiler of ``$CXX``, else the first of the usual names. Raises ``NoCompilerError``."""
    asked = shlex.split(os.environ.get("CXX", ""))
    for words in [asked] if asked else [[name] for name in COMPILERS]:
        path = shutil.which(words[0])
        if path is None:
            continue
        command = (path, *words[1:])
        try:
            said = subprocess.run(
                [*command, "--version"], capture_output=True, text=True, timeout=60, check=True
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return Compiler(command=command, identity=said.stdout, cache=_cache(command))
    if asked:
        raise NoCompilerError(f"CXX is '{shlex.join(asked)}', which is not a compiler that runs here")
    raise NoCompilerError(
        f"no C++ compiler found (looked for {', '.join(COMPILERS)} and $CXX): install g++ 12 or clang 15 or newer"
    )


def _cache(command: Sequence[str]) -> tuple[str, ...]:
    """ccache, where it is installed and ``CXX`` does not call it (or another of its kind) already."""
    path = shutil.which("ccache")
    if path is None or any("ccache" in os.path.realpath(word) for word in command):
        return ()
    return (path,)


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sources_of(module: str) -> list[Path]:
    """The files of ``module`` that are compiled on this machine, sorted; empty when it has none yet."""
    return [
        path
        for path in sorted((NATIVE / module).glob("*.cpp"))
        if not path.name.endswith(".inc.cpp") and _is_of_this_processor(_instruction_set(path))
    ]


def included_by(path: Path) -> Iterator[Path]:
    """``path`` and the files of ours it includes, directly or not, each once."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        yield file
        for name in _INCLUDE.findall(file.read_text(encoding="utf-8")):
            for folder in (file.parent, NATIVE):
                found = (folder / name).resolve()
                if found.is_file():
                    waiting.append(found)
                    break


def sources_hash(module: str) -> str:
    """What ``SOURCES_HASH`` of the built module must be: over all its files, those of other machines and headers too."""
    files = {file for path in (NATIVE / module).glob("*.cpp") for file in included_by(path)}
    return _hash_of_files(files)


def is_current(module: str, found: str) -> bool:
    """Whether a module whose ``SOURCES_HASH`` is ``found`` was built from the sources as they are now."""
    return found == sources_hash(module)


def module_file(module: str) -> Path:
    """Where the built module belongs in the source tree."""
    return PACKAGE / f"_{module}{_suffix()}"


def build(
    modules: Sequence[str] = MODULES, *, force: bool = False, jobs: int | None = None
) -> dict[str, Path]:
    """Build what is not up to date with ``jobs`` compilers at a time (default: one for every core); gives the file of
    every module, in the build folder.

    Raises ``BuildError`` with the compiler's message. A module without an entry point yet is left out.
    """
    if os.name != "posix":
        raise BuildError("the native core is built on Linux and macOS only")
    compiler = find_compiler()
    folder = ROOT / "build" / "native" / _suffix().strip(".").rpartition(".")[0]
    folder.mkdir(parents=True, exist_ok=True)
    with _alone_in(folder):
        found = {
            module: [_job(path, module, compiler, folder) for path in sources_of(module)]
            for module in modules
            if _is_module(module)
        }
        missing = [job for jobs_ in found.values() for job in jobs_ if force or not job.target.is_file()]
        _compile_all(missing, cores() if jobs is None else jobs)
        return {
            module: _linked(module, compiler, folder, objects, force) for module, objects in found.items()
        }


def install(built: dict[str, Path]) -> list[Path]:
    """Put built modules into the source tree; gives those that changed. A module in use is replaced, not overwritten."""
    changed = []
    for module, path in built.items():
        target = module_file(module)
        if target.is_file() and target.read_bytes() == path.read_bytes():
            continue
        copy = target.with_name(f"_{module}.new{os.getpid()}.so")
        shutil.copy2(path, copy)
        os.replace(copy, target)
        changed.append(target)
    return changed


def _is_module(module: str) -> bool:
    """Whether the sources define what Python looks for: not so while a module is being begun."""
    return any(f"PyInit__{module}" in path.read_text(encoding="utf-8") for path in sources_of(module))


def _compile_all(missing: Sequence[Job], jobs: int) -> None:
    """Compile, the largest files first, and say how far it is. Raises ``BuildError``."""
    if not missing:
        return
    start = time.monotonic()
    _say(f"{len(missing)} C++ files to compile, {jobs} at a time")
    progress = _Progress(len(missing))
    waiting = sorted(missing, key=lambda job: (-job.source.stat().st_size, job.source))
    with ThreadPoolExecutor(jobs) as pool:
        failures = [text for text in pool.map(progress.compile, waiting) if text is not None]
    if failures:
        raise BuildError("\n".join(failures))
    _say(f"compiled in {time.monotonic() - start:.0f} s")


class _Progress:
    """Numbers the files that are compiled, and from the time that those before took says how long the rest will."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._begun = self._done = 0
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def compile(self, job: Job) -> str | None:
        """The compiler's message when it fails."""
        with self._lock:
            self._begun += 1
            name = job.source.relative_to(ROOT).as_posix()
            label = f"[{self._begun}/{self._total}{self._left()}] {name}"
        try:
            _run([*job.command, "-o"], job.target, name, label)
        except BuildError as failure:
            return str(failure)
        finally:
            with self._lock:
                self._done += 1
        return None

    def _left(self) -> str:
        if not self._done:
            return ""
        seconds = (time.monotonic() - self._start) / self._done * (self._total - self._done)
        return f", {max(seconds, 1):.0f} s left"


def _linked(module: str, compiler: Compiler, folder: Path, found: Sequence[Job], force: bool) -> Path:
    for job in found:
        _remove_older(job.target)
    objects = [str(job.target.relative_to(ROOT)) for job in found]
    how = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared"]
    command = [*compiler.command, *how, "-pthread", *_architecture(), *objects, *_words("LDFLAGS")]
    target = folder / f"_{module}.{_hash(*command)}{_suffix()}"
    if force or not target.is_file():
        _run([*command, "-o"], target, f"linking _{module}", f"linking _{module}")
    _remove_older(target)
    return target


def _job(path: Path, module: str, compiler: Compiler, folder: Path) -> Job:
    command = [*compiler.command, *FLAGS, *INSTRUCTION_SETS.get(_instruction_set(path), ()), *_architecture()]
    # Paths from ROOT, where the compiler runs: a copy of the tree in another place finds what is in the caches.
    command.append(f"-I{NATIVE.relative_to(ROOT)}")
    if HASH_MACRO in path.read_text(encoding="utf-8"):
        command.append(f'-D{HASH_MACRO}="{sources_hash(module)}"')
    command += [*_words("CXXFLAGS"), "-c", str(path.relative_to(ROOT))]
    # The headers of others count by what they say: pip has greenlet in another folder at every build.
    headers = _headers(module)
    versions = [
        sys.version,
        *(_file_hash(file) for place in headers for file in sorted(place.glob("greenlet.h"))),
    ]
    key = _hash(compiler.identity, *versions, *command, _hash_of_files(set(included_by(path))))
    command += [f"-isystem{place}" for place in headers]
    target = folder / f"{module}-{path.stem}.{key}.o"
    return Job(source=path, target=target, command=(*compiler.cache, *command))


def _run(command: Sequence[str], target: Path, what: str, label: str) -> None:
    """Run a command that makes ``target``: it appears when it is whole. ``label`` and warnings go to stderr."""
    _say(label)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    done = subprocess.run(
        [*command, str(unfinished.relative_to(ROOT))], capture_output=True, text=True, check=False, cwd=ROOT
    )
    said = (done.stdout + done.stderr).rstrip()
    if done.returncode:
        unfinished.unlink(missing_ok=True)
        raise BuildError(f"{what} failed: {shlex.join(command)}\n{said}")
    if said:
        print(said, file=sys.stderr)
    os.replace(unfinished, target)


def _say(text: str) -> None:
    # In one piece: several are compiled at once, and stderr is not buffered.
    sys.stderr.write(f"native: {text}\n")


def _remove_older(target: Path) -> None:
    """Remove what was made from an earlier version of the same file."""
    stem = target.name.split(".")[0]
    for path in target.parent.glob(f"{stem}.*"):
        if path != target:
            path.unlink()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Two builds at a time would compile everything twice and remove each other's files."""
    import fcntl

    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _headers(module: str) -> list[Path]:
    """Folders of the headers of Python, and of greenlet where it is needed."""
    paths = sysconfig.get_paths()
    folders = [Path(place) for place in dict.fromkeys([paths["include"], paths["platinclude"]])]
    if not (folders[0] / "Python.h").is_file():
        raise BuildError(
            f"the headers of Python are missing ({folders[0]}/Python.h): install them, "
            f"on Debian and Ubuntu with apt install python{sys.version_info[0]}.{sys.version_info[1]}-dev"
        )
    if module == "core":
        spec = importlib.util.find_spec("greenlet")
        if spec is None or spec.origin is None:
            raise BuildError(
                f"greenlet is needed to build the core: {sys.executable} -m pip install greenlet"
            )
        folders.append(Path(spec.origin).parent)
    return folders


def _instruction_set(path: Path) -> str:
    """The end of the file's name that says what it is compiled for, or an empty text."""
    ends = [end for end in INSTRUCTION_SETS if path.stem.endswith(end)]
    return max(ends, key=len, default="")


def _is_of_this_processor(instruction_set: str) -> bool:
    if not instruction_set:
        return True
    words = _architecture()
    processor = (words[-1] if words else platform.machine()).lower()
    return processor in (("aarch64", "arm64") if instruction_set == "_neonbf16" else ("x86_64", "amd64"))


def _architecture() -> list[str]:
    """``-arch`` on macOS, where ``ARCHFLAGS`` asks for one other than this machine's."""
    words = shlex.split(os.environ.get("ARCHFLAGS", "")) if sys.platform == "darwin" else []
    if words.count("-arch") > 1:
        raise BuildError(
            f"ARCHFLAGS is '{' '.join(words)}': the native core is built for one architecture at a time"
        )
    return words


def _suffix() -> str:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert isinstance(suffix, str)
    return suffix


def _words(variable: str) -> list[str]:
    return shlex.split(os.environ.get(variable, ""))


def _hash_of_files(files: set[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\n{_file_hash(path)}\n".encode())
    return digest.hexdigest()


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--force", action="store_true", help="compile everything anew")
    parser.add_argument("--only", choices=MODULES, help="build this module only")
    parser.add_argument(
        "--jobs", metavar="N", type=int, help="compilers at a time (default: one for every core)"
    )
    parser.add_argument(
        "--optional", action="store_true", help="do without where there is no compiler: no error then"
    )
    arguments = parser.parse_args()
    try:
        changed = install(
            build([arguments.only] if arguments.only else MODULES, force=arguments.force, jobs=arguments.jobs)
        )
    except BuildError as failure:
        print(f"native core not built: {failure}", file=sys.stderr)
        return 0 if arguments.optional and isinstance(failure, NoCompilerError) else 1
    for path in changed:
        print(f"native: {path.relative_to(ROOT)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
