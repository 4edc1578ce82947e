"""Functions of JAX to binaries: traced by JAX, lowered to StableHLO, converted to TTIR, compiled."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from xdsl.dialects.func import FuncOp

from tt_model.binaries.binary import load_binary_from_capsule
from tt_model.operations.constants import give_written
from tt_model.operations.shared import TTIRTTLangOp
from tt_model.runtime.numbers import check_limits
from tt_model.runtime.problems import RuntimeProblem
from tt_model.tt_lang.declared_kernels import module_of
from ttl.session.collector import patient_collector
from ttmlir.compositions.dimensions import MOST_DIMENSIONS, program_shape
from ttmlir.framework_pipeline import Weights, compiled_content, require_weights
from ttmlir.ir import Context, Module
from ttmlir.jax.arguments import argument_names, described, to_device
from ttmlir.jax.compiled_function import JaxModel
from ttmlir.jax.constants import constants_as_arguments, folded_constants, hoisted_constants, taken_out
from ttmlir.jax.partitioning import options_for_mesh, partitioned
from ttmlir.jax.tracing import name_of, not_lowered
from ttmlir.loaded import CompileError
from ttmlir.passes import stablehlo_to_ttir_pipeline

if TYPE_CHECKING:
    pass


# The platform for JAX's lowering: one that JAX does not know, so that no platform's own code gets into the module.
PLATFORM = "tt"


def compile_function(
    function: Callable[..., Any], *arguments: Any, options: str = "", weights: Weights = "inputs"
) -> JaxModel:
    """Compile a function of JAX to a model that runs.

    Args:
        function: of arrays, or trees of them; ``jax.jit`` of one, too. It is traced once.
        arguments: a description of each argument: a shape (float32), a shape and a type
            (``((64, 128), "bf16")``), an array or ``jax.ShapeDtypeStruct`` like it, or a tree of these.
        options: of the pipeline to TTNN, as on the command line: ``"system-desc-path=x.ttsys"``.
        weights: of arrays that the function closed over, of more than 1,024 elements: "inputs" are inputs of the program, which
            the model gives when it is called; "constants" go into the file, transposed and reshaped once. Smaller ones are
            always constants.

    Raises:
        CompileError: for a function that JAX cannot trace, and with every operation that cannot be lowered, at its
            line.
        ImportError: where there is no ``jax``.
    """
    require_weights(weights)
    model = converted(function, *arguments)
    if weights == "constants":
        model = with_folded_constants(model)
    try:
        kernels = _kernel_modules(model.module)
        wanted = options_for_mesh(model.module, options)
        count = len(argument_names(function, model.arguments))
        held = frozenset(range(count, count + len(model.constants))) or None
        content = compiled_content(model.module, wanted, kernel_modules=kernels, weights=held)
    except RuntimeError as problem:
        raise CompileError(f"{name_of(function)} cannot be compiled: {problem}") from None
    compiled = JaxModel(
        load_binary_from_capsule(content),
        module=model.module,
        arguments=model.arguments,
        results=model.results,
        constants=model.constants,
        names=argument_names(function, model.arguments),
        stored_from=0 if weights == "constants" else model.closed_over,
    )
    compiled.allow_tt_lang, compiled.weight_positions = kernels, held
    _require_within_limits(compiled, name_of(function))
    return compiled


def _require_within_limits(model: JaxModel, name: str) -> None:
    """Raise ``CompileError`` for arrays that the function closed over and whose values may not fit into 32 bits."""
    limits = {one.index: one.limits for one in model.binary.stored_inputs}
    first = len(model.binary.programs[0].get("inputs", ())) - len(model.constants)
    for index, array in enumerate(model.constants, first):
        within = limits.get(index)
        if within is None and array.dtype.kind not in "iu":
            continue
        try:
            given = to_device(array, array)
            if within is not None:
                check_limits("it", given, within)
        except RuntimeProblem as problem:
            raise CompileError(
                f"{name} closes over an array, {array.dtype.name}{list(array.shape)}: {problem}"
            ) from None


def with_folded_constants(model: ConvertedFunction) -> ConvertedFunction:
    """Return the function with transposes and reshapes of constants applied; all constants count as small."""
    return replace(model, constants=folded_constants(model.module, model.constants), closed_over=0)


def _kernel_modules(module: Module) -> tuple[str, ...]:
    """The modules of called TT-Lang operations: the author of the function imported them, and so allowed them."""
    calls = (op for op in module.operation.xdsl.walk() if isinstance(op, TTIRTTLangOp))
    return tuple(sorted({module_of(op.kernel_id) for op in calls}))


@dataclass(frozen=True, kw_only=True)
class ConvertedFunction:
    """A function as a module, and the arrays that it closed over, which are its last arguments.

    The first ``closed_over`` of them are large; the others were tables in the text.
    """

    module: Module
    arguments: tuple[Any, ...]
    results: Any
    constants: list[Any]
    closed_over: int = 0


def converted(function: Callable[..., Any], *arguments: Any) -> ConvertedFunction:
    """Convert a function to TTIR, before any pass for a device. Arguments and errors are those of ``compile``."""
    model = _stablehlo(function, arguments)
    try:
        with patient_collector():
            stablehlo_to_ttir_pipeline(model.module)
    except RuntimeError as problem:
        raise CompileError(f"{name_of(function)} cannot be compiled: {problem}") from None
    return replace(model, constants=[*model.constants, *hoisted_constants(model.module)])


def stablehlo_of(function: Callable[..., Any], *arguments: Any) -> Module:
    """Return the StableHLO module of a function; arguments as for ``compile``. Large constants become its arguments."""
    return _stablehlo(function, arguments).module


def _stablehlo(function: Callable[..., Any], arguments: Sequence[Any]) -> ConvertedFunction:
    """Lower a function to StableHLO; large arrays that it closed over become arguments of the module."""
    import jax

    wanted = tuple(described(one) for one in arguments)
    try:
        traced = jax.jit(function, keep_unused=True).trace(*wanted)
        results = traced.out_info
        if any(one.ndim > MOST_DIMENSIONS for one in jax.tree.leaves((wanted, results))):
            traced = jax.jit(_of_few_dimensions(function, wanted), keep_unused=True).trace(
                *_of_program(wanted)
            )
        lowered = traced.lower(lowering_platforms=(PLATFORM,))
    except Exception as problem:  # any error of the user's function
        raise CompileError(not_lowered(problem, function)) from problem
    upstream = lowered.compiler_ir("stablehlo")
    assert upstream is not None
    upstream = partitioned(upstream, name_of(function))
    # JAX caches the lowered module, and returns it again for the same function: it must not be changed.
    copy = upstream.operation.clone()
    arrays = taken_out(copy)
    text = _at_the_function(copy.get_asm(enable_debug_info=True, print_generic_op_form=True), function)
    module = Module.parse(text, Context())
    _say_donated(module, function, wanted, results)
    return ConvertedFunction(
        module=module,
        arguments=wanted,
        results=results,
        constants=constants_as_arguments(module, arrays),
        closed_over=len(arrays),
    )


def _say_donated(module: Module, function: Callable[..., Any], wanted: Any, results: Any) -> None:
    """Mark arguments donated under ``jax.jit``: each gets the memory of the first free result of its shape and type."""
    import jax

    trace = getattr(function, "trace", None)
    if trace is None:
        return
    left = list(enumerate(jax.tree.leaves(results)))
    written: dict[int, int] = {}
    for index, one in enumerate(jax.tree.leaves(trace(*wanted).args_info)):
        same = [pair for pair in left if (pair[1].shape, pair[1].dtype) == (one.shape, one.dtype)]
        if one.donated and same:
            left.remove(same[0])
            written[index] = same[0][0]
    if written:
        main = next(op for op in module.operation.xdsl.walk() if isinstance(op, FuncOp))
        give_written(main, written)


def _of_few_dimensions(function: Callable[..., Any], wanted: Any) -> Callable[..., Any]:
    """Wrap a function so that its arguments and results have at most five dimensions."""
    import jax

    @wraps(function)
    def fewer(*given: Any) -> Any:
        results = function(*jax.tree.map(lambda one, like: one.reshape(like.shape), given, wanted))
        return jax.tree.map(lambda one: one.reshape(program_shape(one.shape)) if one.shape else one, results)

    return fewer


def _of_program(arrays: Any) -> Any:
    """Return descriptions of arrays in the program's shapes."""
    import jax

    return jax.tree.map(lambda one: one.update(shape=program_shape(one.shape) if one.shape else ()), arrays)


def _at_the_function(text: str, function: Callable[..., Any]) -> str:
    """Replace locations in this file, such as those of constants, by the location of the function's first line."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return text
    place = f'"{code.co_filename}":{code.co_firstlineno}:1'
    return re.sub(rf'"{re.escape(__file__)}":\d+:\d+( to (\d+)?:\d+)?', lambda _: place, text)
