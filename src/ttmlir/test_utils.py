"""Modules from Python functions, for tests of models. Needs torch for the golden tensors."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ttmlir.builder_operations import Shape
from ttmlir.dialects import func
from ttmlir.ir import Context, InsertionPoint, Location, Module
from ttmlir.passes import (
    ttir_to_ttmetal_backend_pipeline,
    ttir_to_ttnn_backend_pipeline,
    ttmetal_to_flatbuffer_file,
    ttnn_to_flatbuffer_file,
)
from ttmlir.ttir_builder import TTIRBuilder

__all__ = [
    "compile_as_mlir_module",
    "compile_to_flatbuffer",
    "ttir_to_ttmetal",
    "ttir_to_ttnn",
    "ttmetal_to_flatbuffer",
    "ttnn_to_flatbuffer",
]

# Targets, in the order of their compilation.
_TARGETS = ("ttmetal", "ttnn")


def compile_as_mlir_module(
    test_fn: Callable[..., Any], inputs_shapes: Sequence[Shape], module_dump: bool = False
) -> tuple[Module, TTIRBuilder]:
    """Make the module of a function that takes inputs of these shapes and a ``TTIRBuilder``; return both."""
    context = Context()
    file = inspect.getsourcefile(test_fn) or "<unknown>"
    place = Location.file(file, inspect.getsourcelines(test_fn)[1], 1, context)
    with context, place:
        builder = TTIRBuilder(context, place)
        types = [builder.ranked_tensor_type(shape) for shape in inputs_shapes]
        module = Module.create()
        with InsertionPoint(module.body):

            def body(*inputs: Any) -> Any:
                for index, value in enumerate(inputs):
                    builder.generate_input_golden(value, index)
                return test_fn(*inputs, builder=builder)

            func.FuncOp.from_py_func(*types, name=test_fn.__name__)(body)
        if module_dump:
            print(module)
        return module, builder


def _options(system_desc_path: str | None) -> str:
    path = os.environ.get("SYSTEM_DESC_PATH", "") if system_desc_path is None else system_desc_path
    return f"system-desc-path={path}"


def _lowered(
    module: Module,
    pipeline: Callable[[Module, str], None],
    dump_to_file: bool,
    output_file_name: str,
    system_desc_path: str | None,
) -> Module:
    pipeline(module, _options(system_desc_path))
    if dump_to_file:
        with open(output_file_name, "w", encoding="utf-8") as file:
            file.write(str(module))
    return module


def ttir_to_ttnn(
    module: Module,
    dump_to_file: bool = True,
    output_file_name: str = "test.mlir",
    system_desc_path: str | None = None,
) -> Module:
    """Compile to TTNN; the default system description is the file ``SYSTEM_DESC_PATH``."""
    return _lowered(module, ttir_to_ttnn_backend_pipeline, dump_to_file, output_file_name, system_desc_path)


def ttir_to_ttmetal(
    module: Module,
    dump_to_file: bool = True,
    output_file_name: str = "test.mlir",
    system_desc_path: str | None = None,
) -> Module:
    """Compile to TTMetal (comes later)."""
    return _lowered(
        module, ttir_to_ttmetal_backend_pipeline, dump_to_file, output_file_name, system_desc_path
    )


def ttnn_to_flatbuffer(module: Module, builder: TTIRBuilder, output_file_name: str = "ttnn_fb.ttnn") -> None:
    """Write a ``.ttnn`` file with the golden tensors of the builder. Raises ``RuntimeError``."""
    ttnn_to_flatbuffer_file(module, output_file_name, builder.get_golden_map())


def ttmetal_to_flatbuffer(
    module: Module, builder: TTIRBuilder, output_file_name: str = "ttmetal_fb.ttm"
) -> None:
    """Write a ``.ttm`` file with the golden tensors (comes later)."""
    ttmetal_to_flatbuffer_file(module, output_file_name, builder.get_golden_map())


def compile_to_flatbuffer(
    inputs_shapes: Sequence[Shape],
    test_name: str | None = None,
    targets: Sequence[str] = ("ttmetal", "ttnn"),
    module_dump: bool = False,
) -> Callable[[Callable[..., Any]], Callable[[], None]]:
    """A decorator that replaces a function by one without arguments, which compiles it for each target to a file.

    If a target cannot be compiled to (``ttmetal`` comes later), its error is raised after the others are written.
    """
    unknown = [target for target in targets if target not in _TARGETS]
    if unknown:
        raise ValueError(f"there is no target {unknown[0]}; there are {', '.join(_TARGETS)}")

    def decorate(test_fn: Callable[..., Any]) -> Callable[[], None]:
        name = test_name or test_fn.__name__

        def compile_for(target: str) -> None:
            module, builder = compile_as_mlir_module(test_fn, inputs_shapes, module_dump)
            if target == "ttmetal":
                ttir_to_ttmetal(module, True, f"{name}.mlir")
                ttmetal_to_flatbuffer(module, builder, f"{name}.ttm")
            else:
                ttir_to_ttnn(module, True, f"{name}.mlir")
                ttnn_to_flatbuffer(module, builder, f"{name}.ttnn")

        @wraps(test_fn)
        def compile_all() -> None:
            failure: Exception | None = None
            for target in _TARGETS:
                if target in targets:
                    try:
                        compile_for(target)
                    except (RuntimeError, NotImplementedError) as problem:
                        failure = failure or problem
            if failure is not None:
                raise failure

        return compile_all

    return decorate
