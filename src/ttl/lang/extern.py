"""Calls of the user's own C++ (0.21, "External functions"), and their stand-ins in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail
from ttl.lang.context import current
from ttl.lang.extern_calls import (
    KINDS,
    DFBAccess,
    DFBDescriptor,
    DFBEffect,
    DFBIdentifier,
    DispatchCondition,
    ExternCall,
    Kernel,
    KernelKind,
    ScalarType,
    TensorAccess,
    TensorAddress,
)
from ttl.lang.transfers import TensorSlice
from ttl.rules import external as rules
from ttl.session import Part

F = TypeVar("F", bound=Callable[..., Any])
STAND_INS: Part[dict[str, Callable[..., Any]]] = Part(dict)
"""The Python functions that stand for C++ functions in the simulator, by the name of the C++ function."""


def dfb_descriptor(dfb: DataflowBuffer) -> DFBDescriptor:
    """A dataflow buffer as a type, for ``template_args`` of ``ttl.call_extern_func``."""
    return DFBDescriptor(dfb)


def get_dfb_id(dfb: DataflowBuffer) -> DFBIdentifier:
    """The number of a dataflow buffer on the chip, for ``template_args`` of ``ttl.call_extern_func``."""
    return DFBIdentifier(dfb)


def raw_addr(tensor: Any) -> TensorAddress:
    """The address of a tensor, for ``func_args`` of ``ttl.call_extern_func``: a ``uint32_t`` of C++, the same on all nodes."""
    if not isinstance(tensor, Tensor):
        fail(rules.no_argument("ttl.raw_addr", "a tensor", tensor))
    return TensorAddress(tensor)


def extern(callee: str) -> Callable[[F], F]:
    """Make a function the stand-in of external C++ in the simulator: ``@ttl.extern("name")``.

    It is called in the calling kernel with the ``template_args`` and ``func_args`` of ``ttl.call_extern_func``,
    dataflow buffers and tensors as themselves, and may do everything that this kernel may do. Its effects on buffers
    are compared with the declared effects.
    """

    def register(function: F) -> F:
        STAND_INS.get()[callee] = function
        return function

    return register


def call_extern_func(
    header: str,
    callee: str,
    *,
    template_args: Sequence[Any] | None = None,
    func_args: Sequence[Any] | None = None,
    dfb_dependencies: Sequence[DataflowBuffer] | None = None,
    dfb_effects: Sequence[Any] | None = None,
    dfb_accesses: Sequence[DFBAccess] | None = None,
    tensor_accesses: Sequence[TensorAccess] | None = None,
    unknown_dfb_access: bool = False,
    include_paths: Sequence[str] | None = None,
    kernel: Any = None,
    result_type: ScalarType | None = None,
    condition_result: DispatchCondition | None = None,
) -> Any:
    """Call a C++ function of a header in a kernel. Returns its integer result, with ``result_type`` or ``condition_result``.

    ``dfb_effects`` are its effects on buffers in each call, in order: it must push each block that it reserves, and pop each
    that it waits for. ``func_args`` are numbers, buffers, ``ttl.raw_addr`` of tensors, and in data movement kernels
    tensors, for which C++ gets an accessor. ``tensor_accesses``, in data movement kernels, are all parts of tensors that it
    reads and writes; without it these are not known. The simulator runs the function declared with ``ttl.extern`` instead.

    Raises ``ProgramError``: TTL0260 no stand-in, TTL0261 a wrong argument, TTL0262 a declaration that is not understood, TTL0263
    effects that do not fit the buffers, TTL0264 a stand-in that does something else, TTL0265 another kernel.
    """
    execution = current("ttl.call_extern_func()")
    if unknown_dfb_access:
        fail(rules.not_understood("unknown_dfb_access"))
    if not isinstance(result_type, ScalarType | None):
        fail(rules.no_argument("result_type", "ttl.ScalarType.I32 or ttl.ScalarType.I64", result_type))
    if not isinstance(condition_result, DispatchCondition | None):
        fail(rules.no_argument("condition_result", "a ttl.DispatchCondition", condition_result))
    result = result_type if condition_result is None else condition_result.scalar
    if result_type not in (None, result):
        fail(rules.no_argument("result_type", "the type of the condition, or nothing", result_type))
    if not isinstance(header, str) or not isinstance(callee, str):
        fail(
            rules.no_argument("ttl.call_extern_func", "names of a header and of a function", (header, callee))
        )
    effects: list[DFBEffect] = []
    for item in dfb_effects or ():
        several = item if isinstance(item, tuple | list) else (item,)
        if not all(isinstance(effect, DFBEffect) for effect in several):
            fail(rules.no_argument("dfb_effects", "ttl.DFBEffect.reserve(dfb, tiles=n) and the like", item))
        effects += several
    for argument in template_args or ():
        if not isinstance(argument, int | float | DFBDescriptor | DFBIdentifier):
            wanted = "numbers, ttl.dfb_descriptor(dfb) and ttl.get_dfb_id(dfb)"
            fail(rules.no_argument("template_args", wanted, argument))
    for access in tensor_accesses or ():
        if not isinstance(access, TensorAccess):
            wanted = "ttl.TensorAccess.read(x[0, 1]) and ttl.TensorAccess.write(y)"
            fail(rules.no_argument("tensor_accesses", wanted, access))
    touched = {id(effect.dfb) for effect in effects} | {id(item.dfb) for item in dfb_accesses or ()}
    opaque = [
        dfb
        for dfb in (*(dfb_dependencies or ()), *(func_args or ()))
        if isinstance(dfb, DataflowBuffer) and id(dfb) not in touched
    ]
    if opaque:
        fail(rules.opaque(callee))
    kind = kernel.kind if isinstance(kernel, Kernel) else kernel
    if kind is not None:
        wanted_kind = KINDS.get(kind) if isinstance(kind, KernelKind) else None
        if wanted_kind is None:
            fail(rules.no_argument("kernel", "one kind of kernel, or a ttl.Kernel of one", kernel))
        if execution.kernel_kind is not None and execution.kernel_kind != wanted_kind:
            fail(rules.other_kernel(callee, wanted_kind, execution.what))
        other = execution.other_than(kernel) if isinstance(kernel, Kernel) else None
        if other is not None:
            fail(rules.named_kernel(callee, other, execution.what))
    finding = rules.match_effects(callee, [(effect.kind, id(effect.dfb), effect.tiles) for effect in effects])
    if execution.kernel_kind is None:
        fail(rules.outside_kernel(callee))
    for argument in func_args or ():
        if isinstance(argument, TensorSlice):
            fail(rules.no_argument("func_args", "a tensor as a whole", argument))
        if isinstance(argument, Tensor) and execution.kernel_kind == "compute":
            fail(rules.tensor_in_compute(callee, execution.what))
    if tensor_accesses and execution.kernel_kind == "compute":
        fail(rules.tensor_in_compute(callee, execution.what))
    if finding is not None:
        fail(finding)
    return execution.call_extern(
        ExternCall(
            header=header,
            callee=callee,
            template_args=tuple(template_args or ()),
            func_args=tuple(func_args or ()),
            effects=tuple(effects),
            inspected=tuple(item.dfb for item in dfb_accesses or ()),
            touched=None if tensor_accesses is None else tuple(tensor_accesses),
            include_paths=tuple(include_paths or ()),
            result=result,
            condition=condition_result,
        )
    )


PLAIN = (
    call_extern_func, dfb_descriptor, get_dfb_id, raw_addr, DFBEffect.reserve, DFBEffect.push, DFBEffect.wait, DFBEffect.pop,
    DFBEffect.repeat, DFBAccess.inspect, TensorAccess.read, TensorAccess.write, Kernel,
    DispatchCondition,
)  # fmt: skip
"""The functions that are called themselves, in the simulator, by checks and by the compiler."""
