"""``tt_lang_operation``: an operation of TT-Lang that is called in a module of PyTorch, like a function of torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ttmlir.operations.verify_tt_lang import roles_of
from ttmlir.tt_lang import kernels
from ttmlir.tt_lang.kernels import KernelError, TTLangKernel

if TYPE_CHECKING:
    import torch

# The results of a call without their elements: tensors like them, from those of the inputs.
Outputs = Callable[..., "torch.Tensor | Sequence[torch.Tensor]"]


@dataclass(frozen=True, eq=False, slots=True)
class TorchKernel(TTLangKernel):
    """An operation of TT-Lang as a function of tensors of torch: it takes the inputs, and gives the results.

    With tensors of ``ttnn`` it is called as the operation is, destinations and all.
    """

    outputs: Outputs | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The results for inputs of torch: in eager torch from the simulator, in a traced model an operation of it.

        Raises ``KernelError`` for inputs that the operation does not take, with the lines of the kernel.
        """
        import torch

        if not any(isinstance(one, torch.Tensor) for one in args):
            return self.operation(*args, **kwargs)
        return self._called(args, kwargs)

    def _called(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        from ttmlir.torch.kernel_calls import operator

        name = self.operation.function.__name__
        roles = roles_of(self.arg_roles)
        if kwargs or len(args) != roles.count("in"):
            given = f"{len(args)} tensors{' and names' if kwargs else ''}"
            raise KernelError(
                f"operation {name} of arg_roles '{self.arg_roles}' takes {roles.count('in')} tensors, and gets {given}: its "
                "results are what it returns"
            )
        results = self._results(args, roles.count("out"))
        extents = [extent for one in results for extent in one.shape]
        outputs = operator()(
            self.kernel_id,
            self.version_tag,
            self.arg_roles,
            list(args),
            extents,
            [one.dim() for one in results],
            [one.dtype for one in results],
        )
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _results(self, args: Sequence[torch.Tensor], count: int) -> list[torch.Tensor]:
        """The results without elements: like the first input where nothing else is declared."""
        import torch

        like = [torch.empty(one.shape, dtype=one.dtype, device="meta") for one in args]
        given = [like[0]] * count if self.outputs is None else self.outputs(*like)
        results = [given] if isinstance(given, torch.Tensor) else list(given)
        if len(results) != count:
            raise KernelError(
                f"'outputs' of {self.kernel_id} gives {len(results)} tensors, and arg_roles '{self.arg_roles}' has {count} results"
            )
        return results


def tt_lang_operation(
    kernel_id: str,
    *,
    version_tag: str = "",
    arg_roles: str,
    reference: Callable[..., Any] | None = None,
    outputs: Outputs | None = None,
) -> Callable[[Any], TorchKernel]:
    """Declare an operation of TT-Lang as a function of PyTorch modules; written above ``@ttl.operation``.

    Args:
        kernel_id: by which models name it, such as ``"pkg.softmax::v1"``: the module that it is imported from, its name
            there, and a version.
        version_tag: what the author changes when the kernel has to be made anew.
        arg_roles: ``"in,in,out"``, one role for each parameter of the operation, all inputs first.
        reference: the results from the inputs as NumPy arrays; see ``ttmlir.tt_lang.tt_lang_operation``.
        outputs: tensors like the results, from the inputs as tensors without elements: ``lambda x, w: x.new_empty(...)``.
            Without it every result is like the first input.
    """
    roles = roles_of(arg_roles)
    if "in" not in roles or "out" not in roles or any(role not in ("in", "out") for role in roles):
        raise ValueError(
            f"arg_roles '{arg_roles}' of {kernel_id}: give in or out for each parameter, one of both at least"
        )

    def declare(declared: Any) -> TorchKernel:
        operation = declared.operation if isinstance(declared, TTLangKernel) else declared
        kernel = kernels.tt_lang_operation(kernel_id)(operation)
        return TorchKernel(
            kernel.operation, kernel_id, version_tag, arg_roles.replace(" ", ""), reference, outputs
        )

    return declare
