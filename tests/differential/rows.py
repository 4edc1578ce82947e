"""Every operation of the table, in every form and for many element types, several in one program.

A program has three kernels whatever it computes, and most of the time goes into compiling them: operations on the
same operands share one program, each with an output of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from differential.errors import MATRIX
from support.random_programs.language.one_operation import programs
from support.random_programs.language.spec import Instr, Port, Program, TensorSpec
from ttl.rows.row import Op
from ttl.rows.table import OPS

# A kernel has 32 circular buffers; some are for operands and for values on the way.
_TOGETHER = 18
_BLOCK_FLOATS = ("bfloat8_b", "bfloat4_b")


@dataclass(frozen=True)
class Case:
    """One operation in one form. ``name`` says what it is: row, element type, layout, operands, parameters."""

    name: str
    row: Op
    dtype: str
    program: Program

    @property
    def subject(self) -> tuple[str, str]:
        """The row and the element type: what a known gap is about."""
        return (self.row.name, self.dtype)


def cases(rows: Iterable[Op] = OPS) -> Iterator[Case]:
    """Every form of some rows."""
    for row in rows:
        for program in programs(row):
            yield _case(row, _suited(program))


def _case(row: Op, program: Program) -> Case:
    (instr,) = (each for each in program.body if each.kind == "op")
    inputs = [program.tensor(port.tensor) for port in program.inputs]
    dtype = (inputs or [program.tensor("result")])[0].dtype
    blocks = " ".join("x".join(map(str, port.block)) for port in program.inputs)
    operands = " ".join("block" if isinstance(arg, str) else repr(arg) for arg in instr.args)
    params = " ".join(f"{name}={value}" for name, value in instr.params)
    words = (row.name, dtype, "tiled" if program.tiled else "row-major", blocks, operands, params)
    return Case(" ".join(filter(None, words)), row, dtype, program)


def _suited(program: Program) -> Program:
    """No infinities where the type has none."""
    tensors = tuple(
        replace(spec, data="real") if spec.dtype in _BLOCK_FLOATS and spec.data == "edge" else spec
        for spec in program.tensors
    )
    return replace(program, tensors=tensors)


def together(found: Iterable[Case], count: int = _TOGETHER) -> list[tuple[tuple[Case, ...], Program]]:
    """Cases on the same operands as programs of up to ``count`` operations; output ``r0`` is the first case's."""
    open_: list[list[Case]] = []
    for case in found:
        for group in open_:
            if len(group) < count and all(_agree(case, each) for each in group):
                group.append(case)
                break
        else:
            open_.append([case])
    return [(tuple(group), _merged(group)) for group in open_]


def _agree(case: Case, other_case: Case) -> bool:
    one, other = case.program, other_case.program
    if (case.row.name in MATRIX) != (other_case.row.name in MATRIX):
        return False  # what the matrix unit reads of a buffer decides how the others get it
    if one.tiled != other.tiled or one.items != other.items:
        return False
    ports = {port.name: (port, one.tensor(port.tensor)) for port in one.inputs}
    return all(
        ports.get(port.name, (port, other.tensor(port.tensor))) == (port, other.tensor(port.tensor))
        for port in other.inputs
    )


def _merged(group: list[Case]) -> Program:
    tensors: dict[str, TensorSpec] = {}
    inputs: dict[str, Port] = {}
    outputs: list[Port] = []
    body: list[Instr] = []
    for number, case in enumerate(group):
        program = case.program
        inputs |= {port.name: port for port in program.inputs}
        tensors |= {port.tensor: program.tensor(port.tensor) for port in program.inputs}
        (port,) = program.outputs
        result = f"r{number}"
        tensors[result] = replace(program.tensor(port.tensor), name=result)
        outputs.append(replace(port, name=f"out_{result}", tensor=result))
        for instr in program.body:
            target = f"out_{result}" if instr.kind == "store" else instr.target
            args = tuple(f"t{number}" if arg == "t" else arg for arg in instr.args)
            body.append(replace(instr, name=f"{instr.name}{number}", args=args, target=target))
    return replace(
        group[0].program,
        tensors=tuple(tensors.values()),
        inputs=tuple(inputs.values()),
        outputs=tuple(outputs),
        body=tuple(body),
    )
