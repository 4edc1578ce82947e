"""Checks a source file without running it."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ttl.diag import Diagnostic, ProgramError, Severity, TTLError, error
from ttl.diag.families import Family
from ttl.diag.internal import findings_of, internal_error
from ttl.project import project_of
from ttl.session import CHOSEN
from ttl.settings import Settings

if TYPE_CHECKING:
    from ttl.check.known import CheckedLowering
    from ttl.frontend.lowered import Lowered, UnreadableOperation


@dataclass(frozen=True, kw_only=True, slots=True)
class FileReport:
    """The findings in one file."""

    path: str
    findings: tuple[Diagnostic, ...] = ()
    operations: int = 0
    specialisations: int = 0
    not_checked: tuple[str, ...] = ()
    """The parts that could not be checked, and why."""
    unchecked: tuple[UnreadableOperation, ...] = ()
    """The operations that could not be checked at all."""
    strict: bool = False
    """Whether findings of every severity count, not only errors."""

    @property
    def broken(self) -> bool:
        """Whether a check failed because of a defect of this package."""
        return any(finding.family is Family.DEFECTS for finding in self.findings)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of this severity."""
        return sum(finding.severity is severity for finding in self.findings)


def missing_parts() -> str | None:
    """Return the name of a package that checks need and that is not installed; None if all are."""
    return None if importlib.util.find_spec("xdsl") is not None else "xdsl"


def require_parts(who: str) -> None:
    """Check that everything is installed that ``who`` (a verb, a flag) needs. Raises ``ProgramError`` TTL0116."""
    missing = missing_parts()
    if missing is not None:
        raise not_installed(who, missing)


def require_package(who: str, name: str, extra: str) -> None:
    """Require the package ``name``, which ``who`` needs and an extra installs. Raises ``ProgramError`` TTL0116."""
    if importlib.util.find_spec(name) is None:
        raise not_installed(who, name, f"'ttlang[{extra}]'")


def not_installed(who: str, missing: str, package: str = "xdsl==0.74.0") -> ProgramError:
    """TTL0116: ``who`` (a verb, a flag) needs a Python package that is ``missing``, which pip installs by ``package``."""
    return ProgramError(
        error(
            "TTL0116",
            f"{who} needs the Python package {missing}, which is not installed",
            help=f"install it with: pip install {package}",
        )
    )


def check_file(path: str, settings: Settings, arguments: tuple[str, ...] = ()) -> FileReport:
    """Return the findings about the operations of ``path`` (absolute), for the calls that the file makes of them.

    ``arguments`` is the command line of the program behind its name. Defects of this package are findings, too: TTL9001.
    """
    return check_file_whole(path, settings, arguments)[0]


def check_file_whole(
    path: str, settings: Settings, arguments: tuple[str, ...] = (), lowering: CheckedLowering | None = None
) -> tuple[FileReport, Lowered | None]:
    """Return the report of ``check_file`` with the lowered program; None for a program that did not come to its end.

    ``lowering`` may know some of the results. The settings of the file's project are in effect where ``settings``
    have no origin; a mistake there is a finding in its ``pyproject.toml``.
    """
    project = project_of(path)
    chosen = project.over(settings)
    with CHOSEN.given(chosen):
        report, lowered = _checked(path, chosen, arguments, lowering)
    findings = in_order((*report.findings, *project.findings)) if project.findings else report.findings
    return replace(report, findings=findings, strict=chosen.strict), lowered


def _checked(
    path: str, settings: Settings, arguments: tuple[str, ...], lowering: CheckedLowering | None
) -> tuple[FileReport, Lowered | None]:
    try:
        from ttl.ir.lean import import_lean

        import_lean()
        from ttl.check.fitting import fits
        from ttl.frontend.file import lower_file

        lowered = lower_file(path, arguments, fits, lowering)
    except TTLError as raised:
        return FileReport(path=path, findings=raised.diagnostics), None
    except Exception as raised:
        return FileReport(path=path, findings=_internal(raised)), None
    report = _counted(path, lowered)
    try:
        from ttl.check.module import check_module, without_overlaps

        left_out: list[str] = []
        if lowering is None:
            findings = check_module(
                lowered.module, settings=settings, strict=settings.strict, not_checked=left_out
            )
        else:
            findings = without_overlaps(lowering.findings)
            left_out += lowering.not_followed
    except Exception as raised:
        return replace(report, findings=(*report.findings, *_internal(raised))), lowered
    whole = replace(
        report,
        findings=in_order((*report.findings, *findings)),
        not_checked=(*report.not_checked, *dict.fromkeys(left_out)),
    )
    return whole, lowered


def _internal(raised: Exception) -> tuple[Diagnostic, ...]:
    failure = internal_error(raised)
    failure.__cause__ = raised
    return findings_of(failure)


def _counted(path: str, lowered: Lowered) -> FileReport:
    # ``lowered.notes`` names the calls that were not lowered to their end because a value is missing.
    read = [call for call in lowered.calls if call.complete or lowered.diagnostics]
    return FileReport(
        path=path,
        findings=tuple(lowered.diagnostics),
        operations=len({call.operation for call in read}),
        specialisations=len(read),
        not_checked=tuple(lowered.notes),
        unchecked=tuple(lowered.unread),
    )


def in_order(findings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return each finding once, sorted by place; findings without a place come first."""
    once = {
        (finding.code, finding.primary.span if finding.primary else None, finding.message): finding
        for finding in findings
    }
    return tuple(sorted(once.values(), key=_place))


def _place(finding: Diagnostic) -> tuple[str, int, int, str]:
    if finding.primary is None:
        return ("", 0, 0, finding.code)
    span = finding.primary.span
    return (span.file, span.line, span.column, finding.code)
