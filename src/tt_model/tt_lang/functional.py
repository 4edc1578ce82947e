"""Operations of TT-Lang as functions of a framework's tensors, which take the inputs and return new results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tt_model.operations.conditions.verify_tt_lang import roles_of
from tt_model.tt_lang import declared_kernels
from tt_model.tt_lang.declared_kernels import KernelError, TTLangKernel


@dataclass(frozen=True, eq=False, slots=True)
class FunctionalKernel(TTLangKernel):
    """An operation whose destinations the caller makes.

    ``outputs`` returns the results without their elements, from the inputs without theirs. None: every result is like
    the first input.
    """

    outputs: Callable[..., Any] | None = None

    def result_count(self, args: Sequence[object], kwargs: Mapping[str, object], what: str) -> int:
        """Return the number of results of a call; ``what`` is the framework's word for its tensors.

        Raises ``KernelError`` if the arguments are not the inputs.
        """
        roles = roles_of(self.arg_roles)
        if kwargs or len(args) != roles.count("in"):
            given = f"{len(args)} {what}{' and names' if kwargs else ''}"
            raise KernelError(
                f"operation {self.operation.function.__name__} of arg_roles '{self.arg_roles}' takes {roles.count('in')} {what}, "
                f"and gets {given}: its results are what it returns"
            )
        return roles.count("out")

    def results_from(self, inputs: Sequence[Any], count: int) -> list[Any]:
        """Return the results without elements, from the inputs without elements.

        Raises ``KernelError`` if there are not ``count`` results.
        """
        given = [inputs[0]] * count if self.outputs is None else self.outputs(*inputs)
        results = list(given) if isinstance(given, list | tuple) else [given]
        if len(results) != count:
            raise KernelError(
                f"'outputs' of {self.kernel_id} gives {len(results)} results, and arg_roles '{self.arg_roles}' has {count}"
            )
        return results


Kind = TypeVar("Kind", bound=FunctionalKernel)


def functional(
    kind: type[Kind],
    kernel_id: str,
    version_tag: str,
    arg_roles: str,
    reference: Callable[..., Any] | None,
    outputs: Callable[..., Any] | None,
) -> Callable[[Any], Kind]:
    """Return a decorator that declares an operation as a function of a framework; it also takes a declared operation.

    Raises ``ValueError`` if ``arg_roles`` has no input, no result, or another role.
    """
    roles = roles_of(arg_roles)
    if "in" not in roles or "out" not in roles or any(role not in ("in", "out") for role in roles):
        raise ValueError(
            f"arg_roles '{arg_roles}' of {kernel_id}: give in or out for each parameter, one of both at least"
        )

    def declare(declared: Any) -> Kind:
        operation = declared.operation if isinstance(declared, TTLangKernel) else declared
        kernel = declared_kernels.tt_lang_operation(kernel_id)(operation)
        return kind(kernel.operation, kernel_id, version_tag, arg_roles.replace(" ", ""), reference, outputs)

    return declare
