"""Checks an operation before it runs for the first time with arguments of a kind.

A kind of call is checked once in a process and, through ``ttl.check.cache``, once on a machine. Later calls compare a
key, and the values that the operation reads from outside. Only calls without errors are remembered, so a key that
misses a difference hides a finding, which the run then makes itself, and never invents one.
"""

from __future__ import annotations

from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any

from ttl.check import cache
from ttl.check.file import in_order, require_parts
from ttl.check.seen import CallCache
from ttl.diag import (
    DeadlockError,
    Diagnostic,
    InternalError,
    ProgramError,
    ResourceError,
    Severity,
    TTLError,
)
from ttl.diag.families import Family, Subject
from ttl.diag.internal import internal_error
from ttl.diag.report import emit
from ttl.lang.captured import CallKeys, call_keys
from ttl.lang.context import CURRENT
from ttl.session import Part, SameObject, cached
from ttl.session.collector import patient_collector
from ttl.settings import Settings
from ttl_start.kept_code import code_kept

if TYPE_CHECKING:
    from ttl.lang.operation import Operation


class _Calls:
    """The session's key of the checked calls that operations store."""


_CALLS: Part[_Calls] = Part(_Calls)


def before(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> None:
    """Check the call unless one like it was checked already; show the findings.

    Raises the exceptions of the simulator: ``ProgramError``, ``ResourceError`` or ``DeadlockError`` with all errors.
    Warnings and notes go to standard error, once. Nothing is checked inside of another operation.
    """
    if CURRENT.get() is not None:
        return
    calls = _CALLS.get()
    seen: CallCache[bool] | None = operation.checked.get(calls)
    if seen is None:
        seen = operation.checked[calls] = CallCache(operation.function)
    key = seen.key(args, kwargs, settings)
    if any(seen.known(key)):
        return
    _look_at(operation, args, kwargs, settings)
    seen.keep(key, args, kwargs, True)


@patient_collector()
@code_kept()
def _look_at(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], settings: Settings) -> None:
    """Check an unknown call if it has no form, or if its form ``is_due``. Raises like ``before``."""
    keys = _keys(operation, args, kwargs, settings.arch)
    forms = forms_of(operation.function.__code__)
    form = None if keys is None else f"{settings.arch} {settings.grid} {settings.strict} {keys.form}"
    if form is None or forms.is_due(form):
        errors = _check(operation, args, kwargs, keys, settings)
        if errors:
            raise _error_class(errors[0])(*errors)
        if form is not None:
            forms.checked(form)


def _keys(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chip: str) -> CallKeys | None:
    try:
        return call_keys(operation, args, kwargs, chip)
    except Exception:  # the check computes it again, and reports the error
        return None


def _check(
    operation: Operation,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    keys: CallKeys | None,
    settings: Settings,
) -> list[Diagnostic]:
    """Return the errors of a call. All other findings are shown."""
    if settings.origin("check") != "ttl run":
        require_parts(settings.origin("check"))
    errors = []
    for finding in _found(operation, args, kwargs, keys, settings):
        if finding.subject is Subject.FAILURE:
            continue  # the run raises the exception itself, with Python's traceback
        # The simulator also runs Python that the compiler cannot compile.
        if finding.severity is Severity.ERROR and finding.family is not Family.PYTHON:
            errors.append(finding)
        else:
            emit(_softened(finding), once=True)
    return errors


def _found(
    operation: Operation,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    keys: CallKeys | None,
    settings: Settings,
) -> tuple[Diagnostic, ...]:
    """Return every finding: stored ones of an earlier run, or new ones, which are stored."""
    try:
        name = None
        if keys is not None:
            name = cache.digest(keys.exact, operation.function.__code__.co_filename, settings)
            kept = cache.load(name)
            if kept is not None:
                return kept
        from ttl.ir.lean import import_lean

        import_lean()
        from ttl.check.module import check_module
        from ttl.frontend.live import lower_call

        lowered = lower_call(operation, args, kwargs)
        # With --strict the run infers nothing and reports the missing calls itself: a warning before would repeat it.
        result = check_module(lowered.module, settings=settings, strict=False)
        findings = in_order((*lowered.diagnostics, *result))
        if name is not None and not any(finding.family is Family.DEFECTS for finding in findings):
            cache.store(name, findings, lowered.dependencies)
        return findings
    except TTLError as raised:
        # The call cannot be lowered: the run reports the mistake itself.
        return (_failed_check(operation, raised),) if isinstance(raised, InternalError) else ()
    except Exception as raised:
        return (_failed_check(operation, raised),)


def _failed_check(operation: Operation, raised: Exception) -> Diagnostic:
    """Return a note about an exception in a check, which must not stop a program that may be right."""
    finding = internal_error(raised).diagnostic
    name = operation.function.__name__
    return replace(finding, severity=Severity.NOTE).noting(
        f"operation {name} could not be checked; it runs anyway",
        "--no-check, or TTL_CHECK=off, leaves the check out",
    )


def _softened(finding: Diagnostic) -> Diagnostic:
    if finding.severity is not Severity.ERROR:
        return finding
    return replace(finding, severity=Severity.WARNING).noting(
        "it runs in the simulator; it cannot be compiled"
    )


def _error_class(finding: Diagnostic) -> type[ProgramError] | type[ResourceError]:
    """Return the class of the exception that the simulator raises for the same error."""
    if finding.family is Family.RESOURCES:
        return ResourceError
    return DeadlockError if finding.family is Family.DEADLOCKS else ProgramError


# The most calls, with forms of one piece of code that were not checked, that are all checked (see ``is_due``).
_ALL = 32
# The most forms that are remembered as checked.
_REMEMBERED = 4096


class Forms:
    """The forms in which operations with the same code were called."""

    def __init__(self) -> None:
        self._checked: set[str] = set()
        self._count = 0

    def is_due(self, form: str) -> bool:
        """Whether a call of a form must be checked: not if the form was.

        Of calls with other forms, the first ``_ALL`` must be, and later only those whose number is a power of two.
        """
        if form in self._checked:
            return False
        self._count += 1
        return self._count <= _ALL or self._count & (self._count - 1) == 0

    def checked(self, form: str) -> None:
        """Remember that a call of a form has no errors."""
        if len(self._checked) < _REMEMBERED:
            self._checked.add(form)


@cached(maxsize=512)
def _forms_of(code: SameObject) -> Forms:
    return Forms()


def forms_of(code: CodeType) -> Forms:
    """Return the forms of a code object, which operations that are made in a loop share."""
    return _forms_of(SameObject(code))
