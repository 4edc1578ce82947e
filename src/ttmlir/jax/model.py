"""A compiled function of JAX: takes and gives what the function does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from ttmlir.jax.arguments import from_device, to_device
from ttmlir.model import LoadedModel

if TYPE_CHECKING:
    from ttmlir.ir import Module
    from ttrt.binary import Binary


class JaxModel(LoadedModel):
    """A binary that runs as the function of JAX does that it was made of.

    Arguments:
        constants: arrays that the function closed over: inputs of the program after the arguments, which ``run`` gives.
        arguments, results: trees of ``jax.ShapeDtypeStruct``, as the function takes and gives them.
    """

    def __init__(
        self,
        binary: Binary,
        *,
        module: Module,
        arguments: Any,
        results: Any,
        constants: Sequence[npt.NDArray[Any]],
    ) -> None:
        super().__init__(binary, module=module)
        self.arguments = arguments
        self.results = results
        self.constants = tuple(constants)

    def run(self, *arguments: Any) -> Any:
        """What the function gives for these arguments; ``report`` says what the run took.

        Raises ``RuntimeProblem`` for arguments of another structure, shape or type, and for what goes wrong at an operation.
        """
        import jax

        from ttmlir.runtime.problems import RuntimeProblem

        wanted, structure = jax.tree.flatten(self.arguments)
        leaves, given = jax.tree.flatten(arguments)
        if str(given) != str(structure):
            raise RuntimeProblem(f"the arguments are {given}, and {structure} is wanted")
        tensors = [to_device(leaf, like) for leaf, like in zip(leaves, wanted, strict=True)]
        tensors += [to_device(one, one, is_argument=False) for one in self.constants]
        outputs = super().run(*tensors)
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        types, tree = jax.tree.flatten(self.results)
        return jax.tree.unflatten(
            tree, [from_device(one, type) for one, type in zip(values, types, strict=True)]
        )

    __call__ = run
