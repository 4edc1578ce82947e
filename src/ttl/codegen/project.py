"""A stand-alone folder with the compiled operation, to continue by hand."""

from __future__ import annotations

from ttl.codegen.description import CircularBufferDescription, ProgramDescription, to_json
from ttl.codegen.host_program import host_program
from ttl.codegen.identifiers import unique_names
from ttl.codegen.script import script
from ttl.emitc.project import StandaloneProject, table

KERNELS = "kernels"
_SHAPES = {"tile": "tiled", "row_major": "row-major"}


def project_files(description: ProgramDescription) -> dict[str, str]:
    """The files of the folder: relative path to text."""
    (name,) = unique_names([description.name])
    if description.mesh:
        return {
            **{f"{KERNELS}/{kernel.file}": kernel.source for kernel in description.kernels},
            "program.json": to_json(description, sources="files"),
            "run.py": script(description, kernels=KERNELS),
            "README.md": _readme(description, name),
        }
    return StandaloneProject(
        program=name,
        entry="host.cpp",
        sources={
            **{f"{KERNELS}/{kernel.file}": kernel.source for kernel in description.kernels},
            "program.json": to_json(description, sources="files"),
            "run.py": script(description, kernels=KERNELS),
            "host.cpp": host_program(description),
        },
        page=_readme(description, name),
        cmake="3.22",
        needs="find_package(TT-Metalium REQUIRED)\n",
        links=f"""\
target_compile_definitions({name} PRIVATE KERNELS="${{CMAKE_CURRENT_SOURCE_DIR}}/{KERNELS}")
target_link_libraries({name} PRIVATE TT::Metalium)
""",
    ).files()


def _readme(description: ProgramDescription, program: str) -> str:
    columns, rows = description.grid
    tensors = table(
        ("tensor", "shape", "type", "where"),
        (
            (
                f"`{tensor.name}`",
                "x".join(map(str, tensor.shape)),
                tensor.dtype,
                f"{_SHAPES[tensor.layout]}, {tensor.memory.upper()}, {tensor.memory_layout.replace('_', '-')}",
            )
            for tensor in description.tensors
        ),
    )
    kernels = table(
        ("kernel", "runs on", "common arguments"),
        (
            (
                f"`{KERNELS}/{kernel.file}`",
                _runs_on(kernel.processor, kernel.noc),
                ", ".join(map(str, kernel.common_args)) or "none",
            )
            for kernel in description.kernels
        ),
    )
    buffers = table(
        ("circular buffer", "name", "size", "type", "made"),
        (
            (
                buffer.index,
                f"`{buffer.name}`",
                f"{buffer.pages} x {buffer.page_bytes} bytes",
                buffer.dtype,
                _purpose(buffer),
            )
            for buffer in description.circular_buffers
        ),
    )
    semaphores = "".join(
        f"\nSemaphore {semaphore.id} is `{semaphore.name}`; it starts at {semaphore.initial}."
        for semaphore in description.semaphores
    )
    return (
        f"""\
# {description.name}

The operation `{description.name}`, compiled for {columns}x{rows} nodes of {_chips(description)} and the kernel API of \
ttnn {description.generation}. Nothing in here needs the compiler any more.

## Run it

With Python and the real ttnn: `python run.py`. It makes tensors of zeros and launches the program; `run.py` is imported to
launch it on tensors of your own, `from run import run`. Without a card, on the emulated chip: `ttl run run.py`.

{_with_cpp(description, program)}

## Carry on

- The arithmetic and the order of things are in `{KERNELS}/`. Loops and constants are those of the tensors below: for other
  shapes, change them there.
- Blocks, block counts and formats are circular buffers, in `run.py` and `host.cpp` both. A circular buffer holds a whole
  number of blocks, and no block may cross its end.
- An argument that a kernel reads with `get_common_arg_val` is in `common_runtime_args` (Python) and in the list given to
  `SetCommonRuntimeArgs` (C++), in the same order.
- `program.json` is the same program as data; nothing in this folder reads it.

## What there is

{tensors}

{kernels}

{buffers}
{semaphores}
""".rstrip()
        + "\n"
    )


def _chips(description: ProgramDescription) -> str:
    if not description.mesh:
        return f"a {description.chip} chip"
    return f"each of {'x'.join(map(str, description.mesh))} {description.chip} chips"


def _with_cpp(description: ProgramDescription, program: str) -> str:
    if description.mesh:
        return (
            "Which links a node uses, and what its first arguments are, is in `LINKS` of `run.py`: of another system of chips these may\n"
            "be others (`ttl compile --system`). A host program in C++ is written for one chip only."
        )
    return (
        f"With C++ and an installed TT-Metalium: `cmake -B build && cmake --build build`, then `build/{program}`.\n"
        "`host.cpp` says where to write and to read the tensors."
    )


def _runs_on(processor: str | None, noc: int | None) -> str:
    return "the compute processors" if processor is None else f"{processor.upper()}, NoC {noc}"


def _purpose(buffer: CircularBufferDescription) -> str:
    said = f"by the {'compiler' if buffer.made_by == 'compiler' else 'program'}"
    if buffer.why:
        said += f": {buffer.why}"
    if buffer.memory is not None:
        return (
            f"{said}; it is the memory of the shards of `{buffer.memory}`, from byte {buffer.byte_offset} on"
        )
    return said if buffer.shares is None else f"{said}; uses the memory of `{buffer.shares}`"
