"""``ttl.operation`` (specification, "Operation function" and "Grid")."""

from __future__ import annotations

import copy
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ttl.diag import ProgramError, error
from ttl.diag.model import Remedy
from ttl.diag.remedies import Argument, DropArguments
from ttl.host.calling import CAPTURE, recorded
from ttl.lang.check import describe, fail, is_int, public, require_function
from ttl.lang.choices import TO_BE_CHOSEN, Tunable
from ttl.lang.context import LAST_GRID
from ttl.lang.deprecated import note_compiler_arguments
from ttl.lang.kernels import require_plain
from ttl.protocol.chips import NODE_DIMS
from ttl.protocol.devices import ChipDomain
from ttl.rules.composition import only_in_operations
from ttl.rules.devices import grid_of_a_chip, no_device_domain
from ttl.rules.launches import no_grid, wrong_arguments
from ttl.session import CHOSEN, Part, Session
from ttl.session import current as current_session
from ttl.settings import Settings
from ttl.settings import current as settings
from ttl.source.spans import user_span

if TYPE_CHECKING:
    from ttl.lang.schedule import OperationSchedule

# The modules of executions and of their helpers are strings, because the language does not depend on them.
# The module that runs an execution, and records its launches.
_REPORTED = "ttl.report.launching"
# The module that divides an operation written as one body into kernels.
_ONE_BODY = "ttl.lang.one_body.function"
_TARGETS = {"sim": "ttl.sim.launch", "emu": "ttl.emu.target", "device": "ttl.codegen.device"}
# The module that checks a call before it runs, when the settings ask for it.
_CHECKS = "ttl.check.launch"
# The module that chooses the tunable parameters that a call omits.
_CHOICES = "ttl.check.choosing"
# Older operation arguments that choose how the compiler uses the chip.
_COMPILER_ARGUMENTS = ("fp32_dest_acc_en", "dst_full_sync_en", "math_fidelity", "accumulation")
# Objects that exist only in a launch, by the annotation of a parameter for them.
_OF_A_LAUNCH = {"DFB": "dataflow buffer", "DataflowBuffer": "dataflow buffer", "PipeNet": "pipe net"}
_SCHEDULE = "schedule"
_VALUES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "math_fidelity": ("LoFi", "HiFi2", "HiFi3", "HiFi4"),
        "accumulation": ("registers", "packer", "auto"),
    }
)

# Known flags of the older ``options=`` string, with the argument and value for which each stands. None: it only
# affects how the compiler of that time computes, which changes no result here.
_OPTION_FLAGS: dict[str, tuple[str, bool | str] | None] = {
    "--fp32-dest-acc-en": ("fp32_dest_acc_en", True),
    "--no-fp32-dest-acc-en": ("fp32_dest_acc_en", False),
    "--dst-full-sync-en": ("dst_full_sync_en", True),
    "--no-dst-full-sync-en": ("dst_full_sync_en", False),
    "--ttl-accumulation-strategy=auto": ("accumulation", "auto"),
    "--ttl-accumulation-strategy=dst": ("accumulation", "registers"),
    "--ttl-accumulation-strategy=l1-pack": ("accumulation", "packer"),
    "--ttl-strict-f32-acc": ("strict_f32_acc", True),
    "--no-ttl-strict-f32-acc": ("strict_f32_acc", False),
    **{
        f"--{negated}ttl-{name}": None
        for name in (
            "maximize-dst", "reduce-full-fp32", "matmul-full-fp32", "fpu-binary-ops", "block-matmul", "combine-pack-tiles",
        )
        for negated in ("", "no-")
    },
}  # fmt: skip


# The listener that is notified of every call of an operation before it is launched, if there is one.
OBSERVER: Part[Callable[[Operation, tuple[Any, ...], dict[str, Any]], None] | None] = Part(lambda: None)
# The listener that is notified of every call that has run to its end, if there is one.
ENDED: Part[Callable[[Operation], None] | None] = Part(lambda: None)


class Operation:
    """A callable operation. Calling it runs every kernel on every node of the grid and returns None."""

    stage: Operation
    """The stage of an operation of ``ttl.ops``: the same over dataflow buffers, to be called in other operations."""
    reference: Callable[..., Any]
    """The reference of an operation of ``ttl.ops``: the same over arrays of NumPy, in float64."""

    chooses_itself = False
    """Whether the values of its tunable parameters are found, not declared by the author, and so not reported."""

    device_domain: ChipDomain | None = None
    """The device domain that the author declares; without it, that of its nets over graphs is used."""
    names: tuple[str, ...] | None = None
    """The names of global variables that its code reads; None before they are first needed."""

    def __init__(
        self, function: FunctionType, grid: Any, options: dict[str, Any], replay: bool | None = None
    ) -> None:
        function = require_function(function, "operation")
        functools.update_wrapper(self, function)
        # The function as written, and as run: an operation written as one body gets kernels at its first call.
        self.written: Any = function
        self.function = function
        self.grid = grid
        self.options = options
        self.replay = replay
        # Whether ``function`` is known to define kernels.
        self.has_kernels = False
        # The caches of the simulator, and of an execution of compiled programs, for later calls.
        self.kept: Any = None
        self.programs: Any = None
        # The results of earlier calls that the checks of each session remember.
        self.checked: Any = WeakKeyDictionary()
        # Arguments declared with ``ttl.example``.
        self.examples: tuple[Any, ...] = ()
        # The design, if the operation was designed for a tile program.
        self.design: Any = None
        # The declaration of ``ttl.tunable``, and the tunable parameters that have defaults of their own.
        self.tunable: Tunable | None = None
        self.own_defaults: dict[str, Any] = {}
        self.signature = inspect.signature(function)
        positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = self.signature.parameters.values()
        # The number of positional arguments of a call that fits without further checks; -1: always check.
        self._plain = len(parameters) if all(parameter.kind is positional for parameter in parameters) else -1

    def choose_later(self, tunable: Tunable) -> None:
        """Allow calls to omit the parameters that ``tunable`` declares."""
        self.tunable = tunable
        parameters = self.signature.parameters
        defaults = {name: parameters[name].default for name in tunable.names}
        self.own_defaults = {
            name: value for name, value in defaults.items() if value is not inspect.Parameter.empty
        }
        optional = [
            parameter.replace(default=TO_BE_CHOSEN) if name in tunable.names else parameter
            for name, parameter in parameters.items()
        ]
        self.signature = self.signature.replace(parameters=optional)
        self._plain = -1

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        if not kwargs and len(args) == self._plain:
            self._launch(args, kwargs)
            return
        kwargs = without_flags(self.signature, kwargs)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as mismatch:
            raise ProgramError(
                wrong_arguments(self.function.__name__, self.signature, mismatch).at(user_span())
            ) from None
        self._launch(bound.args, bound.kwargs)

    def _launch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not self.has_kernels:
            require_launchable(self.written.__name__, self.written.__annotations__)
            self.function = importlib.import_module(_ONE_BODY).with_kernels(self.function)
            self.has_kernels = True
        session = current_session()
        capture = session[CAPTURE]
        if capture is not None:
            recorded(self._run, args, kwargs, capture)
        else:
            self._run_in(session, args, kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> None:
        self._run_in(current_session(), args, kwargs)

    def _run_in(self, session: Session, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        observer = session[OBSERVER]
        if observer is not None:
            observer(self, args, kwargs)
        chosen = settings(session)
        if self.tunable is not None and chosen.target != "device":
            args, kwargs, own = importlib.import_module(_CHOICES).completed(self, args, kwargs, chosen)
            if own is not chosen:  # there are compile options tuned for this call
                with session.having(CHOSEN, own).entered():
                    self._launched(session, args, kwargs, own)
                return
        self._launched(session, args, kwargs, chosen)

    def resolved(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Operation, tuple[Any, ...], dict[str, Any]]:
        """Return the operation that a call runs, with its arguments: this one, or the explicit operation designed for them."""
        return self, args, kwargs

    def _launched(
        self, session: Session, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
    ) -> None:
        target = _TARGETS[chosen.target]
        if chosen.report is not None and chosen.target != "device":
            target = _REPORTED
        elif chosen.check == "on" and chosen.target == "sim":
            importlib.import_module(_CHECKS).before(self, args, kwargs, chosen)
        importlib.import_module(target).launch(self, args, kwargs, chosen)
        session.kept[LAST_GRID] = self.grid
        ended = session[ENDED]
        if ended is not None:
            ended(self)

    def schedule(self) -> OperationSchedule:
        """The schedule of this operation: the compiler's own, unless ``with_schedule`` was used."""
        from ttl.lang.schedule import OperationSchedule, schedule_from

        text = self.options.get(_SCHEDULE)
        return schedule_from(text) if text else OperationSchedule()

    def with_schedule(self, schedule: OperationSchedule | str) -> Operation:
        """Return the same operation, compiled with a schedule (or the text of one)."""
        from ttl.lang.schedule import OperationSchedule, schedule_from

        chosen = schedule if isinstance(schedule, OperationSchedule) else schedule_from(schedule)
        other = copy.copy(self)
        other.options = {name: value for name, value in self.options.items() if name != _SCHEDULE}
        if chosen.steps:
            other.options[_SCHEDULE] = str(chosen)
        other.kept, other.programs, other.checked = None, None, WeakKeyDictionary()
        return other

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """An operation defined in a class is a method, like a function."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<ttl.operation {self.function.__qualname__}>"


@public
def operation(
    grid: Any = "auto",
    *,
    fp32_dest_acc_en: bool | None = None,
    dst_full_sync_en: bool | None = None,
    math_fidelity: str | None = None,
    accumulation: str | None = None,
    options: str | None = None,
    replay: bool | None = None,
    memory_space: str | None = None,
    tiled: bool | None = None,
    device_domain: Any = None,
) -> Callable[[Callable[..., None]], Operation]:
    """Make a function an operation, to be launched on a grid of nodes.

    ``grid`` is a tuple of extents, used verbatim, or ``"full"`` or ``"auto"``: the device's compute grid. The
    function takes TT-NN tensors (and any other values), defines kernels and the objects that they share, and returns None;
    it runs once per node. ``device_domain`` are the chips that it runs on, each with this grid (``ttl.DeviceDomain``); a net
    over a graph brings its own. ``replay`` says whether a call that equals an earlier call only repeats its computations;
    None leaves it to the setting (``TTL_REPLAY``). The other arguments are older spellings of compiler options and of
    properties of tensors.
    Specification: "Operation function", "Pipe" (launch extent).
    """
    chosen = {
        name: value
        for name, value in zip(
            _COMPILER_ARGUMENTS,
            (fp32_dest_acc_en, dst_full_sync_en, math_fidelity, accumulation),
            strict=True,
        )
        if value is not None
    }
    if isinstance(grid, FunctionType):
        require_plain(grid, f"operation {grid.__name__}")
        return Operation(grid, "auto", {})  # type: ignore[return-value]  # written without parentheses
    if options is not None:
        written = (*chosen, "options")
        chosen |= _parse_options(options)
    else:
        written = tuple(chosen)
    _check_options(chosen)
    if written:
        note_compiler_arguments(written)
    of_tensors = (("memory_space", memory_space), ("tiled", tiled))
    if needless := tuple(name for name, value in of_tensors if value is not None):
        note_compiler_arguments(
            needless, "remove it: tensors have their own memory configuration, and buffers are in L1"
        )
    checked = _check_grid(grid)
    domain = None if device_domain is None else getattr(device_domain, "domain", None)
    if device_domain is not None and not isinstance(domain, ChipDomain):
        fail(no_device_domain(device_domain))
    if domain is not None and not isinstance(checked, str) and len(checked) > NODE_DIMS:
        fail(grid_of_a_chip(checked))
    if replay is not None and not isinstance(replay, bool):
        fail(
            error(
                "TTL0234",
                f"replay of an operation is True, False or None, not {describe(replay)}",
                help="write replay=True to replay this operation, replay=False never to",
            ).remedied_by(Argument(name="replay", value="True"))
        )

    def decorate(function: Callable[..., None]) -> Operation:
        plain = require_function(function, "operation")
        require_plain(plain, f"operation {plain.__name__}")
        created = Operation(plain, checked, chosen, replay)
        created.device_domain = domain
        return created

    return decorate


def require_launchable(name: str, annotations: Mapping[str, Any]) -> None:
    """Raise the error for an operation with a parameter for a buffer or a net, which only other operations can call."""
    for parameter, annotation in annotations.items():
        written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        kind = _OF_A_LAUNCH.get(written.strip("'\"").rpartition(".")[2])
        if kind is not None:
            fail(only_in_operations(name, parameter, kind))


def without_flags(signature: inspect.Signature, keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of a call without older ones for the compiler, which are checked and reported."""
    parameters = signature.parameters
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return keywords
    given = [
        name for name in ("options", *_COMPILER_ARGUMENTS) if name in keywords and name not in parameters
    ]
    if not given:
        return keywords
    options = keywords["options"] if "options" in given else ""
    chosen = {} if options is None else _parse_options(options)
    _check_options(chosen | {name: keywords[name] for name in given if name != "options"})
    note_compiler_arguments(tuple(given))
    return {name: value for name, value in keywords.items() if name not in given}


def _check_grid(grid: Any) -> Any:
    if isinstance(grid, str) and grid in ("full", "auto"):
        return grid
    if isinstance(grid, tuple | list) and len(grid) >= 1 and all(is_int(n) and n > 0 for n in grid):
        extents = tuple(int(n) for n in grid)
        return extents if len(extents) > 1 else (*extents, 1)
    fail(no_grid(grid))


def _check_options(chosen: dict[str, Any]) -> None:
    for name, value in chosen.items():
        known: tuple[Any, ...] = _VALUES.get(name, (True, False))
        if type(value) is not type(known[0]) or value not in known:
            fail(
                error(
                    "TTL0235",
                    f"{name} of ttl.operation is {describe(value)}",
                    help=f"write {name}=" + " or ".join(map(repr, known)) + ", or leave it out",
                ).remedied_by(DropArguments(description=f"leave {name} out", names=(name,)))
            )


def _without_flag(options: Any, flag: str) -> Remedy:
    """The remedy that removes a flag from ``options``, or the whole argument if there is no other flag."""
    kept = [other for other in options.split() if other != flag] if isinstance(options, str) else []
    if not kept:
        return DropArguments(description="drop it", names=("options",))
    return Argument(description="drop it", name="options", value=f'"{" ".join(kept)}"')


def _parse_options(options: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for flag in options.split() if isinstance(options, str) else (describe(options),):
        if flag not in _OPTION_FLAGS:
            fail(
                error(
                    "TTL0215",
                    f"unknown flag {flag} in options of ttl.operation",
                    notes=(
                        f"known flags: {', '.join(name for name in _OPTION_FLAGS if not name.startswith('--no-'))}, and --no-...",
                    ),
                    help="remove it, or use an argument of ttl.operation",
                ).remedied_by(_without_flag(options, flag))
            )
        argument = _OPTION_FLAGS[flag]
        if argument is not None:
            name, value = argument
            chosen[name] = value
    return chosen
