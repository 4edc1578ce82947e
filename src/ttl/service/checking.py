"""The analysis of one text: ``ttl check``, with results of earlier texts used again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from ttl.check.file import check_file_whole
from ttl.frontend.lowered import Specialisation
from ttl.project import project_of
from ttl.service.analysis import Analysis, CheckedOperation
from ttl.service.incremental import IncrementalLowering, Results
from ttl.service.index import FactIndex
from ttl.service.observed import StatementFacts, together
from ttl.service.parsing import TypedTrees
from ttl.service.placed import PlacedFacts
from ttl.service.recording import MOST_VALUES, Recorder
from ttl.session import FileText, go_on
from ttl.session.switches import Settings
from ttl.source.spans import Span


class Checker:
    """Analyses one text after the other. Not for use by several threads at once."""

    def __init__(self) -> None:
        self.trees = TypedTrees()
        self.questions = TypedTrees()
        """The trees for questions, which are asked on another thread while an older text is analysed."""
        self.results = Results()

    def forget(self, path: str) -> None:
        """Forget a file that is not edited any more."""
        self.trees.forget(path)
        self.questions.forget(path)
        self.results.forget(path)

    def analysed(
        self, path: str, text: FileText, version: int | None, known: Analysis | None, settings: Settings
    ) -> Analysis:
        """Analyse a text in the current session, which provides it; ``known`` is the latest analysis of the file.

        Raises ``Cancelled`` when the result is no longer needed.
        """
        problem = self.trees.problem(path, text, os.path.basename(path))
        if problem is not None:
            if known is None:
                return Analysis(path=path, version=version, text=text, problem=problem)
            return replace(known.moved_to(text, version), text=text, problem=problem, stale=True)
        self.results.begin()
        project = project_of(path)
        chosen = project.over(settings)
        lowering, recorder = IncrementalLowering(path, self.results, chosen), Recorder()
        statements = self.results.statements(path)
        statements.observed, statements.observations = lambda: StatementFacts(recorder.facts()), []
        with recorder.recording():
            report, lowered = check_file_whole(path, settings, lowering=lowering)
        go_on()
        self.results.end(path)
        of_program = together((facts.now() for facts in statements.observations), MOST_VALUES)
        read = () if lowered is None else lowered.dependencies
        return Analysis(
            path=path,
            version=version,
            text=text,
            findings=report.findings,
            operations=_operations(() if lowered is None else lowered.calls),
            not_checked=report.not_checked,
            index=FactIndex((PlacedFacts(of_program), *lowering.facts)),
            dependencies=frozenset((path, *(name for name, _ in read))),
            settings=chosen,
        )


def _operations(calls: Iterable[Specialisation]) -> tuple[CheckedOperation, ...]:
    """Group specialisations by the operation that they are of."""
    operations: dict[Span, CheckedOperation] = {}
    for call in calls:
        if call.definition is not None:
            known = operations.get(call.definition)
            known = known or CheckedOperation(name=call.operation, span=call.definition)
            operations[call.definition] = replace(known, specialisations=(*known.specialisations, call))
    return tuple(operations.values())
