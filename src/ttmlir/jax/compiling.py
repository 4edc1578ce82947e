"""Functions of JAX to binaries: traced by JAX, lowered to StableHLO, converted to TTIR, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ttmlir.jax.arguments import described
from ttmlir.model import CompileError

if TYPE_CHECKING:
    from ttmlir.ir import Module
    from ttmlir.jax.model import JaxModel


def compile_function(function: Callable[..., Any], *arguments: Any, options: str = "") -> JaxModel:
    """A function of JAX as a model that runs.

    Args:
        function: of arrays, or trees of them; ``jax.jit`` of one, too. It is traced once.
        arguments: what it is compiled for, one for each of its arguments: a shape (float32), a shape and a type
            (``((64, 128), "bf16")``), an array or ``jax.ShapeDtypeStruct`` like it, or a tree of these.
        options: of the pipeline to TTNN, as on the command line: ``"system-desc-path=x.ttsys"``.

    Raises:
        CompileError: for what JAX does not trace, and with every operation that cannot be lowered, at its line.
        ImportError: where there is no ``jax``.
    """
    from ttmlir.jax.constants import hoisted_constants
    from ttmlir.jax.model import JaxModel
    from ttmlir.passes import flatbuffer_of, stablehlo_to_ttir_pipeline, ttir_to_ttnn_backend_pipeline
    from ttrt.binary import load_binary_from_capsule

    wanted = tuple(described(one) for one in arguments)
    module, results, constants = _stablehlo(function, wanted)
    name = getattr(function, "__name__", type(function).__name__)
    try:
        stablehlo_to_ttir_pipeline(module)
        constants += hoisted_constants(module)
        ttir_to_ttnn_backend_pipeline(module, options)
        content = flatbuffer_of(module, {})
    except RuntimeError as problem:
        raise CompileError(f"{name} cannot be compiled: {problem}") from None
    return JaxModel(
        load_binary_from_capsule(content),
        module=module,
        arguments=wanted,
        results=results,
        constants=constants,
    )


def stablehlo_of(function: Callable[..., Any], *arguments: Any) -> Module:
    """The module of StableHLO that a function becomes: arguments as for ``compile``. Large constants are arguments of it."""
    return _stablehlo(function, tuple(described(one) for one in arguments))[0]


def _stablehlo(function: Callable[..., Any], wanted: Sequence[Any]) -> tuple[Module, Any, list[Any]]:
    """The module, what the function gives, and the large arrays that it closed over, which are arguments of the module."""
    import jax

    from ttmlir.ir import Context, Module
    from ttmlir.jax.constants import constants_as_arguments, taken_out

    name = getattr(function, "__name__", type(function).__name__)
    try:
        lowered = jax.jit(function, keep_unused=True).lower(*wanted)
    except Exception as problem:  # whatever the function does to what it is given
        raise CompileError(
            f"{name} cannot be traced by JAX: {type(problem).__name__}: {problem}"
        ) from problem
    upstream = lowered.compiler_ir("stablehlo")
    assert upstream is not None
    arrays = taken_out(upstream)
    text = upstream.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)
    module = Module.parse(text, Context())
    return module, lowered.out_info, constants_as_arguments(module, arrays)
