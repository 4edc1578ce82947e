"""``tt_lang_operation``: an operation of TT-Lang that is called in a function of JAX, like any other of its functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tt_model.tt_lang.functional import FunctionalKernel, functional
from ttmlir.jax.kernel_calls import call, is_of_jax

# Shapes and types of the results, from those of the inputs.
Shapes = Callable[..., Any]


class JaxKernel(FunctionalKernel):
    """An operation of TT-Lang as a function of JAX arrays: it takes the inputs and returns the results.

    With tensors of ``ttnn`` it is called like the operation, with the destinations.
    """

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results for JAX inputs: at once from the simulator, or as an operation in a traced function.

        Raises ``KernelError`` for inputs that the operation does not take, with the lines of the kernel.
        """
        if not any(is_of_jax(one) for one in args):
            return self.operation(*args, **kwargs)
        import jax

        count = self.result_count(args, kwargs, "arrays")
        make: Any = jax.ShapeDtypeStruct
        results = call(self, args, self.results_from([make(one.shape, one.dtype) for one in args], count))
        return results[0] if len(results) == 1 else tuple(results)


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
        kernel_id: the name in models, such as ``"pkg.softmax::v1"``: the module that it is imported from, its name
            there, and a version.
        version_tag: a text that the author changes when the kernel must be compiled again.
        arg_roles: ``"in,in,out"``, one role for each parameter of the operation, all inputs first.
        reference: the results from the inputs as NumPy arrays; see ``ttmlir.tt_lang.tt_lang_operation``.
        outputs: ``jax.ShapeDtypeStruct`` of each result, from those of the inputs. Without it every result is like the first
            input.
    """
    return functional(JaxKernel, kernel_id, version_tag, arg_roles, reference, outputs)
