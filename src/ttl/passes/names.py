"""Names of the things that a program declares: the user's names, made unique and valid in C++."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xdsl.dialects.builtin import StringAttr

from ttl.dialects import ttl as dialect

_OTHER = re.compile(r"\W+", re.ASCII)
_END = re.compile(r"\W+\Z", re.ASCII)


class UniqueNames:
    """A set of names that are taken, which makes further names unique."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def unique(self, wanted: str) -> str:
        """Take and return ``wanted`` as a unique name that is valid in C++; ``dfbs[0]`` becomes ``dfbs_0``."""
        name = _OTHER.sub("_", _END.sub("", wanted)) or "_"
        if name[0].isdigit():
            name = f"_{name}"
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}_{number}"
        self._taken.add(unique)
        return unique


def name_resources(operation: dialect.OperationOp) -> None:
    """Give buffers, nets, semaphores and kernels of an operation different names."""
    names, kernels = UniqueNames(), UniqueNames()
    for op in operation.body.block.ops:
        match op:
            case dialect.CreateDfbOp():
                if (name := names.unique(op.buffer_name.data)) != op.buffer_name.data:
                    op.rename(name)
            case dialect.CreateSemaphoreOp():
                op.semaphore_name = StringAttr(names.unique(op.semaphore_name.data))
            case dialect.CreatePipeNetOp():
                op.net_name = StringAttr(names.unique(op.net_name.data))
            case dialect.UserKernelOp():
                op.sym_name = StringAttr(kernels.unique(op.kernel_name))
