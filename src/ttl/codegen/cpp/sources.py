"""The files of a program."""

from __future__ import annotations

from ttl.codegen.cpp.kernel import KernelFile, kernel_file
from ttl.codegen.cpp.names import identifier
from ttl.dialects.ttkernel import ProgramOp
from ttl.rows.row import Generation


def file_names(program: ProgramOp) -> dict[str, str]:
    """The file of each kernel, by the kernel's name: ``{"read": "read.cpp"}``.

    The names of files differ also on file systems that ignore case, and need no quoting.
    """
    result: dict[str, str] = {}
    taken: set[str] = set()
    for kernel in program.kernels:
        base = identifier(kernel.declared_name, "kernel")
        name, count = base, 1
        while name.lower() in taken:
            name, count = f"{base}_{count}", count + 1
        taken.add(name.lower())
        result[kernel.declared_name] = f"{name}.cpp"
    return result


def kernel_sources(program: ProgramOp, generation: Generation) -> dict[str, str]:
    """The text of every kernel by the name of its file, in the order of the program.

    The same program gives the same text. Raises ``InternalError`` for an operation that passes should have removed.
    """
    return {name: file.text for name, file in kernel_files(program, generation).items()}


def kernel_files(program: ProgramOp, generation: Generation) -> dict[str, KernelFile]:
    """Return the files of ``kernel_sources``, with the places of their lines in the user's program."""
    names = file_names(program)
    return {
        names[kernel.declared_name]: kernel_file(program, kernel, generation) for kernel in program.kernels
    }
