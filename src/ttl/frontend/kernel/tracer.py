"""An operation while it is read: the execution behind the language that emits operations of the dialect.

Public functions are called as in a run; the tracer records the steps that a run would take at once.
"""

from __future__ import annotations

import ast
from typing import Any, Literal, NoReturn

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Region, SSAValue

from ttl.arch import Chip
from ttl.diag import Diagnostic, ProgramError
from ttl.dialects import ttl as ir
from ttl.dialects.compute import A_FRACTION, AN_INTEGER
from ttl.frontend import refusals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel import external
from ttl.frontend.kernel.builder import Builder, new_block, region
from ttl.frontend.kernel.nets import Nets, TracedDstPipe, TracedNet, TracedSrcPipe
from ttl.frontend.kernel.objects import (
    TracedBlock,
    TracedBuffer,
    TracedExpr,
    TracedReceive,
    TracedTransfer,
    TracedView,
)
from ttl.frontend.kernel.resets import TracedResets
from ttl.frontend.kernel.semaphores import TracedSemaphore
from ttl.frontend.kernel.slicing import Slices, TracedSlice, known_index
from ttl.frontend.kernel.trace import OperationTrace
from ttl.frontend.reals import NodeFloat, as_real, constant
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, compare
from ttl.frontend.stop import Reject, static_needed
from ttl.frontend.values import same
from ttl.host.tensor import Tensor
from ttl.lang import arguments
from ttl.lang.check import fail
from ttl.lang.extern_calls import ExternCall, NamedKernel
from ttl.lang.pipe import PipeNet
from ttl.lang.resets import DFBReset
from ttl.lang.unshaped import Unshaped
from ttl.lang.unshaped import applied as applied_unshaped
from ttl.protocol.blocks import LARGEST_INDEX, KernelKind, Step
from ttl.rows.params import is_of_node
from ttl.rows.row import Op, Params
from ttl.rows.rules import NOT_WHOLE
from ttl.rows.table import ADD
from ttl.rows.types import BlockType
from ttl.rules import backing, blocks, buffers, copies, elements, pipes, stores, views
from ttl.rules.distribution import Distribution
from ttl.rules.expressions import operand_note
from ttl.rules.labels import BUFFER_MADE, held
from ttl.source.calls import operands_of


class Tracer(OperationTrace):
    """The ``Execution`` and the ``TensorHooks`` while one operation is read."""

    def __init__(self, reader: Evaluator, builder: Builder, grid: tuple[int, ...], chip: Chip) -> None:
        super().__init__(reader, builder, grid, chip)
        self.slices = Slices(self)
        self.nets = Nets(self)
        self.buffers: list[TracedBuffer] = []
        self._semaphores = 0
        self._groups: dict[object, int] = {}
        self.waits_for_any = False
        """Whether any kernel waits for the first of several receives; its result may index lists of any members."""
        self.kernels: list[tuple[str, str]] = []
        """Names and kinds of the kernels, once the body has been read."""
        self._resets = TracedResets(self, self.buffers, self.kernels)

    # --- the Execution protocol -------------------------------------------------------------------------------

    @property
    def node_index(self) -> NoReturn:
        """Refuse to return the index of the node, which is known on the node only."""
        raise static_needed("the current node")

    def shard_part(self, tensor: Tensor, index: tuple[Any, ...], of: Distribution) -> TracedSlice:
        """Return the slice of a tensor with the distribution ``of``, as a part of the node's shard."""
        return self.slices.slice(tensor, index, of)

    def add_kernel(
        self, function: Any, kind: KernelKind, selector: NamedKernel | None = None, noc: int | None = None
    ) -> NoReturn:
        """Not called, because the evaluator finds the kernels."""
        raise AssertionError((function, kind, selector, noc))

    def other_than(self, selector: NamedKernel) -> str | None:
        """The kernel that a selector names, if it is not the kernel that is being read; else None."""
        name = self.selected.get(selector)
        return None if name == self.kernel else name

    def make_buffer(
        self, type: BlockType, block_count: int, placement: buffers.BufferPlacement, likeness: Tensor | None
    ) -> TracedBuffer:
        """Make a dataflow buffer of the operation."""
        self.require_body("dataflow buffer made")
        name = self.target or f"buffer {len(self.buffers)}"
        group = (
            None if placement.group is None else self._groups.setdefault(placement.group, len(self._groups))
        )
        shared = placement.conflict((buffer.name, buffer.placement) for buffer in self.buffers)
        if shared is not None:
            fail(shared)
        memory = placement.backing
        result = self.emit(
            ir.CreateDfbOp(
                type=ir.DataflowBufferType.of(type, block_count),
                name=name,
                scope=placement.scope,
                group=group,
                memory=None if memory is None else self.slices.argument(memory.tensor),
                byte_offset=0 if memory is None else memory.byte_offset,
            )
        )
        buffer = TracedBuffer(self, result.result, type, block_count, name, self.here(), likeness)
        buffer.placement = placement
        self.buffers.append(buffer)
        return buffer

    def name_first(self, name: str, value: Any) -> None:
        """Name a buffer that was made without a name after the first variable to which it is assigned."""
        if isinstance(value, TracedBuffer) and value.name == f"buffer {self.buffers.index(value)}":
            value.rename(name)

    def name_members(self, name: str, container: Any) -> None:
        """Name buffers and nets that were made for a container after their positions in it."""
        pairs = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in pairs:
            if isinstance(value, TracedBuffer) and value.name == name:
                value.rename(f"{name}[{key!r}]")
            self.nets.rename(value, name, f"{name}[{key!r}]")

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> TracedExpr:
        """A block expression, for which the blocks among the operands are read."""
        # Numbers become values of the IR after the rule has checked their range.
        if any(map(is_of_node, params)):
            return self._later(op, operands, params)
        if any(isinstance(item, Unshaped) for item in operands):
            return applied_unshaped(op, operands, params)  # type: ignore[return-value]
        values: list[SSAValue | int | float] = []
        types: list[Any] = []
        if self.kind != "compute":
            arguments.refuse_arithmetic(self, op, operands)
        for position, operand in enumerate(operands):
            if isinstance(operand, TracedExpr | TracedBlock | TracedView):
                values.append(self.read(operand).ssa)
                types.append(operand.type)
            elif isinstance(operand, NodeInteger | NodeFloat | NodeRatio):
                values.append(_number_of(operand))
                types.append(_stand_in(operand))
            elif isinstance(operand, NodeCondition):
                fail(refusals.no_truth_value(op.label))
            else:
                number = arguments.number(self, op, position, operand)
                values.append(number)
                types.append(number)
        result = op.infer(tuple(types), params)
        if isinstance(result, Diagnostic):
            if result.code == NOT_WHOLE and any(isinstance(item, NodeFloat | NodeRatio) for item in operands):
                fail(refusals.may_be_a_fraction(op.label))
            texts = tuple(ast.unparse(expression) for expression in operands_of(self.place()))
            fail(result.noting(*operand_note(op, types, texts)))
        given = [value if isinstance(value, SSAValue) else self.builder.number(value) for value in values]
        new = self.emit(ir.COMPUTE[op.name](given, params, result))
        return TracedExpr(self, new.result, result)

    def _later(self, op: Op, operands: tuple[Any, ...], params: Params) -> TracedExpr:
        """An operation with a parameter that is known on the node only, which is allowed for fills."""
        known = tuple(_stand_in(param) if is_of_node(param) else param for param in params)
        if op.family != "fill":
            raise static_needed("a parameter of an operation")
        result = op.infer(operands, known)
        if isinstance(result, Diagnostic):
            fail(result)
        number, *rest = params
        new = self.emit(ir.COMPUTE[op.name]([_number_of(number)], (None, *rest), result))
        return TracedExpr(self, new.result, result)

    def copy(self, src: Any, dst: Any) -> TracedTransfer:
        """A copy."""
        arguments.match_copy(self, src, dst)
        directions: tuple[tuple[Any, Any, copies.Direction], ...] = ((src, dst, "into"), (dst, src, "from"))
        for part, block, direction in directions:
            if isinstance(block, TracedBlock):
                self._require_own(block)
                if direction == "into":
                    _require_not_resident(block)
            if isinstance(part, TracedSlice):
                arguments.match_slice(self, part, block, direction)
            elif isinstance(part, TracedSrcPipe | TracedDstPipe):
                arguments.require_active(self, part, active=part.active)
        handle = self.emit(ir.CopyOp(src.ssa, dst.ssa)).result
        if isinstance(src, TracedDstPipe):
            return TracedReceive(self, handle, dst.buffer, src.net)
        return TracedTransfer(self, handle)

    def wait_any(self, requests: Any, start: Any) -> Any:
        """Return the number of the first of several receives that is complete; a wait for that receive follows."""
        arguments.match_requests(self, requests, known_index(start))
        finding = pipes.match_distinct(
            [
                (
                    request.ssa,
                    request.buffer,
                    request.buffer.name,
                    request.net,
                    self.nets.name_of(request.net),
                )
                for request in requests
            ]
        )
        if finding is not None:
            fail(finding)
        count = len(requests)
        op = self.emit(ir.WaitAnyOp([request.ssa for request in requests], self.builder.index(start % count)))
        op.result.name_hint = "first"
        self.waits_for_any = True
        first = self.builder.atom(op.result, 0, count - 1)
        for number, request in enumerate(requests):
            is_first = compare("eq", first, number)
            if is_first is True:
                request.wait()
                continue
            tested = is_first.ssa()
            with self.builder.inside(new_block()) as block:
                request.wait()
                self.emit(scf.YieldOp())
            self.emit(scf.IfOp(tested, [], region(block), Region()))
        return first

    def element_read(self, block: Any, coordinates: tuple[Any, ...]) -> Any:
        """One element of a block: a float of the node."""
        where = self._element(elements.READ, block, coordinates)
        read = self.emit(ir.ElementReadOp(block.ssa, where))
        return NodeFloat(self.builder, read.result, frozenset(self.builder.open_loops))

    def element_write(self, block: Any, coordinates: tuple[Any, ...], value: Any) -> None:
        """Write one element of a block."""
        where = self._element(elements.WRITE, block, coordinates)
        _require_not_resident(block)
        real = as_real(value)
        if real is None and not elements.is_value(value):
            fail(elements.no_value(value, len(coordinates)))
        number = constant(self.builder, float(value)) if real is None else real.ssa
        self.emit(ir.ElementWriteOp(block.ssa, where, number))

    def index_read(self, block: Any, coordinates: tuple[Any, ...]) -> Any:
        """One element of a block read as an index: an integer of the node."""
        where = self._element(elements.INDEX, block, coordinates)
        read = self.emit(ir.ReadIndexOp(block.ssa, where))
        return self.builder.atom(read.result, 0, LARGEST_INDEX)

    def _element(self, function: str, block: Any, coordinates: tuple[Any, ...]) -> list[SSAValue]:
        shown = tuple(map(known_index, coordinates))
        reserved = block.reserved if isinstance(block, TracedBlock) else None
        arguments.match_element(self, function, block, shown, reserved=reserved)
        self._require_own(block)
        return [self.builder.index(coordinate) for coordinate in coordinates]

    def pipe_net(self, net: PipeNet[Any]) -> TracedNet:
        """A net, for its condition functions."""
        return TracedNet(self.nets, net)

    def register_net(self, net: PipeNet[Any]) -> None:
        """Register a net."""
        self.nets.register(net)

    def new_semaphore(self, initial: int) -> NoReturn:
        """Not called: ``semaphore`` makes semaphores."""
        raise AssertionError(initial)

    def signpost(self, name: str, enter: bool) -> NoReturn:
        """Not called: signposts are ``TracedSignpost``."""
        raise AssertionError((name, enter))

    def call_extern(self, call: ExternCall) -> Any:
        """Record a call of C++ and its steps on blocks."""
        return external.record(self, self.slices, call)

    # --- the TensorHooks protocol -----------------------------------------------------------------------------

    def observe(self, tensor: Tensor) -> NoReturn:
        """Refuse to read data of tensors, which do not exist yet."""
        raise Reject(refusals.data_used_in_kernel() if self.in_kernel() else refusals.data_used())

    def slice(self, tensor: Tensor, index: Any) -> TracedSlice:
        """``tensor[index]`` in a kernel."""
        return self.slices.slice(tensor, index)

    def text(self, tensor: Tensor) -> str:
        """Return the text of ``str(tensor)``."""
        return f"tensor of shape {tuple(tensor.shape)}"

    # --- steps of kernels ---------------------------------------------------------------------------------------

    def acquire(self, buffer: TracedBuffer, *, reserve: bool) -> TracedBlock:
        """``reserve`` or ``wait``."""
        if self.kernel is None:
            fail(buffers.outside_kernel("reserve" if reserve else "wait", buffer.name))
        result = self.emit((ir.DfbReserveOp if reserve else ir.DfbWaitOp)(buffer.ssa))
        block = TracedBlock(self, buffer, result.result, self.kernel, reserve, self.here())
        buffer.held.append(block)
        return block

    def publish(self, buffer: TracedBuffer) -> None:
        """``publish``: every block is reserved, counts as filled, and is pushed."""
        if self.kernel is None:
            fail(buffers.outside_kernel("publish", buffer.name))
        moves = self.kind == "data movement"
        is_backed = buffer.placement.backing is not None
        finding = backing.publish(buffer.name, is_backed=is_backed, moves_data=moves, what=self.what)
        if finding is not None:
            fail(finding)
        body, count = self.builder.block, buffer.block_count
        if count > 1:
            body = new_block(IndexType())
        with self.builder.inside(body), self.builder.looping():
            block = self.emit(ir.DfbReserveOp(buffer.ssa)).result
            self.emit(ir.DfbResidentOp(block))
            self.emit(ir.DfbPushOp(block, how="explicit"))
            if count > 1:
                self.emit(affine.YieldOp.get())
        if count > 1:
            self.emit(affine.ForOp.from_region([], [], [], [], 0, count, region(body), 1))

    def reset(self, reset: DFBReset, dfbs: Any) -> None:
        """A reset: tokens of the data movement kernels, which the compute kernel takes (``ttl.sim.resets``)."""
        self._resets.reset(reset, dfbs)

    def known_shape(self, tensor: Tensor) -> tuple[int, ...]:
        """The extents of a tensor."""
        if not all(isinstance(extent, int) for extent in tensor.shape):
            raise static_needed("the shape of a tensor that is distributed, or whose memory a buffer is,")
        return tuple(tensor.shape)

    def release(self, block: TracedBlock, *, push: bool, how: Literal["explicit", "with"]) -> None:
        """``push`` or ``pop``."""
        self._require_own(block)
        self.emit((ir.DfbPushOp if push else ir.DfbPopOp)(block.ssa, how=how))
        if block in block.buffer.held:
            block.buffer.held.remove(block)

    def read(self, block: Any) -> Any:
        """Return the current value of a block as an expression; an expression is returned unchanged."""
        if isinstance(block, TracedView):
            self._require_own(block.block)
            read = ir.BlockReadOp(block.block.ssa, self._offsets(block), block.shape)
            return TracedExpr(self, self.emit(read).result, block.type)
        if not isinstance(block, TracedBlock):
            return block
        self._require_own(block)
        return TracedExpr(self, self.emit(ir.BlockReadOp(block.ssa)).result, block.type)

    def nothing_held(self, buffer: TracedBuffer, *, push: bool) -> NoReturn:
        """Report the older ``push()`` or ``pop()`` of a buffer without a block."""
        fail((buffers.nothing_to_push if push else buffers.nothing_to_pop)(buffer.name))

    def view(self, of: TracedBlock | TracedView, index: Any) -> TracedView:
        """``blk[index]``: a part of a block, or of a part."""
        buffer = of.buffer.name
        entries = views.entries_of(_known_of(index), of.type, buffer)
        if isinstance(entries, Diagnostic):
            fail(entries)
        finding = views.partial_error(entries, of.type, buffer)
        if finding is not None:
            fail(finding)
        given = iter(_slices(index))
        inner = [entry if _is_all(entry) else next(given) for entry in entries]
        starts = [0 if entry.start is None else entry.start for entry in inner]
        stops = [
            extent if entry.stop is None else entry.stop
            for entry, extent in zip(inner, of.type.shape, strict=True)
        ]
        sizes = [stop - start for start, stop in zip(starts, stops, strict=True)]
        for axis, (size, extent) in enumerate(zip(sizes, of.type.shape, strict=True)):
            if not isinstance(size, int):
                fail(views.of_varying_size(axis))
            if not 1 <= size <= extent:
                fail(views.outside(0, int(size), axis, of.type, buffer))
        if isinstance(of, TracedView):
            starts = [start + outer for start, outer in zip(starts, of.starts, strict=True)]
        block = of.block if isinstance(of, TracedView) else of
        return TracedView(block, tuple(starts), tuple(map(int, sizes)))

    def require_same(self, of: TracedBlock | TracedView, index: Any, value: Any) -> None:
        """Check ``blk[index] = value``, which is only allowed as the end of ``blk[index] += expr``."""
        block = of.block if isinstance(of, TracedView) else of
        if isinstance(value, TracedView) and value.block is block:
            part = self.view(of, index)
            if part.shape == value.shape and same(part.starts, value.starts):
                return
        fail(views.assigned(block.buffer.name))

    def _offsets(self, view: TracedView) -> list[SSAValue]:
        """The start of a part in the IR; empty if the part is the whole block."""
        if view.type is view.block.type:
            return []
        return [self.builder.index(start) for start in view.starts]

    def store(self, block: TracedBlock | TracedView, expr: Any, *, accumulate: bool) -> None:
        """``blk.store(expr)`` or ``blk += expr``."""
        whole = block.block if isinstance(block, TracedView) else block
        self._require_own(whole)
        if self.kind != "compute":
            self._fail_about(
                whole, blocks.wrong_kernel_kind(Step.STORE, block.buffer.name, self.kernel or "")
            )
        if isinstance(expr, Unshaped):
            expr = expr.shaped(block.shape)
        if not isinstance(expr, TracedExpr | TracedBlock | TracedView):
            arguments.refuse_store(self, expr, block)
        _require_not_resident(whole)
        value = self.read(expr).ssa
        offsets: list[SSAValue] = []
        if isinstance(block, TracedView):
            finding = views.match_store(expr.type, block.buffer.name, block.text, block.type)
            if finding is not None:
                fail(finding)
            offsets = self._offsets(block)
        else:
            arguments.match_store(self, expr.type, block)
        self.emit((ir.BlockAccumulateOp if accumulate else ir.BlockStoreOp)(whole.ssa, value, offsets))

    def add_to(self, block: TracedBlock | TracedView, expr: Any) -> None:
        """``blk += expr``. For a block that was waited for, ``blk + expr``, which is stored, must be a valid sum."""
        whole = block.block if isinstance(block, TracedView) else block
        try:
            is_sum = not whole.reserved and isinstance(expr, TracedExpr | TracedBlock | TracedView)
            if is_sum and isinstance(ADD.infer((block.type, expr.type), ()), Diagnostic):
                self.apply(ADD, (block, expr), ())
            self.store(block, expr, accumulate=True)
        except ProgramError as refused:
            told = (stores.into_the_block(finding, block.buffer.name) for finding in refused.diagnostics)
            raise type(refused)(*told) from None

    def semaphore(self, value: int) -> TracedSemaphore:
        """``ttl.Semaphore(value)``."""
        self.require_body("semaphore made")
        name = self.target or f"semaphore {self._semaphores}"
        self._semaphores += 1
        result = self.emit(ir.CreateSemaphoreOp(initial_value=value, name=name))
        return TracedSemaphore(self, result.result)

    # --- helpers ----------------------------------------------------------------------------------------------

    def _require_own(self, block: TracedBlock) -> None:
        if block.kernel != self.kernel and self.kernel is not None:
            fail(blocks.foreign(block.buffer.name, block.kernel, self.kernel))

    def _fail_about(self, block: TracedBlock, finding: Diagnostic | None) -> NoReturn:
        """Report an error about a block, and say where it was acquired."""
        assert finding is not None
        fail(finding.also(block.span, held("reserve" if block.reserved else "wait")))

    # --- questions of ``ttl.lang.arguments`` ---------------------------------------------------------------------

    @property
    def kernel_kind(self) -> KernelKind | None:
        """The kind of the kernel that is being read; None in the operation's body."""
        return self.kind

    def likeness(self, buffer: TracedBuffer) -> Tensor | None:
        """The tensor that a buffer is made like; None for a buffer made with an element type."""
        return buffer.likeness

    def refuse(
        self, finding: Diagnostic, *, made: TracedBuffer | TracedSrcPipe | TracedDstPipe | None = None
    ) -> NoReturn:
        """Raise a finding at the current place, with the place where a buffer or a pipe was made."""
        if isinstance(made, TracedBuffer):
            finding = finding.also(made.span, BUFFER_MADE)
        elif made is not None:
            finding = self.nets.about_pipe(finding, made.net.pipes[0])
        fail(finding)

    def refuse_read(self, block: TracedBlock | TracedView, position: int) -> None:
        """Refuse to read a block outside a compute kernel, at the place of the read."""
        if self.kernel is None:
            return
        block = block.block if isinstance(block, TracedView) else block
        finding = blocks.wrong_kernel_kind(Step.READ, block.buffer.name, self.kernel)
        assert finding is not None
        written = operands_of(self.place())
        if position < len(written):
            finding = finding.at(self.span_of(written[position]))
        self._fail_about(block, finding)


def _slices(index: Any) -> list[slice]:
    """The slices in an index that take a part of a dimension, in order."""
    entries = index if isinstance(index, tuple) else (index,)
    return [entry for entry in entries if isinstance(entry, slice) and not _is_all(entry)]


def _is_all(entry: slice) -> bool:
    return entry.start is None and entry.stop is None


def _known_of(index: Any) -> Any:
    """Return an index in the form of the rules: numbers of the node are ``ON_NODE``."""
    match index:
        case tuple():
            return tuple(map(_known_of, index))
        case slice(start=start, stop=stop, step=step):
            return slice(_known_of(start), _known_of(stop), _known_of(step))
        case NodeInteger():
            return views.ON_NODE
        case NodeFloat() | NodeRatio():
            return 0.5
    return index


def _number_of(value: NodeInteger | NodeFloat | NodeRatio) -> SSAValue:
    """A number of the node as a value of the IR."""
    if isinstance(value, NodeInteger):
        return value.ssa()
    real = as_real(value)
    assert real is not None
    return real.ssa


def _require_not_resident(block: TracedBlock) -> None:
    """Refuse a write into a block that was waited for and is memory of a tensor."""
    if not block.reserved and block.buffer.placement.backing is not None:
        fail(backing.replaced(block.buffer.name))


def _stand_in(value: NodeInteger | NodeFloat | NodeRatio) -> float:
    """Return the number that stands for a number of the node in rules."""
    if not isinstance(value, NodeInteger):
        return A_FRACTION
    low = value.bounds[0]
    return AN_INTEGER if low is None else max(AN_INTEGER, low)
