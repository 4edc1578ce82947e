"""Every switch of the package, in one typed table, the fields of ``Settings``. No other module reads the environment.

A value comes from a flag of the command line, else from the environment variable, else from the table. This module only
reads settings; ``ttl.settings`` has those in effect, and turns wrong values into errors.
"""

# Annotations are evaluated here (no ``from __future__``): the table reads the types and choices of settings from them.

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args, get_origin

from ttl.arch import USUAL, Chip, chip_named, names
from ttl.arch.system_file import Of, read
from ttl.arch.system_file import WrongSystemError as WrongSystemError
from ttl.session.compile_options import ALONE, OF_ONE, WRITTEN, read_options, written
from ttl.session.counterparts import PREFIX
from ttl.session.session import Part

if TYPE_CHECKING:
    from ttl.arch.systems import System

SettingType = Literal["choice", "switch", "bool", "int", "grid", "folder", "file", "system", "options"]
Value = str | int | bool | tuple[int, int] | None
T = TypeVar("T")

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")
_LARGEST_INT = 2**32 - 1
_OFF = "off"
_ALL = ("run", "check", "compile", "doctor")
_TYPES: Mapping[Any, SettingType] = {
    int: "int",
    int | None: "int",
    bool: "bool",
    tuple[int, int] | None: "grid",
}
# Read by the build of the native core, by the benchmarks and by tests, not by the package.
_READ_ELSEWHERE = frozenset({"TTL_BUILD_NATIVE", "TTL_REQUIRE_NATIVE", "TTL_BENCH_PEER", "TTL_MLIR_OPT"})


class WrongValueError(Exception):
    """``text`` is not a valid value of ``setting``; ``origin`` is the variable or flag, ``reason`` may say more."""

    def __init__(self, setting: "Setting", text: str, origin: str, reason: str = "") -> None:
        super().__init__(setting, text, origin, reason)
        self.reason = reason
        self.setting = setting
        self.text = text
        self.origin = origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One switch."""

    name: str
    type: SettingType
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()
    """The verbs whose ``--help`` shows the flag; other verbs show it under ``--help-all``."""
    minimum: int = 0
    maximum: int = _LARGEST_INT

    @property
    def env(self) -> str:
        """The environment variable."""
        return f"TTL_{self.name.upper()}"

    @property
    def flag(self) -> str:
        """The spelling on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def metavar(self) -> str:
        """The placeholder for the value in a help text."""
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
            case "system":
                return "NAME|FILE.toml"
            case "options":
                return WRITTEN

    @property
    def allowed(self) -> str:
        """The valid values, in words."""
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
            case "system":
                return f"{_one_of(_systems())}, or the path of a TOML file"
            case "options":
                return f"{WRITTEN}, separated by blanks, with the names {', '.join(self.choices)}"

    def parse(self, text: str, origin: str) -> Value:
        """Parse the text of a variable or a flag, which is ``origin``. Raises ``WrongValueError``."""
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
            case "system" if word in _systems():
                return word
            case "system" if (os.sep in word or word.endswith(".toml")) and "\0" not in word:
                return os.path.abspath(os.path.expanduser(text.strip()))
            case "int" if (
                word.isascii()
                and word.isdecimal()
                and len(word) <= 10
                and self.minimum <= int(word) <= self.maximum
            ):
                return int(word)
            case "grid":
                return self._grid(word, text, origin)
            case "options":
                return self._options(text, origin)
            case _:
                raise WrongValueError(self, text, origin)

    def _options(self, text: str, origin: str) -> str:
        try:
            return written(read_options(text))
        except ValueError as problem:
            raise WrongValueError(self, text, origin, str(problem)) from None

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


def _systems() -> tuple[str, ...]:
    from ttl.arch.systems import system_names

    return system_names()


def _one_of(choices: tuple[str, ...]) -> str:
    """The choices in words: ``'a', 'b' or 'c'``."""
    quoted = [f"'{choice}'" for choice in choices]
    return " or ".join(part for part in (", ".join(quoted[:-1]), quoted[-1]) if part)


def _row(
    default: T,
    help: str,
    *,
    type: SettingType | None = None,
    choices: tuple[str, ...] = (),
    shown_by: tuple[str, ...] = (),
    minimum: int = 0,
    maximum: int = _LARGEST_INT,
) -> T:
    """A field of ``Settings``, a row of the table. ``type`` and ``choices`` default to those of the annotation."""
    row = {"type": type, "choices": choices, "shown_by": shown_by, "minimum": minimum, "maximum": maximum}
    return field(default=default, metadata={"help": help, **row})


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The values of all settings; each field is a row of the table, whose flag and variable derive from its name."""

    target: Literal["sim", "emu", "device"] = _row("sim", "what runs the operations", shown_by=("run",))
    arch: str = _row(USUAL, "the chip", shown_by=_ALL, choices=names())
    system: str | None = _row(
        None, "the machine: its chips and the links between them", type="system", shown_by=_ALL
    )
    grid: tuple[int, int] | None = _row(
        None, "the compute grid of the device, instead of the chip's", shown_by=_ALL
    )
    schedule_seed: int | None = _row(None, "run the kernels in another order, which this number picks")
    emu_seed: int | None = _row(
        None, "on the emulated chip, delay processors and transfers at random, starting from this number"
    )
    emu_hostile: int | None = _row(
        None,
        "on the emulated chip, begin every launch with random memory, registers and configuration, made from this number",
    )
    emu_clear: bool = _row(
        False,
        "on the emulated chip, clear memory and registers before every launch, instead of leaving what is there",
    )
    emu_rounding: Literal["hardware", "exact"] = _row(
        "hardware",
        "on the emulated chip, round what reductions carry through source registers as the hardware does, or not at all",
    )
    schedules: int = _row(
        1, "try this many orders of the kernels and compare the results", shown_by=("run",), minimum=1
    )
    sanitize: bool = _row(False, "fill memory that a program must not read with NaN", shown_by=("run",))
    precision: Literal["spec", "dst16", "fp32"] = _row(
        "spec", "where results are rounded: at each store, also in the accumulator, or never"
    )
    executor: Literal["auto", "native", "numpy"] = _row(
        "auto",
        "how blocks are computed: by the native machine or NumPy; auto: the machine where it is installed",
    )
    core: Literal["auto", "native", "python"] = _row(
        "auto", "how kernels run and their calls are checked; auto: in the native core where it is installed"
    )
    isa: Literal["auto", "plain", "avx2", "avx512", "avx512bf16", "amx", "neonbf16"] = _row(
        "auto", "the instruction set the native machine uses; auto: the fastest of this processor"
    )
    threads: int = _row(0, "threads of the native machine; 0: one for every core", maximum=1024)
    replay: Literal["auto", "on", "off"] = _row(
        "auto",
        "when an operation is called again with arguments of the same kind, repeat only its computations, without running its kernels, where the result is certainly the same; auto: from the third such call on, unless an option needs the kernels to run",
        type="switch",
        shown_by=("run",),
    )
    replay_check: int = _row(100, "run the kernels again at every Nth replay and compare; 0: never")
    pending_mb: int = _row(64, "megabytes of results that may wait to be computed", minimum=1)
    compare: bool = _row(
        False,
        "run operations in the simulator first, and compare what the emulated chip pushes and leaves",
        shown_by=("run",),
    )
    format: Literal["text", "json", "github"] = _row(
        "text", "how diagnostics are written; github: as annotations of a workflow", shown_by=_ALL
    )
    stats: bool = _row(False, "count blocks, bytes and waits of every buffer and pipe", shown_by=("run",))
    profile: bool = _row(
        False, "show the cycles of every line, estimated on the emulated chip", shown_by=("run",)
    )
    trace: str | None = _row(
        None,
        "write what every processor and the network did on the emulated chip, for Perfetto",
        type="file",
        shown_by=("run",),
    )
    perf_csv: str | None = _row(
        None,
        "write the launches on the emulated chip as the profiler of a card would, for tt-perf-report",
        type="file",
        shown_by=("run",),
    )
    dump: str | None = _row(
        None,
        "where the emulated chip leaves its state when no kernel can continue, for 'ttl hang'; for a card: what is known of the lines of its kernels",
        type="folder",
        shown_by=("run",),
    )
    compile_option: str = _row(
        "",
        "choices that the compiler otherwise makes by its own rules, as 'ttl compile --explain' lists them with their values; may be given several times",
        type="options",
        choices=(*ALONE, *(f"{name}.WHICH" for name in OF_ONE)),
        shown_by=("run", "compile"),
    )
    schedule: str | None = _row(
        None,
        "how the compiler schedules operations: a file of transform sequences, as 'ttl compile --print-schedule' prints them, or a chain such as 'prefetch(\"a_dfb\")'",
        type="file",
        shown_by=("run", "compile", "profile"),
    )
    report: str | None = _row(
        None,
        "write a page about every launch, to be opened in a browser: .html; as data: .json",
        type="file",
        shown_by=("run", "profile"),
    )
    strict: bool = _row(False, "ask for every push, pop and wait to be written out", shown_by=("check",))
    most_expressions: int = _row(
        250_000,
        "how many expressions of a program's operations a check reads, loops and calls written out",
        shown_by=("check",),
        minimum=1000,
    )
    most_specialisations: int = _row(
        64, "with how many kinds of calls a check looks at an operation", shown_by=("check",), minimum=1
    )
    check: Literal["auto", "on", "off"] = _row(
        "auto",
        "check operations before they run for the first time; auto: under 'ttl run'",
        type="switch",
        shown_by=("run",),
    )
    verify_each: bool = _row(
        False,
        "verify the IR before the first and after every pass of the compiler (for work on the compiler)",
    )
    cache_dir: str | None = _row(
        None,
        "where results of checks are kept for the next run; off: nowhere",
        type="folder",
        shown_by=("check", "cache"),
    )
    cache_limit: int = _row(
        1024,
        "megabytes that kernels compiled for the emulated chip may take in the cache folder; those used the longest time ago go",
        minimum=1,
        maximum=1 << 20,
        shown_by=("cache",),
    )
    tuned: str | None = _row(
        None,
        "the file of tuned configurations; without it, ttl.tuned.toml beside the operation's file",
        type="file",
    )
    costs: str | None = _row(
        None,
        "the file of a card's own costs, as 'ttl calibrate' writes it, for cycles instead of the chip's",
        type="file",
        shown_by=("run", "profile", "tune"),
    )
    progress: Literal["auto", "on", "off"] = _row(
        "auto", "show the progress of long operations; auto: on a terminal"
    )
    color: Literal["auto", "on", "off"] = _row(
        "auto", "colour diagnostics; auto: on a terminal, unless NO_COLOR is set"
    )
    traceback: bool = _row(False, "show the frames of this package in tracebacks, too")
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """The source of each value: a flag or a variable; no entry means the table."""

    def origin(self, name: str) -> str:
        """The source of the value of ``name``, for a message."""
        return self.origins.get(name, "default")


def _table() -> tuple[Setting, ...]:
    rows: list[Setting] = []
    for described in fields(Settings):
        row: dict[str, Any] = dict(described.metadata)
        if not row:
            continue
        if get_origin(described.type) is Literal:
            row["choices"] = get_args(described.type)
        row["type"] = row["type"] or ("choice" if row["choices"] else _TYPES[described.type])
        rows.append(Setting(name=described.name, default=cast("Value", described.default), **row))
    return tuple(rows)


SETTINGS = _table()
"""The table: a row for every setting, in the order of the fields."""


def setting(name: str) -> Setting:
    """The row called ``name``. Raises ``KeyError`` for an unknown name."""
    for row in SETTINGS:
        if row.name == name:
            return row
    raise KeyError(name)


def from_environment(environment: Mapping[str, str]) -> Settings:
    """The settings from the variables in ``environment``. An empty variable counts as not set.

    Raises ``WrongValueError``, which names the variable.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for row in SETTINGS:
        text = environment.get(row.env, "")
        if text:
            values[row.name] = row.parse(text, row.env)
            origins[row.name] = row.env
    # The only variable that this package does not define: https://no-color.org
    if "color" not in values and environment.get("NO_COLOR"):
        values["color"] = "off"
        origins["color"] = "NO_COLOR"
    return Settings(**values, origins=origins)


def of_this_process() -> Settings:
    """The settings from the environment of this process. Raises ``WrongValueError`` and ``WrongSystemError``."""
    return with_system(from_environment(os.environ))


def system_of(settings: Settings) -> "System | None":
    """The chosen system; None if no system is chosen.

    Raises ``WrongSystemError`` for a file that does not describe a system, or cannot be read.
    """
    if settings.system is None:
        return None
    from ttl.arch.systems import system_named

    path = settings.system
    if path in _systems():
        return system_named(path)
    text = _text_of(settings, "system", path)
    return read(text, path)


def _text_of(settings: Settings, name: Of, path: str) -> str:
    """The text of a file that a setting names. Raises ``WrongSystemError``."""
    try:
        if not os.path.isfile(path):
            raise OSError(errno.ENOENT, "there is no such file")
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as problem:
        why = (problem.strerror or "").lower() if isinstance(problem, OSError) else "it is not text in UTF-8"
        help = f"{settings.origin(name)} takes {setting(name).allowed}"
        raise WrongSystemError(path, f"cannot be read: {why}", help, 0, of=name) from None


def with_costs(chip: Chip, settings: Settings) -> Chip:
    """The chip, with the costs of the user's card if the settings name a file of costs.

    Raises ``WrongSystemError`` for a file that has no costs, cannot be read, or is for another chip.
    """
    path = settings.costs
    if path is None:
        return chip
    from ttl.arch import costs_file

    given = costs_file.read(_text_of(settings, "costs", path), path)
    if given.name != chip.name:
        raise WrongSystemError(
            path,
            f"its costs are of {given.name}, and the chip is {chip.name}",
            f"choose the chip with --arch {given.name}, or leave {settings.origin('costs')} out",
            0,
            of="costs",
        )
    return replace(chip, costs=given.costs)


def is_asked_for(origin: str) -> bool:
    """Return whether a value was set by a flag or a variable, so that it must not be replaced silently."""
    return origin.startswith(("--", "TTL_"))


def wrong_chip(settings: Settings, system: "System") -> WrongSystemError:
    """The error for settings that ask for another chip than that of the system."""
    asked, origin = settings.origin("arch"), settings.origin("system")
    return WrongSystemError(
        "",
        f"{asked} asks for {settings.arch}, and the chips of {system.name} are {system.chip.name}",
        f"leave {asked} out: {origin} says what the chips are; or choose another system",
        0,
    )


def with_system(settings: Settings) -> Settings:
    """Return the settings with the chip of the chosen system, and the grid of its cards unless a grid is set.

    Raises ``WrongSystemError``, also when the settings ask for another chip.
    """
    system = system_of(settings)
    if system is None:
        return settings
    origins, origin = settings.origins, settings.origin("system")
    if (
        settings.arch != system.chip.name
        and origins.get("arch", origin) != origin
        and is_asked_for(origins["arch"])
    ):
        raise wrong_chip(settings, system)
    own: dict[str, Any] = {"arch": system.chip.name}
    if origins.get("grid", origin) == origin:
        own["grid"] = None if system.chip.grid == chip_named(system.chip.name).grid else system.chip.grid
    return replace(settings, **own, origins={**dict.fromkeys(own, origin), **origins})


def core_at_import() -> Literal["auto", "native", "python"]:
    """The core that the environment asks for; ``auto`` for a wrong value, as the import of the package must not fail.

    A wrong value is reported when the settings are first read.
    """
    match os.environ.get(setting("core").env, "").strip().lower():
        case "native":
            return "native"
        case "python":
            return "python"
        case _:
            return "auto"


def environment_with(name: str, value: str) -> dict[str, str]:
    """The environment of this process with another value of a setting, for a process that replaces it."""
    return {**os.environ, setting(name).env: value}


def environment_of_task(given: Mapping[str, str]) -> dict[str, str]:
    """The environment of this process with other variables, for a process that it starts."""
    return {**os.environ, **given}


def python_path() -> list[str]:
    """The folders of ``PYTHONPATH``, as they are written there."""
    return os.environ.get("PYTHONPATH", "").split(os.pathsep)


def become_task(environment: Mapping[str, str]) -> None:
    """Replace all environment variables of this process."""
    os.environ.clear()
    os.environ.update(environment)


def folder_of_results(chosen: str | None) -> str | None:
    """Return the folder for results that are kept for the next run: the setting ``cache_dir``, else the user's cache.

    None if the setting is ``off``, or it is unset and the user has neither ``XDG_CACHE_HOME`` nor a home folder.
    """
    if chosen is not None:
        return None if chosen == _OFF else os.path.abspath(chosen)
    # A relative path does not count: https://specifications.freedesktop.org/basedir-spec
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "ttl") if os.path.isabs(base) else None


def folder_of_dumps(chosen: str | None) -> str | None:
    """Return the folder for dumps of a chip that has stopped, from the setting ``dump``; None if it is unset or off."""
    return None if chosen in (None, _OFF) else chosen


def unknown_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The variables, sorted, that look like settings of this package or of another tool, but have no effect."""
    known = {row.env for row in SETTINGS} | _READ_ELSEWHERE
    names = os.environ if environment is None else environment
    return tuple(sorted(name for name in names if name.startswith(("TTL_", PREFIX)) and name not in known))


CHOSEN: Part[Settings] = Part(of_this_process)
