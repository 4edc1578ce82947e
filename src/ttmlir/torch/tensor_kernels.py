"""``tt_lang_operation``: an operation of TT-Lang that is called in a module of PyTorch, like a function of torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tt_model.tt_lang.functional import FunctionalKernel, functional
from ttmlir.torch.kernel_calls import operator

if TYPE_CHECKING:
    import torch

# Results of a call without elements, made from the inputs without elements.
Outputs = Callable[..., "torch.Tensor | Sequence[torch.Tensor]"]


class TorchKernel(FunctionalKernel):
    """An operation of TT-Lang as a function of torch tensors: it takes the inputs and returns the results.

    With tensors of ``ttnn`` it is called like the operation, with the destinations.
    """

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results for torch inputs: from the simulator in eager torch, as an operation in a traced model.

        Raises ``KernelError`` for inputs that the operation does not take, with the lines of the kernel.
        """
        import torch

        if not any(isinstance(one, torch.Tensor) for one in args):
            return self.operation(*args, **kwargs)
        return self._called(args, kwargs)

    def _called(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        import torch

        count = self.result_count(args, kwargs, "tensors")
        inputs = [torch.empty(one.shape, dtype=one.dtype, device="meta") for one in args]
        results = self.results_from(inputs, count)
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
        kernel_id: the name in models, such as ``"pkg.softmax::v1"``: the module that it is imported from, its name
            there, and a version.
        version_tag: a text that the author changes when the kernel must be compiled again.
        arg_roles: ``"in,in,out"``, one role for each parameter of the operation, all inputs first.
        reference: the results from the inputs as NumPy arrays; see ``ttmlir.tt_lang.tt_lang_operation``.
        outputs: tensors like the results, from the inputs as tensors without elements: ``lambda x, w: x.new_empty(...)``.
            Without it every result is like the first input.
    """
    return functional(TorchKernel, kernel_id, version_tag, arg_roles, reference, outputs)
