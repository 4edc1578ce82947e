"""A compiled module of PyTorch: it is called like the module, and has its weights."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from tt_model.binaries.stored_inputs import named_inputs
from tt_model.integers.kinds import held_tensor, kind_of_dtype, tensor_as_given
from tt_model.runtime.input_files import write_inputs
from tt_model.runtime.problems import RuntimeProblem, beyond_limits
from ttmlir.compositions.dimensions import program_shape
from ttmlir.loaded import LoadedModel

if TYPE_CHECKING:
    import torch

    from tt_model.binaries.binary import Binary
    from ttmlir.ir import Module

ArgumentKind = Literal["input", "weight", "constant"]


@dataclass(frozen=True, slots=True)
class ModelArgument:
    """An argument of the program: its name in the module, its kind, and its type in torch."""

    name: str
    kind: ArgumentKind
    dtype: torch.dtype


@dataclass(frozen=True, slots=True)
class OutputLeaf:
    """A value that the module returns: the result of the program with the number ``index``, or ``value`` if that is None."""

    index: int | None
    value: Any = None
    shape: tuple[int, ...] = ()
    dtype: torch.dtype | None = None


@dataclass(frozen=True, slots=True)
class CallTrees:
    """The structures of the module's inputs and outputs, as trees of torch.

    ``fixed`` has for each leaf of the inputs its value when the module was traced; None for tensors.
    """

    inputs: Any
    fixed: tuple[Any, ...]
    outputs: Any
    leaves: tuple[OutputLeaf, ...]


@dataclass(frozen=True, slots=True)
class _HeldView:
    """A tensor of the module, its address and strides when it was read, and a view of it in the program's form."""

    of: torch.Tensor
    pointer: int
    shape: torch.Size
    strides: tuple[int, ...]
    view: torch.Tensor

    def holds(self) -> bool:
        """Whether the tensor still has the address, shape and strides that were recorded."""
        of = self.of
        return of.data_ptr() == self.pointer and of.shape == self.shape and of.stride() == self.strides


class TorchModel(LoadedModel):
    """A compiled module. ``run`` takes the arguments of the module and returns its results, in the same structure; inputs and buffers that
    the module overwrites have the new values afterwards.

    ``arguments`` are those of the program, in order. ``weights`` are the module's own tensors by their names: changes of them
    take effect here, and they may be replaced by tensors of the same shapes and types.
    """

    def __init__(
        self,
        binary: Binary,
        module: Module,
        arguments: Sequence[ModelArgument],
        held: Mapping[str, torch.Tensor],
        trees: CallTrees,
        written: Mapping[str, OutputLeaf] = MappingProxyType({}),
    ) -> None:
        self.arguments = tuple(arguments)
        super().__init__(_with_inputs(binary, self.arguments, held), module=module)
        self.weights = {one.name: held[one.name] for one in arguments if one.kind == "weight"}
        self._constants = {one.name: held[one.name] for one in arguments if one.kind == "constant"}
        self._trees = trees
        self._written = dict(written)
        self._views: dict[str, _HeldView] = {}
        # How many arguments the model takes, where all of them are tensors.
        self._plain = _plain_count(trees)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The results of the module for these inputs; ``report`` then has the costs of the run.

        Raises ``RuntimeProblem`` for inputs of another structure, shape or type, and for weights without elements.
        """
        given = super().run(*self._inputs_of(args, kwargs, with_constants=False))
        results = given if isinstance(given, tuple) else (given,)
        if self._written:
            self._write_back(results, args, kwargs)
        return self.nested(results)

    __call__ = run

    def program_inputs(self, *args: Any, **kwargs: Any) -> list[torch.Tensor]:
        """The tensors that the program takes for a call: inputs, weights and constants. Raises ``RuntimeProblem``."""
        return self._inputs_of(args, kwargs, with_constants=True)

    def _inputs_of(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, with_constants: bool
    ) -> list[torch.Tensor]:
        """The tensors of a call. The binary has the constants, too."""
        inputs = iter(self._tensors_of(args, kwargs))
        tensors = []
        for argument in self.arguments:
            if argument.kind == "input":
                value = next(inputs, None)
                if value is None:
                    raise RuntimeProblem(f"there is no tensor for input {argument.name}")
                tensors.append(_for_device(argument, value))
            elif with_constants or argument.kind == "weight":
                tensors.append(self._held_tensor(argument))
        return tensors

    def _tensors_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Sequence[torch.Tensor]:
        """Return the tensors among the arguments of a call.

        Raises ``RuntimeProblem`` for another structure, and for another value of an input that is part of the model.
        """
        import torch
        from torch.utils import _pytree

        if not kwargs and len(args) == self._plain and all(isinstance(one, torch.Tensor) for one in args):
            return args
        leaves, tree = _pytree.tree_flatten((args, kwargs))
        if tree != self._trees.inputs:
            raise RuntimeProblem(
                f"the model was compiled for {_structure(self._trees.inputs)}, and is called with {_structure(tree)}"
            )
        for leaf, fixed in zip(leaves, self._trees.fixed, strict=True):
            if fixed is not None and leaf != fixed:
                raise RuntimeProblem(
                    f"the model was compiled for the input {fixed!r} (part of the model), but is called with {leaf!r}: compile it for that"
                )
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def _held_tensor(self, argument: ModelArgument) -> torch.Tensor:
        """Return a weight or constant in the form that the program takes.

        As long as the module's tensor stays in place and can be viewed in that form, every run gets the same view.
        """
        name = argument.name
        value = (self.weights if argument.kind == "weight" else self._constants).get(name)
        if value is None:
            raise RuntimeProblem(f"there is no tensor for {argument.kind} {name}")
        before = self._views.get(name)
        if before is not None and before.of is value and before.holds():
            return before.view
        view = _for_device(argument, value)
        if value.device.type == "cpu" and view.data_ptr() == value.data_ptr():
            self._views[name] = _HeldView(value, value.data_ptr(), value.shape, value.stride(), view)
        return view

    def _write_back(self, results: Sequence[torch.Tensor], args: Any, kwargs: Any) -> None:
        """Copy the values that the module wrote, such as a cache of keys, from the results to inputs and buffers."""
        import torch
        from torch.utils import _pytree

        leaves = [one for one in _pytree.tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        inputs = dict(zip((one.name for one in self.arguments if one.kind == "input"), leaves))
        with torch.no_grad():
            for name, leaf in self._written.items():
                assert leaf.index is not None
                (inputs if name in inputs else self.weights)[name].copy_(_for_user(results[leaf.index], leaf))

    def save_weights(self, folder: str | os.PathLike[str]) -> None:
        """Write the weights as files that ``ttrt run --inputs`` reads, named like the weights. Raises ``OSError``, ``RuntimeProblem``."""
        kinds = [one for one in self.arguments if one.kind == "weight"]
        write_inputs(folder, {one.name: _for_device(one, self.weights[one.name]) for one in kinds})

    def nested(self, results: Sequence[torch.Tensor]) -> Any:
        """The results of the program as the module returns them."""
        from torch.utils import _pytree

        outputs = self._trees.outputs
        if outputs.is_leaf():
            (only,) = self._trees.leaves
            return only.value if only.index is None else _for_user(results[only.index], only)
        leaves = [
            leaf.value if leaf.index is None else _for_user(results[leaf.index], leaf)
            for leaf in self._trees.leaves
        ]
        return _pytree.tree_unflatten(leaves, outputs)


def _with_inputs(
    binary: Binary, arguments: Sequence[ModelArgument], held: Mapping[str, torch.Tensor]
) -> Binary:
    """Return the binary with the names of its inputs and the known tensors; unchanged if the user passes all inputs."""
    if all(argument.kind == "input" for argument in arguments):
        return binary
    tensors = [
        partial(_for_device, argument, held[argument.name]) if argument.kind == "constant" else None
        for argument in arguments
    ]
    return binary.with_inputs(named_inputs(binary, [one.name for one in arguments], tensors))


def _plain_count(trees: CallTrees) -> int | None:
    """Return the number of arguments of a model whose arguments are all single tensors; None for other models."""
    from torch.utils import _pytree

    count = len(trees.fixed)
    plain = _pytree.tree_structure((tuple(trees.fixed), {}))
    return count if plain == trees.inputs and not any(one is not None for one in trees.fixed) else None


def _structure(tree: Any) -> str:
    args, kwargs = tree.unflatten(["tensor"] * tree.num_leaves)
    named = [f"{name}={value}" for name, value in kwargs.items()]
    return f"({', '.join([*map(str, args), *named])})".replace("'", "")


def _for_device(argument: ModelArgument, value: torch.Tensor) -> torch.Tensor:
    import torch

    what = f"{argument.kind} {argument.name}"
    is_as_on_device = value.dtype is torch.uint32 and argument.dtype in (torch.int32, torch.int64)
    if value.dtype is not argument.dtype and not is_as_on_device:
        raise RuntimeProblem(
            f"{what} is of {value.dtype}, and {argument.dtype} is expected: pass tensor.to({argument.dtype})"
        )
    if value.device.type == "meta":
        raise RuntimeProblem(
            f"{what} has no elements, only a shape: put tensors into .weights, such as model.weights.update(state_dict)"
        )
    value = value.detach().cpu().reshape(program_shape(value.shape))
    if value.dtype is torch.bool:
        return value.to(torch.bfloat16)
    if value.dtype.is_floating_point or value.dtype in (torch.uint16, torch.uint32):
        return value
    kind = kind_of_dtype(argument.dtype)
    assert kind is not None
    try:
        return held_tensor(value, kind)
    except ValueError as problem:
        raise beyond_limits(f"{what} has {problem}") from None


def bytes_for_device(argument: ModelArgument, value: torch.Tensor) -> bytes:
    """The bytes of an argument's elements, row by row, as the device gets them. Raises ``RuntimeProblem``."""
    import torch

    held: bytes = _for_device(argument, value).contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return held


def _for_user(result: torch.Tensor, leaf: OutputLeaf) -> torch.Tensor:
    import torch

    if result.shape != leaf.shape:
        result = result.reshape(leaf.shape)
    if leaf.dtype is torch.bool:
        return result != 0
    kind = kind_of_dtype(leaf.dtype)
    if kind is not None:
        return tensor_as_given(result, kind)
    return result if leaf.dtype is None else result.to(leaf.dtype)
