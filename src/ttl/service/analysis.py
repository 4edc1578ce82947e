"""The analysis of one text of one file: findings, operations with the calls they were checked for, and omissions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ttl.diag import Diagnostic, Severity
from ttl.frontend.lowered import Specialisation
from ttl.service.index import FactIndex
from ttl.service.moves import MovedText, change_between, moved
from ttl.session import FileText
from ttl.session.switches import Settings
from ttl.source.spans import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedOperation:
    """An operation of a file, and the calls, declarations or symbolic shapes that it was checked with."""

    name: str
    span: Span
    """The place of its name in its definition, which may be in a file that this one imports."""
    specialisations: tuple[Specialisation, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """The analysis of the text of a file. Places are those of ``text``."""

    path: str
    """Absolute, or a name in angle brackets for a text that is not a file."""
    version: int | None
    """The version that the client gives the text."""
    text: FileText
    findings: tuple[Diagnostic, ...] = ()
    """In the order of ``ttl check``. If the text is not Python: findings of the last valid text, moved to this one."""
    problem: Diagnostic | None = None
    """The reason why the text is not Python."""
    operations: tuple[CheckedOperation, ...] = ()
    not_checked: tuple[str, ...] = ()
    """The parts that could not be checked, with the reasons."""
    stale: bool = False
    """Whether all but ``problem`` comes from an earlier text, the last one that was Python."""
    index: FactIndex = field(default_factory=FactIndex)
    """The facts about places of the text. If it is not Python: the facts of the last valid text, moved to this one."""
    dependencies: frozenset[str] = field(default_factory=frozenset)
    """The files that were read, and files that were looked for: a change of one of them may change the analysis."""
    settings: Settings = field(default_factory=Settings)
    """The settings in effect: those of the project over those of the client."""
    seconds: float = 0.0
    """The seconds that the analysis took."""

    @property
    def all_findings(self) -> tuple[Diagnostic, ...]:
        """The findings to show."""
        return self.findings if self.problem is None else (self.problem, *self.findings)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity is severity for finding in self.all_findings)

    def moved_to(self, text: FileText, version: int | None) -> Analysis:
        """Return the analysis for another text than its own: places are moved, and it is marked stale."""
        if text is self.text:
            return replace(self, version=version)
        change = change_between(self.text, text)
        findings = (moved(finding, self.path, change) for finding in self.findings)
        operations = tuple(
            replace(operation, span=span)
            for operation in self.operations
            if (span := operation.span if operation.span.file != self.path else change.span(operation.span))
        )
        return replace(
            self,
            text=text,
            version=version,
            findings=tuple(finding for finding in findings if finding is not None),
            problem=None,
            operations=operations,
            index=self.index.moved(MovedText(self.path, change)),
            stale=True,
        )
