"""Operations of TT-Lang inside a model: their attributes, and conditions on them. TTIR and TTNN share both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from tt_model.attributes.kernel_program import artifact_of
from tt_model.layouts.elements import data_type_of
from tt_model.layouts.kernel_request import USUAL_ARCH, KernelOperand, KernelRequest
from tt_model.layouts.layout import TTNNLayout

if TYPE_CHECKING:
    from tt_model.operations.operation import RowOperation
    from tt_model.operations.shared import TTLangOperation
    from tt_model.operations.ttnn import TTNNGenericOp


def roles_of(text: str) -> tuple[str, ...]:
    """Split ``"in,in,out"`` into roles."""
    return tuple(role.strip() for role in text.split(",")) if text.strip() else ()


def request_of(
    op: TTLangOperation, mesh_shape: tuple[int, ...] = (), arch: str = USUAL_ARCH
) -> KernelRequest:
    """The kernel call of a ``tt_lang_op``."""
    return KernelRequest(
        kernel_id=op.kernel_id,
        version_tag=op.version_tag,
        operands=tuple(map(_operand, op.operands)),
        roles=roles_of(op.arg_roles),
        shard_spec=op.shard_spec,
        mesh_shape=mesh_shape,
        arch=arch,
    )


def request_of_generic(op: TTNNGenericOp, arch: str = USUAL_ARCH) -> tuple[dict[str, Any], KernelRequest]:
    """The program of a ``ttnn.generic``, and its kernel call.

    Raises ``ValueError`` for attributes that no program has.
    """
    artifact = artifact_of(op.program)
    inputs, outputs = len(op.inputs), len(op.outputs)
    return artifact, KernelRequest(
        kernel_id=str(artifact.get("kernel_id", "")),
        version_tag=str(artifact.get("version_tag", "")),
        operands=tuple(map(_operand, op.operands)),
        roles=("in",) * inputs + ("out",) * outputs,
        arch=arch,
    )


def _operand(value: SSAValue) -> KernelOperand:
    """The kernel operand of a tensor; a tensor without a layout, or on the host, counts as one in DRAM."""
    type = value.type
    assert isinstance(type, TensorType)
    layout = getattr(type.encoding, "data", None)
    if isinstance(layout, TTNNLayout) and not layout.buffer_type.is_host:
        return KernelOperand.of(type.get_shape(), layout)
    return KernelOperand(shape=type.get_shape(), data_type=data_type_of(type.element_type))


def _program(op: TTNNGenericOp) -> str | None:
    """Return the problem with the program of a ``ttnn.generic``, or None.

    Its kernels must have a source, and name operands that exist.
    """
    try:
        artifact, _ = request_of_generic(op)
    except ValueError as problem:
        return f"has a program that cannot be read: {problem}"
    if not artifact["kernels"]:
        return "has a program without kernels"
    for number, kernel in enumerate(artifact["kernels"]):
        if not isinstance(kernel["cpp_source"], str) or not kernel["cpp_source"].strip():
            return f"has a program whose kernel #{number} has no source"
        indices = kernel["tensor_indices"]
        if not isinstance(indices, list) or any(
            not isinstance(index, int) or not 0 <= index < len(op.operands) for index in indices
        ):
            return f"has {len(op.operands)} operands, and kernel #{number} names the tensors {indices}"
    return None


def _kernel_id(op: TTLangOperation) -> str | None:
    return None if op.kernel_id.strip() else "requires a kernel_id that is not empty"


def _roles(op: TTLangOperation) -> str | None:
    roles = roles_of(op.arg_roles)
    if not roles:
        return "requires arg_roles that are not empty"
    for position, role in enumerate(roles):
        if role not in ("in", "out"):
            return f"has the role '{role}' for operand #{position}: a role is 'in' or 'out'"
    if len(roles) != len(op.operands):
        return f"has {len(op.operands)} operands and {len(roles)} arg_roles ('{op.arg_roles}')"
    inputs = roles.count("in")
    if "in" in roles[inputs:]:
        return f"has arg_roles '{op.arg_roles}': all 'in' come before the first 'out'"
    outs = roles.count("out")
    if outs != len(op.results):
        return f"has {len(op.results)} results and {outs} operands of the role 'out': each 'out' is the destination of a result"
    if outs == 0:
        return "has no operand of the role 'out': an operation without results does nothing"
    return None


def _layouts(op: RowOperation) -> Iterator[tuple[str, Attribute, Any]]:
    """Yield the name, the type and the layout (or None) of each operand and result."""
    for kind, values in (("operand", op.operands), ("result", op.results)):
        for position, value in enumerate(values):
            encoding = value.type.encoding if isinstance(value.type, TensorType) else None
            yield f"{kind} #{position}", value.type, getattr(encoding, "data", None)


def _tiled(op: RowOperation) -> str | None:
    for name, type, layout in _layouts(op):
        if layout is None or not getattr(layout, "is_tiled", False):
            return f"requires tensors in tiles, and {name} is of type '{type}'"
    return None


def _on_device(op: RowOperation) -> str | None:
    for name, type, layout in _layouts(op):
        if isinstance(layout, TTNNLayout) and layout.buffer_type.is_host:
            return f"requires tensors on the device, and {name} is of type '{type}'"
    return None


# Checked before the condition on destinations, since the roles name these.
ROLES = (_kernel_id, _roles)
TILED = (_tiled, _on_device)
GENERIC = (_program, _tiled, _on_device)
