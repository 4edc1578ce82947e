"""Finds the operation of TT-Lang that a kernel id names.

``pkg.module.softmax::v1`` is ``softmax`` of the module ``pkg.module``, which is imported if that is allowed; the
version follows ``::``. Any operation that can be imported is a kernel. An operation that is declared by
``tt_lang_operation`` states its version, too, and a model that was made for another version is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tt_model.layouts.kernel_permissions import PERMISSIONS
from ttl.diag import ProgramError
from ttl.lang.operation import Operation
from ttl.rules.permissions import module_not_allowed, source_not_allowed
from ttl.source.spans import Span

# How to allow C++ in a file to run.
SOURCE_WAYS = ("give ttrt --allow-kernel-source", "in Python, with ttmlir.tt_lang.allowed(sources=True)")


class KernelError(Exception):
    """A kernel id that names no operation, or an operation that does not fit a model's call.

    The text says why; ``span`` is the line of the kernel that it refers to, if there is one.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True, eq=False, slots=True)
class TTLangKernel:
    """An operation of TT-Lang with the facts that models refer to. It is called like the operation.

    ``reference`` computes the results from the inputs, as NumPy arrays, for golden results.
    """

    operation: Operation
    kernel_id: str = ""
    version_tag: str = ""
    arg_roles: str = ""
    reference: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Run the operation."""
        self.operation(*args, **kwargs)


def tt_lang_operation(
    kernel_id: str,
    *,
    version_tag: str = "",
    arg_roles: str = "",
    reference: Callable[..., Any] | None = None,
) -> Callable[[Operation], TTLangKernel]:
    """Declare an operation as a kernel of models; written above ``@ttl.operation``.

    Args:
        kernel_id: the name in models, such as ``"pkg.softmax::v1"``.
        version_tag: a text that the author changes when the kernel must be made again; models name it, too.
        arg_roles: ``"in,in,out"``, one role for each parameter; empty if roles are not declared.
        reference: a function from the inputs to the results, as NumPy arrays: of float64, and of int64 for whole
            numbers, whose results are taken modulo the width of their type, like the chip's.
    """

    def declare(operation: Operation) -> TTLangKernel:
        if not isinstance(operation, Operation):
            raise TypeError(f"tt_lang_operation decorates the result of @ttl.operation, not {operation!r}")
        return TTLangKernel(operation, kernel_id, version_tag, arg_roles, reference)

    return declare


def module_of(kernel_id: str) -> str:
    """The module in a kernel id; empty if the id has no module."""
    return kernel_id.partition("::")[0].rpartition(".")[0]


def ways_to_allow(module: str) -> tuple[str, ...]:
    """Return how to allow a module: a flag of commands, an option of passes, and in Python."""
    return (
        f"give ttrt --allow-tt-lang {module}",
        f"give the pass or the pipeline of ttmlir-opt the option allow-tt-lang={module}",
        f"in Python, with ttmlir.tt_lang.allowed(['{module}'])",
    )


def require_source_allowed(held_by: str, *others: str) -> None:
    """Raise ``ProgramError`` TTL0131 if C++ in a file must not run; ``others`` are further remedies."""
    if not PERMISSIONS.get().sources:
        raise ProgramError(source_not_allowed(held_by, (*SOURCE_WAYS, *others)))


def kernel_named(kernel_id: str, version_tag: str = "") -> TTLangKernel:
    """Return the operation that a kernel id names; its module is imported, if that is permitted.

    Raises ``KernelError``, and ``ProgramError`` TTL0130 for a module without permission.
    """
    path, _, version = kernel_id.partition("::")
    module_name, _, name = path.rpartition(".")
    if not module_name or not all(part.isidentifier() for part in path.split(".")):
        raise KernelError(
            f"kernel_id '{kernel_id}' is not a name such as 'package.operation::v1': a module that can be imported, an operation "
            "in it, and its version"
        )
    if not PERMISSIONS.get().allows(module_name):
        raise ProgramError(
            module_not_allowed(module_name, f"kernel_id '{kernel_id}'", ways_to_allow(module_name))
        )
    try:
        module = import_module(module_name)
    except ImportError as problem:
        raise KernelError(
            f"the module '{module_name}' of kernel_id '{kernel_id}' cannot be imported ({problem}): install it, or put its "
            "folder into PYTHONPATH"
        ) from None
    except (Exception, SystemExit) as problem:
        raise KernelError(
            f"the module '{module_name}' of kernel_id '{kernel_id}' fails while it is imported: "
            f"{type(problem).__name__}: {problem}"
        ) from problem
    value = getattr(module, name, None)
    if isinstance(value, Operation):
        return TTLangKernel(value, kernel_id)
    if not isinstance(value, TTLangKernel):
        known = [key for key, item in vars(module).items() if isinstance(item, Operation | TTLangKernel)]
        raise KernelError(
            f"'{name}' of '{module_name}' is not an operation of TT-Lang; the module has: {', '.join(known) or 'none'}"
        )
    declared = value.kernel_id.partition("::")[2]
    if (version and declared and version != declared) or (
        version_tag and value.version_tag and version_tag != value.version_tag
    ):
        raise KernelError(
            f"the model is for '{kernel_id}' with version_tag '{version_tag}', and '{path}' is '{value.kernel_id}' with "
            f"version_tag '{value.version_tag}': compile the model again"
        )
    return value
