"""``TTLangOp`` and ``GenericOp``: operations of TT-Lang, and kernels that are written out, as steps of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tt_model.flatbuffer.kernel_program import artifact_of_table
from tt_model.layouts.kernel_request import KernelOperand, KernelRequest, KernelTarget
from tt_model.operations.conditions.verify_tt_lang import roles_of
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNTTLangOp
from tt_model.operations.stages import PerClass
from tt_model.operations.ttnn import TTNNGenericOp
from tt_model.runtime.distribution import MeshShards
from tt_model.runtime.pool import KernelCycles, TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.tensors import TensorDescription, description_of
from tt_model.tt_lang.declared_kernels import KernelError

if TYPE_CHECKING:
    import torch

    from tt_model.tt_lang.running import KernelRun


def prepare_tt_lang(fields: Mapping[str, Any]) -> Callable[[TensorPool], None]:
    """Return the step of a ``TTLangOp``."""
    call = call_of_tt_lang(fields)
    artifact = fields.get("kernel_artifact", "")

    def run(request: KernelRequest, values: Sequence[torch.Tensor], target: KernelTarget) -> KernelRun:
        from tt_model.tt_lang.running import run_kernel

        return run_kernel(request, values, target, artifact)

    return _step(call, run)


def prepare_generic(fields: Mapping[str, Any]) -> Callable[[TensorPool], None]:
    """Return the step of a ``GenericOp``."""
    call = call_of_generic(fields)
    artifact = artifact_of_table(fields.get("program", {}))

    def run(request: KernelRequest, values: Sequence[torch.Tensor], target: KernelTarget) -> KernelRun:
        from tt_model.tt_lang.running import run_generic

        return run_generic(artifact, request, values, target)

    return _step(call, run)


@dataclass(frozen=True, slots=True)
class KernelCall:
    """The call of a kernel in a file: its request, and its tensors, inputs first."""

    request: KernelRequest
    tensors: tuple[TensorDescription, ...]
    inputs: int

    @property
    def name(self) -> str:
        """The id of the kernel, or words in place of a missing id, for messages."""
        return self.request.kernel_id or "kernels that are written out"


def kernel_call(kind: type[TTNNOperation], fields: Mapping[str, Any]) -> KernelCall | None:
    """The call of a kernel by an operation of a file; None for other operations. Raises ``RuntimeProblem``."""
    call = _CALLS.of(kind)
    return None if call is None else call(fields)


def call_of_tt_lang(fields: Mapping[str, Any]) -> KernelCall:
    """The kernel call of a ``TTLangOp``. Raises ``RuntimeProblem``."""
    call = _call(fields, fields, roles_of(fields.get("arg_roles", "")))
    outputs = len(call.tensors) - call.inputs
    if call.request.roles != ("in",) * call.inputs + ("out",) * outputs:
        raise RuntimeProblem(
            f"the TTLangOp of {call.name} has arg_roles '{','.join(call.request.roles)}' for {call.inputs} inputs and "
            f"{outputs} outputs"
        )
    return call


def call_of_generic(fields: Mapping[str, Any]) -> KernelCall:
    """The kernel call of a ``GenericOp``. Raises ``RuntimeProblem``."""
    inputs = len(fields.get("inputs", []))
    outputs = 1 + len(fields.get("further_outs", []))
    return _call(fields, fields.get("program", {}), ("in",) * inputs + ("out",) * outputs)


_CALLS = PerClass[Callable[[Mapping[str, Any]], KernelCall]](
    (TTNNTTLangOp, call_of_tt_lang), (TTNNGenericOp, call_of_generic)
)


def _call(fields: Mapping[str, Any], named: Mapping[str, Any], roles: tuple[str, ...]) -> KernelCall:
    references = [*fields.get("inputs", []), fields["out"], *fields.get("further_outs", [])]
    described = tuple(map(description_of, references))
    request = KernelRequest(
        kernel_id=named.get("kernel_id", ""),
        version_tag=named.get("version_tag", ""),
        operands=tuple(map(_operand, described, references)),
        roles=roles,
        shard_spec=fields.get("shard_spec", ""),
    )
    return KernelCall(request, described, len(fields.get("inputs", [])))


def _step(
    call: KernelCall, execute: Callable[[KernelRequest, Sequence[torch.Tensor], KernelTarget], KernelRun]
) -> Callable[[TensorPool], None]:
    def run(pool: TensorPool) -> None:
        tensors = pool.operands([one.id for one in call.tensors], TTNNGenericOp.inputs)
        mesh = pool.mesh_of(*tensors)
        for tensor, one in zip(tensors, call.tensors, strict=True):
            if (tensor.shape, tensor.data_type) != (one.shape, one.data_type):
                raise RuntimeProblem(
                    f"tensor {one.id} is {tensor.describe()}, and {call.name} was compiled for "
                    f"{'x'.join(map(str, one.shape))} {one.data_type.keyword}",
                    at=pool.at,
                )
        request = replace(call.request, arch=pool.device.system.chips[0].arch.keyword)
        results = []
        # Chips with the same inputs compute the same results, so that one of them is run.
        for chip in range(max(1 if one.shards is None else len(one.shards.parts) for one in tensors)):
            values = [one.values if one.shards is None else one.shards.parts[chip] for one in tensors]
            try:
                results.append(execute(request, values, pool.tt_lang))
            except KernelError as problem:
                raise RuntimeProblem(str(problem), at=pool.at) from None
        cycles = [result.cycles for result in results if result.cycles is not None]
        if cycles:
            # Chips run at the same time, so that the slowest one determines the cycles.
            pool.kernels.append(KernelCycles(pool.at, call.name, max(cycles)))
        outputs = zip(*(result.outputs for result in results), strict=True)
        for one, parts in zip(call.tensors[call.inputs :], outputs, strict=True):
            held = parts[0] if len(parts) == 1 else MeshShards(parts, None)
            pool.put(one, held, one.data_type, True, one.config, mesh)

    return run


def _operand(described: TensorDescription, reference: Mapping[str, Any]) -> KernelOperand:
    config = described.config
    if config is None:
        raise RuntimeProblem(f"{described} of a kernel is on the host: kernels run on the device")
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
