"""``tt_lang_operation``: an operation of TT-Lang that is called in a function of JAX, like any other of its functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ttmlir.operations.verify_tt_lang import roles_of
from ttmlir.tt_lang import kernels
from ttmlir.tt_lang.kernels import KernelError, TTLangKernel

# Shapes and types of the results, from those of the inputs.
Shapes = Callable[..., Any]


@dataclass(frozen=True, eq=False, slots=True)
class JaxKernel(TTLangKernel):
    """An operation of TT-Lang as a function of arrays of JAX: it takes the inputs, and gives the results.

    With tensors of ``ttnn`` it is called as the operation is, destinations and all.
    """

    outputs: Shapes | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results for inputs of JAX: at once from the simulator, in a traced function an operation of it.

        Raises ``KernelError`` for inputs that the operation does not take, with the lines of the kernel.
        """
        from ttmlir.jax.kernel_calls import call, is_of_jax

        if not any(is_of_jax(one) for one in args):
            return self.operation(*args, **kwargs)
        name, roles = self.operation.function.__name__, roles_of(self.arg_roles)
        if kwargs or len(args) != roles.count("in"):
            given = f"{len(args)} arrays{' and names' if kwargs else ''}"
            raise KernelError(
                f"operation {name} of arg_roles '{self.arg_roles}' takes {roles.count('in')} arrays, and gets {given}: its "
                "results are what it returns"
            )
        results = call(self, args, self._results(args, roles.count("out")))
        return results[0] if len(results) == 1 else tuple(results)

    def _results(self, args: Sequence[Any], count: int) -> list[Any]:
        """The results as shapes and types: like the first input where nothing else is declared."""
        import jax

        make: Any = jax.ShapeDtypeStruct
        like = [make(one.shape, one.dtype) for one in args]
        given = [like[0]] * count if self.outputs is None else self.outputs(*like)
        results = list(given) if isinstance(given, list | tuple) else [given]
        if len(results) != count:
            raise KernelError(
                f"'outputs' of {self.kernel_id} gives {len(results)} results, and arg_roles '{self.arg_roles}' has {count}"
            )
        return results


def tt_lang_operation(
    kernel_id: str,
    *,
    version_tag: str = "",
    arg_roles: str,
    reference: Callable[..., Any] | None = None,
    outputs: Shapes | None = None,
) -> Callable[[Any], JaxKernel]:
    """Declare an operation of TT-Lang as a function of JAX; written above ``@ttl.operation``.

    Args:
        kernel_id: by which models name it, such as ``"pkg.softmax::v1"``: the module that it is imported from, its name
            there, and a version.
        version_tag: what the author changes when the kernel has to be made anew.
        arg_roles: ``"in,in,out"``, one role for each parameter of the operation, all inputs first.
        reference: the results from the inputs as NumPy arrays; see ``ttmlir.tt_lang.tt_lang_operation``.
        outputs: ``jax.ShapeDtypeStruct`` of each result, from those of the inputs. Without it every result is like the first
            input.
    """
    roles = roles_of(arg_roles)
    if "in" not in roles or "out" not in roles or any(role not in ("in", "out") for role in roles):
        raise ValueError(
            f"arg_roles '{arg_roles}' of {kernel_id}: give in or out for each parameter, one of both at least"
        )

    def declare(declared: Any) -> JaxKernel:
        operation = declared.operation if isinstance(declared, TTLangKernel) else declared
        kernel = kernels.tt_lang_operation(kernel_id)(operation)
        return JaxKernel(
            kernel.operation, kernel_id, version_tag, arg_roles.replace(" ", ""), reference, outputs
        )

    return declare
