"""Words of a node's memory that the network copies to other nodes: semaphores that nobody waits for."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from ttl.dialects import ttl as dialect
from ttl.passes.marks import MADE_BY, WHY
from ttl.passes.names import Names

_WORD_OF = "ttl.word_of"


def word_of(kernel: dialect.KernelOp, op: Operation) -> str:
    """The name of the word that a kernel sets semaphores of other nodes from; made when it is first asked for."""
    operation = kernel.parent_op()
    assert isinstance(operation, dialect.OperationOp)
    made = [each for each in operation.body.block.ops if isinstance(each, dialect.CreateSemaphoreOp)]
    for each in made:
        if each.attributes.get(_WORD_OF) == kernel.sym_name:
            return each.semaphore_name.data
    names = Names(each.semaphore_name.data for each in made)
    word = dialect.CreateSemaphoreOp(initial_value=0, name=names.unique(f"{kernel.kernel_name}_word"))
    word.location = op.location
    word.attributes |= {
        MADE_BY: StringAttr("compiler"),
        WHY: StringAttr(f"a semaphore from which {kernel.kernel_name} sets those of other nodes"),
        _WORD_OF: kernel.sym_name,
    }
    operation.body.block.insert_op_before(word, operation.kernels[0])
    return word.semaphore_name.data
