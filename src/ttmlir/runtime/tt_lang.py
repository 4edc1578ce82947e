"""``TTLangOp``: an operation of TT-Lang as a step of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ttmlir.layouts.kernel_request import KernelOperand, KernelRequest
from ttmlir.operations.verify_tt_lang import roles_of
from ttmlir.runtime.distribution import MeshShards
from ttmlir.runtime.problems import At, RuntimeProblem
from ttmlir.runtime.tensors import TensorDescription, description_of

if TYPE_CHECKING:
    from ttmlir.runtime.pool import TensorPool

# Where operations of TT-Lang run.
TARGETS = ("sim", "emu", "numpy")


@dataclass(frozen=True, slots=True)
class KernelCycles:
    """How long an operation of TT-Lang took on the emulated chip."""

    at: At | None
    kernel_id: str
    cycles: int


def prepare_tt_lang(fields: Mapping[str, Any]) -> Callable[[TensorPool], None]:
    """The step of a ``TTLangOp``."""
    references = [*fields.get("inputs", []), fields["out"], *fields.get("further_outs", [])]
    described = [description_of(reference) for reference in references]
    roles = roles_of(fields.get("arg_roles", ""))
    inputs = len(fields.get("inputs", []))
    kernel_id = fields.get("kernel_id", "")
    if roles != ("in",) * inputs + ("out",) * (len(references) - inputs):
        raise RuntimeProblem(
            f"the TTLangOp of {kernel_id} has arg_roles '{','.join(roles)}' for {inputs} inputs and "
            f"{len(references) - inputs} outputs"
        )
    request = KernelRequest(
        kernel_id=kernel_id,
        version_tag=fields.get("version_tag", ""),
        operands=tuple(map(_operand, described, references)),
        roles=roles,
        shard_spec=fields.get("shard_spec", ""),
    )
    artifact = fields.get("kernel_artifact", "")

    def run(pool: TensorPool) -> None:
        from ttmlir.tt_lang.kernels import KernelError
        from ttmlir.tt_lang.running import run_kernel

        tensors = [pool.tiles(one.id) for one in described]
        mesh = pool.mesh_of(*tensors)
        for tensor, one in zip(tensors, described, strict=True):
            if (tensor.shape, tensor.data_type) != (one.shape, one.data_type):
                raise RuntimeProblem(
                    f"tensor {one.id} is {tensor.describe()}, and {kernel_id} was compiled for "
                    f"{'x'.join(map(str, one.shape))} {one.data_type.keyword}",
                    at=pool.at,
                )
        own = replace(request, arch=pool.device.system.chips[0].arch.keyword)
        results = []
        # Chips that have the same compute the same.
        for chip in range(max(1 if one.shards is None else len(one.shards.parts) for one in tensors)):
            values = [one.values if one.shards is None else one.shards.parts[chip] for one in tensors]
            try:
                results.append(run_kernel(own, values, pool.tt_lang, artifact))
            except KernelError as problem:
                raise RuntimeProblem(str(problem), at=pool.at) from None
        cycles = [result.cycles for result in results if result.cycles is not None]
        if cycles:
            # Chips run at the same time: the slowest one is waited for.
            pool.kernels.append(KernelCycles(pool.at, kernel_id, max(cycles)))
        for one, parts in zip(described[inputs:], zip(*(result.outputs for result in results)), strict=True):
            held = parts[0] if len(parts) == 1 else MeshShards(parts, None)
            pool.put(one, held, one.data_type, True, one.config, mesh)

    return run


def _operand(described: TensorDescription, reference: Mapping[str, Any]) -> KernelOperand:
    config = described.config
    if config is None:
        raise RuntimeProblem(
            f"{described} of a TTLangOp is on the host: operations of TT-Lang run on the device"
        )
    layout = reference["desc"]["layout"]
    rectangles = layout.get("core_range_set", [])
    rows = max((one["loc"]["y"] + one["size"]["y"] for one in rectangles), default=1)
    columns = max((one["loc"]["x"] + one["size"]["x"] for one in rectangles), default=1)
    shard = tuple(32 * extent for extent in config.shard_shape)
    return KernelOperand(
        shape=described.shape,
        data_type=described.data_type,
        buffer_type=config.buffer_type,
        memory_layout=config.memory_layout,
        cores=(rows, columns),
        shard_shape=shard,
    )
