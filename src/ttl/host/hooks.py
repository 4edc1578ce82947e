"""What a running operation changes about tensors. The simulator sets ``ACTIVE``; this package only asks."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ttl.host.tensor import Tensor


class TensorHooks(Protocol):
    """How tensors behave while an operation runs."""

    def slice(self, tensor: Tensor, index: Any) -> Any:
        """What ``tensor[index]`` is: a tensor slice, in tiles or elements."""

    def observe(self, tensor: Tensor) -> None:
        """Somebody is about to look at the data: make it up to date."""

    def text(self, tensor: Tensor) -> str:
        """What ``str(tensor)`` is."""


ACTIVE: ContextVar[TensorHooks | None] = ContextVar("ttl_tensor_hooks", default=None)
