"""The module of Python that has the operations of a model."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from tt_model.operations.shared import TTIRSoftmaxOp
from ttmlir.outlining.lines import Lines
from ttmlir.outlining.matmul import MatmulKernels
from ttmlir.outlining.naming import unique
from ttmlir.outlining.pointwise import PointwiseKernels
from ttmlir.outlining.reference_text import reference_lines
from ttmlir.outlining.region import OutlinedRegion, Pattern, RegionNames
from ttmlir.outlining.written import WrittenKernels

_DIGEST = re.compile(r"^# Written by ttmlir-opt --ttir-to-ttl; unchanged: ([0-9a-f]{16})$", re.M)
_ELEMENTS = {"f32": "ttnn.float32", "bf16": "ttnn.bfloat16"}
VERSION_TAG = "1"
_WIDTH = 110


@dataclass(frozen=True, kw_only=True, slots=True)
class OutlinedKernelText:
    """One operation as Python."""

    name: str
    region: OutlinedRegion
    inputs: tuple[str, ...]
    text: str

    @property
    def roles(self) -> str:
        return ",".join((*("in" for _ in self.inputs), "out"))

    def kernel_id(self, module: str) -> str:
        """Return the kernel id by which the model names it."""
        return f"{module}.{self.name}::v1"


def kernel_text(
    name: str,
    region: OutlinedRegion,
    names: RegionNames,
    stands_for: Sequence[str],
    module: str,
    grid: tuple[int, int],
) -> OutlinedKernelText:
    """The operation of a region: its decorators, kernels and reference.

    ``stands_for``: the model's names of the values that it computes. ``grid``: the number of nodes (x, y).
    """
    all_names = unique((*names.inputs, *names.steps[:-1], "result"), (name,))
    inputs, steps = all_names[: len(names.inputs)], all_names[len(names.inputs) :]
    written: WrittenKernels
    if region.pattern is Pattern.MATMUL:
        written = MatmulKernels(region, inputs, steps, grid).written()
    else:
        written = PointwiseKernels(region, inputs, steps, grid[0] * grid[1]).written()
    lines = Lines()
    reference = reference_lines(name, region, inputs, steps)
    lines(*reference, "", "")
    result = OutlinedKernelText(name=name, region=region, inputs=tuple(inputs), text="")
    lines("@tt_lang_operation(")
    lines(f'    "{result.kernel_id(module)}",', f'    version_tag="{VERSION_TAG}",')
    lines(f'    arg_roles="{result.roles}",', f"    reference={name}_reference,", ")")
    lines("@ttl.example(")
    for one in region.inputs:
        lines(f"    ttl.TensorSpec({_tuple(one.shape)}, {_ELEMENTS[one.element]}),")
    lines(f"    ttl.TensorSpec({_tuple(region.output.shape)}, {_ELEMENTS[region.output.element]}),", ")")
    lines("@ttl.tunable(")
    for parameter, (_, values) in written.tunable.items():
        if parameter == "buffering":
            lines(f"    buffering=ttl.as_large_as_fits({', '.join(values)}),")
        else:
            lines(f"    {parameter}=[{', '.join(values)}],")
    lines(")")
    lines(f"@ttl.operation(grid={written.grid})", f"def {name}(")
    lines(*(f"    {one}: ttnn.Tensor," for one in (*inputs, "y")), "    *,")
    lines(*(f"    {parameter}: {type}," for parameter, (type, _) in written.tunable.items()))
    lines(") -> None:")
    computes = ", ".join(step.mnemonic for step in region.steps)
    lines(*_docstring(f"{computes}: the model's {_listed(stands_for)}."))
    return OutlinedKernelText(
        name=name, region=region, inputs=tuple(inputs), text=lines.text() + written.body
    )


def module_text(kernels: Sequence[OutlinedKernelText], model: str, *, trial: bool = True) -> str:
    """The text of the whole file; with ``trial``, it has a program that tries the operations."""
    body = Lines()
    body(
        f'"""Operations of {model}.',
        "",
        "You may change them: a file that was changed is not overwritten.",
        "",
        "    ttl check FILE        what is wrong with them",
        "    ttl run FILE          run them on random tensors and compare with their references",
        "    ttl profile FILE      their cycles, line by line",
        "    ttl tune FILE         find better sizes of blocks",
        '"""',
        "",
    )
    used = {step.kind for kernel in kernels for step in kernel.region.steps}
    needs_erf = any("erf(" in kernel.text for kernel in kernels)
    if needs_erf:
        body("import math", "")
    body("import numpy as np", "import ttl", "import ttnn", "")
    body("from ttmlir.tt_lang import tt_lang_operation", "")
    if needs_erf:
        body("erf = np.vectorize(math.erf, otypes=[float])", "")
    if TTIRSoftmaxOp in used:
        body("")
        with body.block("def softmax(x):"):
            body(
                "power = np.exp(x - x.max(-1, keepdims=True))", "return power / power.sum(-1, keepdims=True)"
            )
        body("")
    parts = [body.text(), *(f"\n{kernel.text}\n" for kernel in kernels)]
    if trial:
        parts.append(_trial(kernels))
    text = "".join(parts)
    return f"# Written by ttmlir-opt --ttir-to-ttl; unchanged: {_digest(text)}\n{text}"


def _trial(kernels: Sequence[OutlinedKernelText]) -> str:
    lines = Lines()
    lines("")
    with lines.block("def try_out(kernel, *tensors: ttnn.Tensor) -> None:"):
        lines('"""Run an operation, the last tensor being its result, and compare with its reference."""')
        lines(
            "kernel(*tensors)",
            "*inputs, result = (ttnn.to_torch(tensor).double().numpy() for tensor in tensors)",
        )
        lines("correlation = np.corrcoef(kernel.reference(*inputs).ravel(), result.ravel())[0, 1]")
        lines('print(f"{kernel.kernel_id}: correlation with the reference {correlation:.6f}")')
    lines("", "")
    with lines.block('if __name__ == "__main__":'):
        lines("device = ttnn.open_device(device_id=0)")
        for kernel in kernels:
            lines("try_out(", f"    {kernel.name},")
            shapes = [(one.shape, one.element) for one in kernel.region.inputs]
            for shape, element in (*shapes, (kernel.region.output.shape, kernel.region.output.element)):
                lines(
                    f"    ttnn.rand({_tuple(shape)}, dtype={_ELEMENTS[element]}, layout=ttnn.TILE_LAYOUT, device=device),"
                )
            lines(")")
        lines("ttnn.close_device(device)")
    return lines.text()


def is_unchanged(text: str) -> bool:
    """Return whether a file is as it was written here, without changes."""
    head, _, rest = text.partition("\n")
    known = _DIGEST.match(head)
    return known is not None and known.group(1) == _digest(rest)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _docstring(text: str) -> list[str]:
    """A docstring as lines."""
    if len(text) <= _WIDTH - 10:
        return [f'    """{text}"""']
    head, tail = text.rsplit(": ", 1)
    more = textwrap.wrap(f"{head[0].upper()}{head[1:]}.", _WIDTH - 4)
    return [f'    """{tail[0].upper()}{tail[1:]}', "", *(f"    {line}" for line in more), '    """']


def _tuple(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
