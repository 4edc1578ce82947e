"""A compiled function of JAX, with the function's arguments and results."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from tt_model.binaries.stored_inputs import named_inputs
from tt_model.runtime.input_files import write_inputs
from tt_model.runtime.problems import RuntimeProblem
from ttmlir.compositions.dimensions import program_shape
from ttmlir.jax.arguments import from_device, to_device
from ttmlir.loaded import LoadedModel

if TYPE_CHECKING:
    import torch

    from tt_model.binaries.binary import Binary
    from ttmlir.ir import Module


def _given(array: npt.NDArray[Any] | None) -> Callable[[], torch.Tensor] | None:
    return None if array is None else partial(to_device, array, array)


class JaxModel(LoadedModel):
    """A binary that runs like the function of JAX from which it was compiled.

    Arguments:
        constants: arrays that the function closed over: inputs of the program after the arguments, which ``run`` passes.
        arguments, results: trees of ``jax.ShapeDtypeStruct``, of the function's arguments and results.
        names: of the arrays in the arguments.
        stored_from: the index of the first constant that is stored in the file; all later ones are stored, too.
    """

    def __init__(
        self,
        binary: Binary,
        *,
        module: Module,
        arguments: Any,
        results: Any,
        constants: Sequence[npt.NDArray[Any]],
        names: Sequence[str],
        stored_from: int,
    ) -> None:
        self.arguments = arguments
        self.results = results
        self.constants = tuple(constants)
        self._stored_from = stored_from
        if constants:
            stored = [None] * (len(names) + stored_from) + list(constants[stored_from:])
            called = [*names, *(f"constant.{number}" for number in range(len(constants)))]
            binary = binary.with_inputs(named_inputs(binary, called, [_given(one) for one in stored]))
        super().__init__(binary, module=module)

    def run(self, *arguments: Any) -> Any:
        """The results of the function for these arguments; ``report`` then has the costs of the run.

        Raises ``RuntimeProblem`` for arguments of another structure, shape or type, and for errors of operations.
        """
        import jax

        wanted, structure = jax.tree.flatten(self.arguments)
        leaves, given = jax.tree.flatten(arguments)
        if str(given) != str(structure):
            raise RuntimeProblem(
                f"the arguments have the structure {given}, but the model expects {structure}"
            )
        tensors = [
            to_device(leaf, like).reshape(program_shape(like.shape))
            for leaf, like in zip(leaves, wanted, strict=True)
        ]
        tensors += [to_device(one, one) for one in self.constants]
        outputs = super().run(*tensors)
        values = outputs if isinstance(outputs, tuple) else (outputs,)
        types, tree = jax.tree.flatten(self.results)
        return jax.tree.unflatten(
            tree, [from_device(one, type) for one, type in zip(values, types, strict=True)]
        )

    def save_weights(self, folder: str | os.PathLike[str]) -> None:
        """Write the constants that are not in the file, as files that ``ttrt run --inputs`` reads.

        Raises ``OSError``.
        """
        tensors = {
            f"constant.{number}": to_device(array, array)
            for number, array in enumerate(self.constants[: self._stored_from])
        }
        write_inputs(folder, tensors)

    __call__ = run
