"""Every switch of the package, in one typed table. Nothing else reads the environment.

A value comes from a flag of the command line, else from the environment variable, else from the table. This module
only reads; what is in effect, and what a wrong value is to its user, is in ``ttl.settings``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ttl.arch import USUAL, names
from ttl.session.session import Part

SettingType = Literal["choice", "switch", "bool", "int", "grid", "folder", "file"]
Switch = Literal["auto", "on", "off"]
Value = str | int | bool | tuple[int, int] | None

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")
_LARGEST_INT = 2**32 - 1
_OFF = "off"
# Read by the build of the native core, by the benchmarks and by tests, not by the package.
_READ_ELSEWHERE = frozenset({"TTL_BUILD_NATIVE", "TTL_REQUIRE_NATIVE", "TTL_BENCH_PEER", "TTL_MLIR_OPT"})


class WrongValueError(Exception):
    """``text``, given as ``origin`` (a variable or a flag), is no value of ``setting``."""

    def __init__(self, setting: Setting, text: str, origin: str) -> None:
        super().__init__(setting, text, origin)
        self.setting = setting
        self.text = text
        self.origin = origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One switch: ``flag`` is its spelling on the command line, ``env`` the environment variable."""

    name: str
    type: SettingType
    default: Value
    env: str
    flag: str
    help: str
    choices: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    """The verbs whose ``--help`` shows the flag; that of the others does under ``--help-all``."""
    minimum: int = 0
    maximum: int = _LARGEST_INT

    @property
    def metavar(self) -> str:
        """What stands for the value in a help text."""
        match self.type:
            case "choice":
                return "|".join(self.choices)
            case "grid":
                return "XxY"
            case "int":
                return "N"
            case "bool":
                return "0|1"
            case "switch":
                return "auto|on|off"
            case "folder":
                return "FOLDER"
            case "file":
                return "FILE"

    @property
    def allowed(self) -> str:
        """The values there are, in words."""
        match self.type:
            case "choice":
                return _one_of(self.choices)
            case "grid":
                return "two extents from 1 on, such as '8x8'"
            case "int":
                return f"a whole number from {self.minimum} to {self.maximum}"
            case "bool":
                return "'1' or '0'"
            case "switch":
                return "'on', 'off' or 'auto'"
            case "folder":
                return "the path of a folder, or 'off'"
            case "file":
                return "the path of a file"

    def parse(self, text: str, origin: str) -> Value:
        """The value of ``text``, which was given as ``origin`` (a variable or a flag).

        Raises ``WrongValueError``.
        """
        word = text.strip().lower()
        match self.type:
            case "choice":
                return self._choice(word, text, origin)
            case "bool" if word in _TRUE or word in _FALSE:
                return word in _TRUE
            case "switch" if word == "auto" or word in _TRUE or word in _FALSE:
                return "auto" if word == "auto" else "on" if word in _TRUE else "off"
            case "folder" if word and "\0" not in word:
                return _OFF if word == _OFF else os.path.expanduser(text.strip())
            case "file" if word and "\0" not in word:
                return os.path.expanduser(text.strip())
            case "int" if (
                word.isascii()
                and word.isdecimal()
                and len(word) <= 10
                and self.minimum <= int(word) <= self.maximum
            ):
                return int(word)
            case "grid":
                return self._grid(word, text, origin)
            case _:
                raise WrongValueError(self, text, origin)

    def _choice(self, word: str, text: str, origin: str) -> str:
        if word not in self.choices:
            raise WrongValueError(self, text, origin)
        return word

    def _grid(self, word: str, text: str, origin: str) -> tuple[int, int]:
        parts = [part.strip() for part in word.strip("()").replace(",", "x").split("x")]
        if len(parts) != 2 or not all(
            part.isascii() and part.isdecimal() and len(part) < 6 for part in parts
        ):
            raise WrongValueError(self, text, origin)
        x, y = (int(part) for part in parts)
        if x < 1 or y < 1:
            raise WrongValueError(self, text, origin)
        return x, y


def _one_of(choices: tuple[str, ...]) -> str:
    """``'a', 'b' or 'c'``."""
    quoted = [f"'{choice}'" for choice in choices]
    return " or ".join(part for part in (", ".join(quoted[:-1]), quoted[-1]) if part)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="target",
        type="choice",
        default="sim",
        env="TTL_TARGET",
        flag="--target",
        help="what runs the operations",
        choices=("sim", "emu", "device"),
        shown_by=("run",),
    ),
    Setting(
        name="arch",
        type="choice",
        default=USUAL,
        env="TTL_ARCH",
        flag="--arch",
        help="the chip",
        choices=names(),
        shown_by=("run", "check", "compile", "doctor"),
    ),
    Setting(
        name="grid",
        type="grid",
        default=None,
        env="TTL_GRID",
        flag="--grid",
        help="the compute grid of the device, instead of the chip's",
        shown_by=("run", "check", "compile", "doctor"),
    ),
    Setting(
        name="schedule_seed",
        type="int",
        default=None,
        env="TTL_SCHEDULE_SEED",
        flag="--schedule-seed",
        help="run the kernels in another order, which this number picks",
    ),
    Setting(
        name="emu_seed",
        type="int",
        default=None,
        env="TTL_EMU_SEED",
        flag="--emu-seed",
        help="on the emulated chip, delay processors and transfers at random, starting from this number",
    ),
    Setting(
        name="emu_hostile",
        type="int",
        default=None,
        env="TTL_EMU_HOSTILE",
        flag="--emu-hostile",
        help="on the emulated chip, begin every launch with random memory, registers and configuration, made from this number",
    ),
    Setting(
        name="emu_clear",
        type="bool",
        default=False,
        env="TTL_EMU_CLEAR",
        flag="--emu-clear",
        help="on the emulated chip, clear memory and registers before every launch, instead of leaving what is there",
    ),
    Setting(
        name="emu_rounding",
        type="choice",
        default="hardware",
        env="TTL_EMU_ROUNDING",
        flag="--emu-rounding",
        help="on the emulated chip, round what reductions carry through source registers as the hardware does, or not at all",
        choices=("hardware", "exact"),
    ),
    Setting(
        name="schedules",
        type="int",
        default=1,
        env="TTL_SCHEDULES",
        flag="--schedules",
        help="try this many orders of the kernels and compare the results",
        minimum=1,
        shown_by=("run",),
    ),
    Setting(
        name="sanitize",
        type="bool",
        default=False,
        env="TTL_SANITIZE",
        flag="--sanitize",
        help="fill what a program must not read with NaN",
        shown_by=("run",),
    ),
    Setting(
        name="precision",
        type="choice",
        default="spec",
        env="TTL_PRECISION",
        flag="--precision",
        help="where results are rounded: at each store, also in the accumulator, or never",
        choices=("spec", "dst16", "fp32"),
    ),
    Setting(
        name="executor",
        type="choice",
        default="auto",
        env="TTL_EXECUTOR",
        flag="--executor",
        help="what computes blocks: the native machine or NumPy; auto: the machine where it is installed",
        choices=("auto", "native", "numpy"),
    ),
    Setting(
        name="core",
        type="choice",
        default="auto",
        env="TTL_CORE",
        flag="--core",
        help="what runs kernels and checks their calls; auto: the native core where it is installed",
        choices=("auto", "native", "python"),
    ),
    Setting(
        name="isa",
        type="choice",
        default="auto",
        env="TTL_ISA",
        flag="--isa",
        help="the widest instruction set the native machine uses; auto: what the processor has",
        choices=("auto", "plain", "avx2", "avx512", "avx512bf16"),
    ),
    Setting(
        name="threads",
        type="int",
        default=0,
        env="TTL_THREADS",
        flag="--threads",
        help="threads of the native machine; 0: one for every core",
        maximum=1024,
    ),
    Setting(
        name="replay",
        type="switch",
        default="auto",
        env="TTL_REPLAY",
        flag="--replay",
        help=(
            "run only what an operation computed when it is called alike again, where that is certainly the same; "
            "auto: from the third such call on, unless something is asked for that is about running kernels"
        ),
        choices=("auto", "on", "off"),
        shown_by=("run",),
    ),
    Setting(
        name="replay_check",
        type="int",
        default=100,
        env="TTL_REPLAY_CHECK",
        flag="--replay-check",
        help="run the kernels again at every Nth replay and compare; 0: never",
    ),
    Setting(
        name="pending_mb",
        type="int",
        default=64,
        env="TTL_PENDING_MB",
        flag="--pending-mb",
        help="megabytes of results that may wait to be computed",
        minimum=1,
    ),
    Setting(
        name="compare",
        type="bool",
        default=False,
        env="TTL_COMPARE",
        flag="--compare",
        help="run operations in the simulator first, and compare what the emulated chip pushes and leaves",
        shown_by=("run",),
    ),
    Setting(
        name="format",
        type="choice",
        default="text",
        env="TTL_FORMAT",
        flag="--format",
        help="how diagnostics are written; github: as annotations of a workflow",
        choices=("text", "json", "github"),
        shown_by=("run", "check", "compile", "doctor"),
    ),
    Setting(
        name="stats",
        type="bool",
        default=False,
        env="TTL_STATS",
        flag="--stats",
        help="count blocks, bytes and waits of every buffer and pipe",
        shown_by=("run",),
    ),
    Setting(
        name="profile",
        type="bool",
        default=False,
        env="TTL_PROFILE",
        flag="--profile",
        help="show the cycles of every line, estimated on the emulated chip",
        shown_by=("run",),
    ),
    Setting(
        name="trace",
        type="file",
        default=None,
        env="TTL_TRACE",
        flag="--trace",
        help="write what every processor and the network did on the emulated chip, for Perfetto",
        shown_by=("run",),
    ),
    Setting(
        name="perf_csv",
        type="file",
        default=None,
        env="TTL_PERF_CSV",
        flag="--perf-csv",
        help="write the launches on the emulated chip as the profiler of a card would, for tt-perf-report",
        shown_by=("run",),
    ),
    Setting(
        name="strict",
        type="bool",
        default=False,
        env="TTL_STRICT",
        flag="--strict",
        help="ask for every push, pop and wait to be written out",
        shown_by=("check",),
    ),
    Setting(
        name="check",
        type="switch",
        default="auto",
        env="TTL_CHECK",
        flag="--check",
        help="check operations before they run for the first time; auto: under 'ttl run'",
        choices=("auto", "on", "off"),
        shown_by=("run",),
    ),
    Setting(
        name="verify_each",
        type="bool",
        default=False,
        env="TTL_VERIFY_EACH",
        flag="--verify-each",
        help="verify the IR before the first and after every pass of the compiler (for work on the compiler)",
    ),
    Setting(
        name="cache_dir",
        type="folder",
        default=None,
        env="TTL_CACHE_DIR",
        flag="--cache-dir",
        help="where results of checks are kept for the next run; off: nowhere",
        shown_by=("check",),
    ),
    Setting(
        name="progress",
        type="choice",
        default="auto",
        env="TTL_PROGRESS",
        flag="--progress",
        help="show the progress of long operations; auto: on a terminal",
        choices=("auto", "on", "off"),
    ),
    Setting(
        name="color",
        type="choice",
        default="auto",
        env="TTL_COLOR",
        flag="--color",
        help="colour diagnostics; auto: on a terminal, unless NO_COLOR is set",
        choices=("auto", "on", "off"),
    ),
    Setting(
        name="traceback",
        type="bool",
        default=False,
        env="TTL_TRACEBACK",
        flag="--traceback",
        help="show the frames of this package in tracebacks, too",
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The values in effect. ``grid`` is (x, y) or None for the chip's own."""

    target: Literal["sim", "emu", "device"] = "sim"
    arch: str = USUAL
    grid: tuple[int, int] | None = None
    schedule_seed: int | None = None
    emu_seed: int | None = None
    emu_hostile: int | None = None
    emu_clear: bool = False
    emu_rounding: Literal["hardware", "exact"] = "hardware"
    schedules: int = 1
    sanitize: bool = False
    precision: Literal["spec", "dst16", "fp32"] = "spec"
    executor: Literal["auto", "native", "numpy"] = "auto"
    core: Literal["auto", "native", "python"] = "auto"
    isa: Literal["auto", "plain", "avx2", "avx512", "avx512bf16"] = "auto"
    threads: int = 0
    replay: Switch = "auto"
    replay_check: int = 100
    pending_mb: int = 64
    compare: bool = False
    format: Literal["text", "json", "github"] = "text"
    stats: bool = False
    profile: bool = False
    trace: str | None = None
    perf_csv: str | None = None
    strict: bool = False
    check: Switch = "auto"
    verify_each: bool = False
    cache_dir: str | None = None
    progress: Switch = "auto"
    color: Switch = "auto"
    traceback: bool = False
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Where each value came from: a flag or a variable; no entry means the table."""

    def origin(self, name: str) -> str:
        """Where the value of ``name`` came from, for a message."""
        return self.origins.get(name, "default")


def setting(name: str) -> Setting:
    """The row called ``name``. Raises ``KeyError`` for another name."""
    for row in SETTINGS:
        if row.name == name:
            return row
    raise KeyError(name)


def from_environment(environment: Mapping[str, str]) -> Settings:
    """The settings that ``environment`` asks for. An empty variable counts as not set.

    Raises ``WrongValueError``, naming the variable.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for row in SETTINGS:
        text = environment.get(row.env, "")
        if text:
            values[row.name] = row.parse(text, row.env)
            origins[row.name] = row.env
    # The one variable that is not ours: https://no-color.org
    if "color" not in values and environment.get("NO_COLOR"):
        values["color"] = "off"
        origins["color"] = "NO_COLOR"
    return Settings(**values, origins=origins)


def of_this_process() -> Settings:
    """The settings that the environment of this process asks for. Raises ``WrongValueError``."""
    return from_environment(os.environ)


def core_at_import() -> Literal["auto", "native", "python"]:
    """The core that the environment asks for, before anything may fail: ``auto`` for what is no value of it.

    A wrong value is reported where the settings are first read.
    """
    match os.environ.get(setting("core").env, "").strip().lower():
        case "native":
            return "native"
        case "python":
            return "python"
        case _:
            return "auto"


def environment_with(name: str, value: str) -> dict[str, str]:
    """The environment of this process with another value of a setting, for one that takes its place."""
    return {**os.environ, setting(name).env: value}


def folder_of_results(chosen: str | None) -> str | None:
    """Where results may be kept for the next run: the setting ``cache_dir``, else the user's cache folder.

    None when it is switched off, or when the user has no folder.
    """
    if chosen is not None:
        return None if chosen == _OFF else os.path.abspath(chosen)
    # As https://specifications.freedesktop.org/basedir-spec says: a relative path does not count.
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "ttl") if os.path.isabs(base) else None


def unknown_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Variables that look like settings of ours and are none, sorted."""
    known = {row.env for row in SETTINGS} | _READ_ELSEWHERE
    names = os.environ if environment is None else environment
    return tuple(sorted(name for name in names if name.startswith("TTL_") and name not in known))


CHOSEN: Part[Settings] = Part(of_this_process)
