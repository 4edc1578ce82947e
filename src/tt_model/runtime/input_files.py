"""Tensors for the inputs of a program in files: a folder of ``.npy`` files, each with the name of its input.

NumPy has no bfloat16: its elements are stored as values of two bytes (``|V2``), like those of ``ml_dtypes``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tt_model.layouts.enums import DataType
from tt_model.runtime.numbers import host_dtype, is_integer
from tt_model.runtime.problems import RuntimeProblem, beyond_limits
from tt_model.runtime.tensors import TensorDescription

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.executor import PreparedProgram

_SUFFIX = ".npy"


def write_inputs(folder: str | os.PathLike[str], tensors: Mapping[str, torch.Tensor]) -> None:
    """Write a file for each tensor. Raises ``OSError``, and ``RuntimeProblem`` for a name that no file can have."""
    import numpy as np
    import torch

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, tensor in tensors.items():
        if not name or "/" in name or "\0" in name:
            raise RuntimeProblem(f"{name!r} cannot be the name of a file")
        values = tensor.detach().cpu().contiguous()
        is_brain = values.dtype is torch.bfloat16
        array = values.view(torch.int16).numpy().view("V2") if is_brain else values.numpy()
        np.save(target / f"{name}{_SUFFIX}", array, allow_pickle=False)


def read_inputs(folder: str | os.PathLike[str], program: PreparedProgram) -> dict[int, torch.Tensor]:
    """Read the tensors of a folder, by the numbers of the inputs, in the types of the program.

    A file has the name of an input in the binary, or ``input_0`` and so on. Raises ``RuntimeProblem`` if ``folder`` is
    not a folder, for a file without an input of its name, and for one with elements of another kind or another shape.
    """
    import numpy as np

    target = Path(folder)
    if not target.is_dir():
        raise RuntimeProblem(f"{target} is not a folder: inputs are files such as {target}/input_0{_SUFFIX}")
    numbers = {f"input_{number}": number for number in range(len(program.inputs))}
    numbers |= {name: number for number, name in program.input_names.items()}
    shapes = program.input_shapes
    tensors: dict[int, torch.Tensor] = {}
    for path in sorted(target.glob(f"*{_SUFFIX}")):
        name = path.name.removesuffix(_SUFFIX)
        number = numbers.get(name)
        if number is None:
            known = ", ".join([*program.input_names.values()] or list(numbers))
            raise RuntimeProblem(f"{path}: {program.name} has no input that is called {name}; it has {known}")
        if number in tensors:
            raise RuntimeProblem(f"{path}: there is another file for input {number} of {program.name}")
        try:
            array = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as problem:
            raise RuntimeProblem(f"{path} is not a file of NumPy: {problem}") from None
        described = program.inputs[number]
        shape = shapes[number]
        if array.shape != shape and not (array.shape == () and shape == (1,)):
            raise RuntimeProblem(f"{path} has the shape {array.shape}, and input {described} is {shape}")
        signed = program.limits.get(number, (0, 0))[0] < 0
        tensors[number] = _tensor(array.reshape(shape), described, path, signed)
    return tensors


def _tensor(array: Any, described: TensorDescription, path: Path, signed: bool) -> torch.Tensor:
    import numpy as np
    import torch

    wanted, kind = described.data_type, array.dtype.kind
    dtype = host_dtype(wanted)
    assert dtype is not None, wanted
    if array.dtype == np.dtype("V2") and wanted is DataType.BFloat16:
        return torch.from_numpy(np.ascontiguousarray(array).view(np.int16)).view(torch.bfloat16)
    if kind == "f" and not is_integer(wanted):
        return torch.from_numpy(np.ascontiguousarray(array)).to(dtype)
    if kind == "b" and wanted is DataType.BFloat16:
        return torch.from_numpy(array).to(dtype)
    if kind in "iu" and is_integer(wanted):
        width = 8 * np.dtype(str(dtype).removeprefix("torch.")).itemsize
        least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
        if array.size and (int(array.min()) < least or int(array.max()) > most):
            raise beyond_limits(
                f"{path} has numbers from {int(array.min())} to {int(array.max())}, and input {described} holds those from "
                f"{least} to {most}"
            )
        return torch.from_numpy(array.astype(np.int64) & ((1 << width) - 1)).to(dtype)
    raise RuntimeProblem(
        f"{path} is of {array.dtype}, and input {described} is {wanted.keyword}: save it as "
        f"{'whole numbers' if is_integer(wanted) else 'floats'}"
    )
