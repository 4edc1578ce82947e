"""``transform-interpreter``: a pass that runs the sequences of a module, or of a file, on its other operations."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.ir.failure import NotLegalized, Remarks
from ttl.ir.reports import InvalidIR, Report
from ttl.passes.pipeline import pipeline
from ttl.transform.payload import StepFailure
from ttl.transform.running import interpreter
from ttl.transform.sequences import entries, named_in, read


@dataclass(frozen=True)
class TransformInterpreter(ModulePass):
    """Run the schedule of a module on the module: its @__transform_main, or every top-level transform.sequence.

    ``entry_point`` is the name of another sequence to begin with, ``schedule`` a file with the sequences.
    """

    name = "transform-interpreter"
    entry_point: str = ""
    schedule: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        own = [item for item in op.body.block.ops if item.name.startswith("transform.")]
        source = op
        if self.schedule:
            source = self._from_file()
        named = named_in(source)
        first = [named[self.entry_point]] if self.entry_point in named else list(entries(source))
        if not first or (self.entry_point and self.entry_point not in named):
            wanted = (
                f"@{self.entry_point}" if self.entry_point else "@__transform_main, and no transform.sequence"
            )
            raise NotLegalized(
                [Report(message=f"could not find a nested named sequence with name: {wanted}")]
            )
        for item in own:
            item.detach()
        running = interpreter(named, pipeline())
        try:
            for sequence in first:
                running.run(sequence, op)
        except StepFailure as failure:
            raise NotLegalized([failure.report(), *running.reports]) from failure
        finally:
            op.body.block.add_ops(own)
        if running.reports:
            raise Remarks(running.reports)

    def _from_file(self) -> ModuleOp:
        try:
            with open(self.schedule, encoding="utf-8") as file:
                return read(file.read(), self.schedule)
        except OSError as problem:
            raise NotLegalized(
                [Report(message=f"cannot read {self.schedule}: {problem.strerror}")]
            ) from problem
        except InvalidIR as problem:
            raise NotLegalized(problem.reports) from problem
