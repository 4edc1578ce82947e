"""The parts of every script besides its module's functions: inputs, a device, results that are kept or compared."""

from __future__ import annotations

HEAD = """\
import argparse
import math
import sys
from pathlib import Path
from typing import NamedTuple

import ttnn
"""

# Names that functions of a module must not have.
NAMES = (
    "argparse", "math", "sys", "Path", "NamedTuple", "ttnn", "torch", "Input", "Output", "Program", "PROGRAMS", "MESH", "random_inputs",
    "loaded", "keep", "check_limits", "as_given", "as_torch", "compared", "options", "run", "device",
)  # fmt: skip

CLASSES = '''\
class Input(NamedTuple):
    """An input: ``rows`` are the rows of the table that its numbers are looked up in, ``limits`` its least and greatest number.

    One that is ``on_device`` is written where it lies.
    """

    name: str
    shape: tuple
    dtype: str
    layout: ttnn.Layout
    rows: int = 0
    limits: tuple = ()
    on_device: bool = False


class Output(NamedTuple):
    shape: tuple
    dtype: str


class Program(NamedTuple):
    """A function, what it takes and what it returns."""

    function: object
    inputs: list
    outputs: list
'''

FRAME = '''\
def random_inputs(program, seed):
    """Numbers of the normal distribution, whole ones of all that there are: those of ``ttrt run --seed``."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    values = []
    for one in program.inputs:
        dtype = getattr(torch, one.dtype)
        if dtype.is_floating_point:
            values.append(torch.randn(list(one.shape), generator=generator).to(dtype))
            continue
        end = min(one.rows or torch.iinfo(dtype).max + 1, torch.iinfo(dtype).max + 1)
        whole = torch.randint(0, end, list(one.shape), generator=generator, dtype=torch.int64)
        values.append((whole % (one.limits[1] + 1) if one.limits else whole).to(dtype))
    return values


def loaded(folder, number, kind, tensors):
    """Tensors of files: ``program_0_input_0.pt`` of ``--save`` or ``ttrt run --save-artifacts``, else ``.bin``, their elements."""
    import torch

    values = []
    for index, one in enumerate(tensors):
        path = Path(folder) / f"program_{number}_{kind}_{index}.pt"
        plain = path.with_suffix(".bin")
        if path.is_file():
            values.append(torch.load(path, weights_only=True))
        elif plain.is_file():
            flat = torch.frombuffer(bytearray(plain.read_bytes()), dtype=getattr(torch, one.dtype))
            if flat.numel() != math.prod(one.shape):
                sys.exit(f"{plain} has {flat.numel()} elements, and {one.shape} are wanted")
            values.append(flat.reshape(one.shape))
        else:
            sys.exit(f"there is no {path} and no {plain.name}: --save FOLDER writes such files")
    return values


def keep(folder, number, kind, tensors):
    """The files that ``loaded`` reads; those that end with .bin are what a C++ project reads."""
    import torch

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for index, values in enumerate(tensors):
        path = folder / f"program_{number}_{kind}_{index}.pt"
        torch.save(values, path)
        path.with_suffix(".bin").write_bytes(values.contiguous().view(torch.uint8).numpy().tobytes())


def check_limits(one, values):
    """Whole numbers of 64 bits are computed in 32, which are enough for inputs within limits. Those with a sign are given by bits."""
    import torch

    least, most = one.limits
    numbers = values
    if not values.dtype.is_floating_point:
        numbers, width = values.to(torch.int64), 8 * values.dtype.itemsize
        if least < 0:
            numbers = numbers - (numbers >> (width - 1)) * 2**width
    if numbers.numel() and not (least <= numbers.min() and numbers.max() <= most):
        sys.exit(
            f"{one.name} has numbers from {numbers.min().item()} to {numbers.max().item()}: whole numbers of 64 bits are computed "
            f"in 32, which are enough for inputs from {least} to {most} (TTL1711)"
        )


def as_given(one, values, device):
    """An input as a tensor of the library, where the program takes it; on each chip where there are several."""
    import torch

    wanted = getattr(torch, one.dtype)
    if tuple(values.shape) != one.shape or values.dtype != wanted:
        shape = "x".join(map(str, values.shape))
        sys.exit(f"{one.name} is {shape} of {values.dtype}, and {one.shape} of {wanted} is wanted")
    if one.limits:
        check_limits(one, values)
    if not wanted.is_floating_point:
        # The library reads the bits of signed numbers.
        values = values.to(torch.int64)
        values = (values - (values >> 31) * 2**32 if wanted.itemsize == 4 else values).to(torch.int32)
    mapper = ttnn.ReplicateTensorToMesh(device) if math.prod(MESH) > 1 else None
    tensor = ttnn.from_torch(
        values, dtype=getattr(ttnn, one.dtype), layout=one.layout, mesh_mapper=mapper
    )
    return ttnn.to_device(tensor, device, memory_config=ttnn.DRAM_MEMORY_CONFIG) if one.on_device else tensor


def as_torch(result, dtype):
    """A result as a tensor of torch; of several chips one above the other, where they differ."""
    import torch

    if math.prod(MESH) > 1:
        parts = [ttnn.to_torch(part) for part in ttnn.get_device_tensors(result)]
        alike = all(torch.equal(part, parts[0]) for part in parts)
        values = parts[0] if alike else torch.stack(parts)
    else:
        values = ttnn.to_torch(result)
    wanted = getattr(torch, dtype)
    if wanted.is_floating_point:
        return values.to(wanted)
    return (values.to(torch.int64) & (2 ** (8 * wanted.itemsize) - 1)).to(wanted)


def compared(name, values, expected, least):
    """Whether a result is as expected: equal, or with a correlation of at least ``least``. It is said how far it is."""
    import torch

    if values.shape != expected.shape:
        print(f"{name}: {tuple(values.shape)}, expected {tuple(expected.shape)}")
        return False
    ours, theirs = values.double().flatten(), expected.double().flatten()
    if torch.equal(ours, theirs) or torch.allclose(ours, theirs, rtol=0, atol=0, equal_nan=True):
        print(f"{name}: equal to what was expected")
        return True
    pair = torch.stack([ours, theirs])
    correlation = float(torch.corrcoef(pair)[0, 1]) if len(ours) > 1 else 0.0
    difference = float((ours - theirs).abs().max())
    print(f"{name}: correlation {correlation:.6f}, largest difference {difference:.6g}")
    return correlation >= least


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", choices=PROGRAMS, default=next(iter(PROGRAMS)), help="which function")
    parser.add_argument("--seed", type=int, default=0, help="of random inputs")
    parser.add_argument("--inputs", metavar="FOLDER", help="where files of inputs are, instead of random ones")
    parser.add_argument("--save", metavar="FOLDER", help="where inputs and results are written")
    parser.add_argument("--expect", metavar="FOLDER", help="where the results are that ours are compared with")
    parser.add_argument("--pcc", type=float, default=0.99, help="the least correlation that passes")
    return parser.parse_args()


def run():
    import torch

    given = options()
    number, program = list(PROGRAMS).index(given.program), PROGRAMS[given.program]
    inputs = (
        loaded(given.inputs, number, "input", program.inputs)
        if given.inputs
        else random_inputs(program, given.seed)
    )
    device = (
        ttnn.open_mesh_device(ttnn.MeshShape(*MESH), l1_small_size=32768)
        if math.prod(MESH) > 1
        else ttnn.open_device(device_id=0, l1_small_size=32768)
    )
    try:
        tensors = [as_given(one, values, device) for one, values in zip(program.inputs, inputs)]
        results = program.function(device, *tensors)
        results = results if isinstance(results, tuple) else (results,)
        outputs = [as_torch(result, one.dtype) for result, one in zip(results, program.outputs)]
    finally:
        ttnn.close_mesh_device(device) if math.prod(MESH) > 1 else ttnn.close_device(device)
    if given.save:
        keep(given.save, number, "input", inputs)
        keep(given.save, number, "output", outputs)
    for index, values in enumerate(outputs):
        print(f"output {index}: {tuple(values.shape)} {values.dtype}, mean {values.double().mean():.6g}")
    if given.expect:
        expected = loaded(given.expect, number, "output", program.outputs)
        passed = [
            compared(f"output {index}", *pair, given.pcc) for index, pair in enumerate(zip(outputs, expected))
        ]
        sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    run()
'''
