"""The tile programs of a file with the designs for their calls, without running the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ttl.design.operation import Design, plans_for
from ttl.design.plan import DesignPlan
from ttl.diag import Diagnostic, Severity
from ttl.frontend.file import lower_file
from ttl.frontend.lowered import OperationRead
from ttl.frontend.lowering import Lowering, ReadRequest
from ttl.frontend.values import TileProgram
from ttl.rules.design import not_divided


@dataclass(frozen=True, slots=True)
class Designed:
    """A call of a tile program, with its design."""

    wanted: ReadRequest
    design: Design | None


class _KeepingDesigns(Lowering):
    """Lowers operations, and collects the designs of the tile programs among them."""

    def __init__(self) -> None:
        super().__init__()
        self.designed: list[Designed] = []

    def read(self, wanted: ReadRequest) -> OperationRead:
        read = super().read(wanted)
        if isinstance(wanted.function, TileProgram) and wanted.place is not None:
            self.designed.append(Designed(wanted, read.design))
        return read


def designs_of(path: str, arguments: tuple[str, ...] = ()) -> tuple[list[Designed], list[Diagnostic]]:
    """Return each kind of call of a file's tile programs with its design, and the findings about the file."""
    lowering = _KeepingDesigns()
    lowered = lower_file(path, arguments, lowering=lowering)
    return lowering.designed, list(lowered.diagnostics)


def compared(wanted: ReadRequest, chosen: Design, choices: Mapping[str, str]) -> str:
    """Compare a design with other choices: their cost, or the rule against them. Raises ``ValueError`` for an unknown choice."""
    plan, fixed, flags = chosen.plan, dict[str, int](), dict[str, bool]()
    knobs = {knob.name.replace(" ", "-"): knob for knob in plan.graph.knobs}
    for name, text in choices.items():
        if name in _FLAGS:
            if text not in ("yes", "no"):
                raise ValueError(f"{name} is yes or no, not {text}")
            flags[name] = text == "yes"
            continue
        if name not in knobs or not text.isdecimal():
            known = [*(f"{key}=N" for key in knobs), *(f"{key}=no" for key in _FLAGS)]
            raise ValueError(
                f"{name}={text} is not a choice of {plan.graph.name}; there are {', '.join(known)}"
            )
        knob = knobs[name]
        if int(text) not in knob.values:
            if knob.what == "step":
                finding = not_divided(knob.name, knob.values[-1], int(text))
                return f"{finding.code}: {finding.message}; {finding.help[0]}"
            return f"{name} is {' or '.join(map(str, knob.values))}"
        fixed[knob.name] = int(text)
    plans, findings = plans_for(
        wanted.function, wanted.arguments, wanted.grid, wanted.chip, fixed,
        lambda candidate: all(_FLAGS[name](candidate) is value for name, value in flags.items()),
    )  # fmt: skip
    if not plans:
        errors = [item for item in findings if item.severity is Severity.ERROR]
        return f"{errors[0].code}: {errors[0].message}" if errors else "no plan of this program is like that"
    best = plans[0]
    more = best.estimate / plan.estimate - 1
    cost = (
        "as many as"
        if best.label == plan.label
        else f"{abs(more):.0%} {'more' if more >= 0 else 'fewer'} than"
    )
    return (
        f"about {best.estimate:,} cycles, most of them {best.limited_by} ({best.label}): {cost} the "
        f"{plan.estimate:,} of what was chosen ({plan.label})"
    )


_FLAGS: Mapping[str, Callable[[DesignPlan], bool]] = MappingProxyType(
    {
        "multicast": lambda candidate: any(buffer.way for buffer in candidate.streams),
        "diagonal": lambda candidate: any(map(candidate.is_diagonal, candidate.streams)),
        "divided": lambda candidate: candidate.spreading.divided,
    }
)
