"""One operation being read: the execution behind the language that writes operations of the dialect.

Public functions are called as a run would call them; what a run does at once, this records.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from xdsl.ir import Block as IRBlock
from xdsl.ir import SSAValue

from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.diag.values import is_int
from ttl.dialects import ttl as ir
from ttl.dialects.locations import location
from ttl.frontend import refusals
from ttl.frontend.builder import Builder, new_block, region
from ttl.frontend.objects import (
    TracedBlock,
    TracedBuffer,
    TracedDstPipe,
    TracedExpr,
    TracedNet,
    TracedSemaphore,
    TracedSlice,
    TracedSrcPipe,
    TracedTransfer,
)
from ttl.frontend.scalars import Condition, Ratio, Scalar
from ttl.frontend.stop import Poisoned, Reject, StaticNeeded
from ttl.frontend.tensors import extents_of, tensor_type
from ttl.frontend.values import UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.check import fail
from ttl.lang.functions import number_operand
from ttl.lang.pipe import Pipe, PipeNet
from ttl.ops.row import Op, Params
from ttl.ops.types import BlockType
from ttl.protocol.blocks import KernelKind, Step
from ttl.protocol.grid import grid_size, resolve_coord, resolve_range
from ttl.rules import blocks, buffers, copies, kernels, launches, pipes, semaphores, slices, stores
from ttl.rules.labels import BUFFER_MADE, NET_MADE, PIPE_MADE, held
from ttl.rules.operands import operand_note
from ttl.rules.words import kernel_what
from ttl.source.calls import operands_of
from ttl.source.spans import span_of_site

if TYPE_CHECKING:
    from ttl.source.spans import Span


class Tracer:
    """State of one operation while it is read. The ``Execution`` and the ``TensorHooks`` of that time."""

    def __init__(
        self,
        builder: Builder,
        grid: tuple[int, ...],
        chip: Chip,
        span: Callable[[], Span],
        place: Callable[[], ast.AST],
        span_of: Callable[[ast.AST], Span],
    ) -> None:
        self.builder = builder
        self.emit = builder.emit
        self.grid = grid
        self.chip = chip
        self.here = span
        self.place = place
        self.span_of = span_of
        # The kernel whose body is being read, and its kind; None in the body of the operation.
        self.kernel: str | None = None
        self.kind: KernelKind | None = None
        # The variable that the value being computed is assigned to.
        self.target: str | None = None
        self.body: IRBlock | None = None
        self.call_function: Callable[[Any, tuple[Any, ...]], Any] | None = None
        self.read_region: Callable[[IRBlock, Callable[[], None]], None] | None = None
        # Whether the code that is being read runs on some nodes only.
        self.conditional: Callable[[], bool] = lambda: False
        self.buffers: list[TracedBuffer] = []
        self.arguments: list[tuple[str, Tensor]] = []
        self._accessors: dict[int, SSAValue] = {}
        self._nodes: dict[int, tuple[Scalar | int, ...]] = {}
        self._nets: dict[int, SSAValue] = {}
        self._kept_nets: list[Any] = []
        self._net_spans: dict[int, Span] = {}
        self._net_names: dict[int, str | None] = {}
        # Nets that were reported: using them again says nothing new.
        self._failed_nets: set[int] = set()
        self._pipe_spans: dict[int, Span] = {}
        self._semaphores = 0

    # --- the Execution protocol -------------------------------------------------------------------------------

    @property
    def node_index(self) -> NoReturn:
        """Known on the node only."""
        raise StaticNeeded(frozenset(), "the current node")

    def in_kernel(self) -> bool:
        """Whether a kernel is being read."""
        return self.kernel is not None

    @property
    def what(self) -> str:
        """What is being read, for messages."""
        return kernel_what(self.kind, self.kernel or "")

    def add_kernel(self, function: Any, kind: KernelKind) -> NoReturn:
        """Kernels are found by the evaluator."""
        raise AssertionError((function, kind))

    def make_buffer(self, likeness: Tensor, shape: tuple[int, ...], block_count: int) -> TracedBuffer:
        """A dataflow buffer of the operation."""
        self._require_body("dataflow buffer made")
        type_ = BlockType.of(shape, likeness.dtype, likeness.layout)
        name = self.target or f"buffer {len(self.buffers)}"
        made = self.emit(ir.CreateDfbOp(type=ir.DataflowBufferType.of(type_, block_count), name=name))
        buffer = TracedBuffer(self, made.result, type_, block_count, name, self.here())
        self.buffers.append(buffer)
        return buffer

    def name_members(self, name: str, container: Any) -> None:
        """Buffers made for a container are known by their places in it."""
        pairs = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in pairs:
            if isinstance(value, TracedBuffer) and value.name == name:
                value.rename(f"{name}[{key!r}]")

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> TracedExpr:
        """A block expression; its blocks are read now."""
        # Numbers become values of the IR when the rule has found them in range.
        values: list[SSAValue | int | float] = []
        types: list[Any] = []
        if self.kind != "compute":
            self._refuse_arithmetic(op, operands)
        for position, operand in enumerate(operands):
            if isinstance(operand, TracedExpr):
                values.append(operand.ssa)
                types.append(operand.type)
            elif isinstance(operand, TracedBlock):
                self._require_own(operand)
                values.append(self.emit(ir.BlockReadOp(operand.ssa)).result)
                types.append(operand.buffer.type)
            elif isinstance(operand, Scalar):
                values.append(operand.ssa())
                low = operand.bounds[0]
                types.append(max(1, low) if low is not None else 1)
            elif isinstance(operand, Ratio | Condition):
                fail(refusals.no_integer(op.label))
            else:
                number = number_operand(op, op.operands[position].name, operand)
                if isinstance(number, Diagnostic):
                    fail(number)
                values.append(number)
                types.append(number)
        result = op.infer(tuple(types), params)
        if isinstance(result, Diagnostic):
            texts = tuple(ast.unparse(each) for each in operands_of(self.place()))
            fail(result.noting(*operand_note(op, types, texts)))
        given = [each if isinstance(each, SSAValue) else self.builder.number(each) for each in values]
        made = self.emit(ir.COMPUTE[op.name](given, params, result))
        return TracedExpr(self, made.result, result)

    def copy(self, src: Any, dst: Any) -> TracedTransfer:
        """A copy."""
        if self.kind != "data movement":
            fail(copies.copy_outside(self.what))
        finding = copies.match_ends(_end(src), _end(dst))
        if finding is not None:
            fail(finding)
        for part, block, direction in ((src, dst, "into"), (dst, src, "from")):
            if isinstance(block, TracedBlock):
                self._require_own(block)
            if isinstance(part, TracedSlice):
                self._match(part, block, direction)
            elif isinstance(part, TracedSrcPipe | TracedDstPipe) and not part.active:
                fail(self._about_pipe(pipes.outside_its_function(), part.net.pipes[0]))
        return TracedTransfer(self, self.emit(ir.CopyOp(src.ssa, dst.ssa)).result)

    def pipe_net(self, net: PipeNet[Any]) -> TracedNet:
        """A net, for its condition functions."""
        return TracedNet(self, net)

    def register_net(self, net: PipeNet[Any]) -> None:
        """A net was made."""
        self._require_body("pipe net made")
        self._net_spans[id(net)] = self.here()
        self._net_names[id(net)] = self.target
        self._kept_nets.append(net)

    def new_semaphore(self, initial: int) -> NoReturn:
        """Semaphores are made by ``semaphore``."""
        raise AssertionError(initial)

    def signpost(self, name: str, enter: bool) -> NoReturn:
        """Signposts are ``TracedSignpost``."""
        raise AssertionError((name, enter))

    # --- the TensorHooks protocol -----------------------------------------------------------------------------

    def slice(self, tensor: Tensor, index: Any) -> TracedSlice:
        """``tensor[index]`` in a kernel."""
        if self.kind != "data movement":
            fail(slices.slice_outside(self.what))
        entries = index if isinstance(index, tuple) else (index,)
        extents = extents_of(tensor)
        bounds, single = self._bounds(entries, extents, tensor)
        sizes = [stop - start for start, stop in bounds]
        known = tuple(size if isinstance(size, int) else -1 for size in sizes)
        for axis, size in enumerate(sizes):
            if isinstance(size, int) and size < 1:
                finding = slices.range_error(slice(0, size), axis, extents, tensor.layout)
                assert finding is not None
                fail(finding)
        made = self.emit(
            ir.TensorSliceOp(
                self.accessor(tensor),
                [self.builder.index(start) for start, _ in bounds],
                sizes=known,
                single=single,
                dynamic_sizes=[size.ssa() for size in sizes if isinstance(size, Scalar)],
            )
        )
        return TracedSlice(made.result, tuple(sizes), single, tensor.dtype, tensor.layout)

    def observe(self, tensor: Tensor) -> NoReturn:
        """Data of tensors are not there yet."""
        raise Reject(refusals.data_used_in_kernel() if self.in_kernel() else refusals.data_used())

    def text(self, tensor: Tensor) -> str:
        """What ``str`` gives."""
        return f"tensor of shape {tuple(tensor.shape)}"

    # --- what kernels do --------------------------------------------------------------------------------------

    def acquire(self, buffer: TracedBuffer, *, reserve: bool) -> TracedBlock:
        """``reserve`` or ``wait``."""
        if self.kernel is None:
            fail(buffers.outside_kernel("reserve" if reserve else "wait", buffer.name))
        made = self.emit((ir.DfbReserveOp if reserve else ir.DfbWaitOp)(buffer.ssa))
        block = TracedBlock(self, buffer, made.result, kernel=self.kernel, reserved=reserve, span=self.here())
        buffer.held.append(block)
        return block

    def release(self, block: TracedBlock, *, push: bool, how: Literal["explicit", "with"]) -> None:
        """``push`` or ``pop``."""
        self._require_own(block)
        self.emit((ir.DfbPushOp if push else ir.DfbPopOp)(block.ssa, how=how))
        if block in block.buffer.held:
            block.buffer.held.remove(block)

    def read(self, block: TracedBlock) -> TracedExpr:
        """The value of a block now, as an expression."""
        self._require_own(block)
        return TracedExpr(self, self.emit(ir.BlockReadOp(block.ssa)).result, block.buffer.type)

    def nothing_held(self, buffer: TracedBuffer, *, push: bool) -> NoReturn:
        """The older ``push()`` or ``pop()`` of a buffer without a block."""
        fail((buffers.nothing_to_push if push else buffers.nothing_to_pop)(buffer.name))

    def store(self, block: TracedBlock, expr: Any, *, accumulate: bool) -> None:
        """``blk.store(expr)`` or ``blk += expr``."""
        self._require_own(block)
        if self.kind != "compute":
            self._fail_about(
                block, blocks.wrong_kernel_kind(Step.STORE, block.buffer.name, self.kernel or "")
            )
        type_ = block.buffer.type
        if isinstance(expr, TracedExpr):
            value, given = expr.ssa, expr.type
        elif isinstance(expr, TracedBlock):
            self._require_own(expr)
            value, given = self.emit(ir.BlockReadOp(expr.ssa)).result, expr.buffer.type
        else:
            fail(stores.no_expression(expr, type_))
        finding = stores.match_store(given, block.buffer.name, type_)
        if finding is not None:
            fail(finding.also(block.buffer.span, BUFFER_MADE))
        self.emit((ir.BlockAccumulateOp if accumulate else ir.BlockStoreOp)(block.ssa, value))

    # --- nodes, pipes, semaphores -----------------------------------------------------------------------------

    def node(self, dims: int) -> Any:
        """Coordinates of the node; those that can only be 0 are the number 0."""
        known = self._nodes.get(dims)
        if known is None:
            assert self.body is not None
            sizes = grid_size(self.grid, dims)
            made = self.builder.emit_first(self.body, ir.NodeOp(dims))
            known = self._nodes[dims] = tuple(
                0 if extent == 1 else self.builder.atom(result, 0, extent - 1, frozenset())
                for result, extent in zip(made.results, sizes, strict=True)
            )
        return known[0] if dims == 1 else known

    def if_pipe(self, net: PipeNet[Any], function: Any, end: str) -> None:
        """Read the condition function of ``if_src`` or ``if_dst``, once for all pipes."""
        if self.kind != "data movement":
            fail(
                pipes.condition_outside("if_src" if end == "src" else "if_dst", self.kind, self.kernel or "")
            )
        if isinstance(function, UserFunction):
            self._require_arity(function, end)
        assert self.call_function is not None and self.read_region is not None
        call = self.call_function
        block = new_block(ir.PipeType("src" if end == "src" else "dst"))
        kind = TracedSrcPipe if end == "src" else TracedDstPipe
        pipe = kind(self, net, block.args[0])
        self.read_region(block, lambda: call(function, (pipe,)))
        pipe.active = False
        made = (ir.IfPipeSrcOp if end == "src" else ir.IfPipeDstOp)(self.net(net), region(block))
        self.emit(made)

    def is_pipe(self, net: PipeNet[Any], end: str) -> Condition | bool:
        """Whether the node is an end of any pipe; known where all nodes or none are."""
        pipes = [pipe.src if end == "src" else pipe.dst for pipe in net.pipes]
        self.net(net)
        nodes: set[int] = set()
        for given in pipes:
            found = resolve_coord(given, self.grid) if end == "src" else resolve_range(given, self.grid)
            if isinstance(found, Diagnostic):
                fail(found)
            nodes.update((found,) if isinstance(found, int) else found)
        total = 1
        for extent in self.grid:
            total *= extent
        if len(nodes) in (0, total):
            return bool(nodes)
        kind = ir.IsPipeSrcOp if end == "src" else ir.IsPipeDstOp
        builder = self.builder
        return Condition(
            builder, ("pipe", end, id(net)), frozenset(), lambda: self.emit(kind(self.net(net))).result
        )

    def net(self, net: PipeNet[Any]) -> SSAValue:
        """The net in the IR; made in the operation's body, when it is first used."""
        known = self._nets.get(id(net))
        if known is not None:
            return known
        if id(net) in self._failed_nets:
            raise Poisoned
        attributes = []
        for pipe in net.pipes:
            if _varies(pipe.src) or _varies(pipe.dst):
                self._fail_net(net, pipes.net_differs().also(self._net_spans.get(id(net)), NET_MADE))
            for found in (resolve_coord(pipe.src, self.grid), resolve_range(pipe.dst, self.grid)):
                if isinstance(found, Diagnostic):
                    self._fail_net(net, self._about_pipe(found, pipe))
            attributes.append(_pipe_attribute(pipe.src, pipe.dst, self.grid))
        assert self.body is not None
        name = self._net_names.get(id(net)) or f"net{len(self._nets)}"
        made_op = self.builder.emit_first(self.body, ir.CreatePipeNetOp(pipes=attributes, name=name))
        if id(net) in self._net_spans:
            made_op.location = location(self._net_spans[id(net)])
        made: SSAValue = made_op.result
        self._kept_nets.append(net)
        self._nets[id(net)] = made
        return made

    def pipe_coordinates(self, net: PipeNet[Any], pipe: SSAValue, of: Literal["src", "dst"]) -> Any:
        """``pipe.src`` or ``pipe.dst``: the same for all pipes where they agree."""
        given = [each.src if of == "src" else each.dst for each in net.pipes]
        if all(each == given[0] for each in given):
            return given[0]
        shapes = {len(each) if isinstance(each, tuple | list) else 0 for each in given}
        if len(shapes) != 1:
            raise Reject(
                refusals.pipes_differ(
                    f"pipe.{of} has another number of dimensions in other pipes of the net",
                    "give all pipes of a net coordinates of the same number of dimensions",
                )
            )
        rank = shapes.pop()
        columns = list(zip(*given, strict=True)) if rank else [tuple(given)]
        made = []
        for axis, column in enumerate(columns):
            if all(each == column[0] for each in column):
                made.append(column[0])
            elif all(isinstance(each, int) for each in column):
                value = self.emit(ir.PipeCoordinateOp(pipe, of=of, axis=axis)).result
                made.append(self.builder.atom(value, min(column), max(column)))
            else:
                raise Reject(
                    refusals.pipes_differ(
                        f"pipe.{of} is a range of nodes that differs between the pipes of the net",
                        "use the coordinates that are single nodes, or make a net for each range",
                    )
                )
        return tuple(made) if rank else made[0]

    def semaphore(self, value: int) -> TracedSemaphore:
        """``ttl.Semaphore(value)``."""
        self._require_body("semaphore made")
        name = self.target or f"semaphore {self._semaphores}"
        self._semaphores += 1
        made = self.emit(ir.CreateSemaphoreOp(initial_value=value, name=name))
        return TracedSemaphore(self, made.result)

    def semaphore_wait(self, semaphore: SSAValue, value: Any, comparison: Literal["eq", "ge"]) -> None:
        """``wait_eq`` or ``wait_ge``."""
        self._require_data_movement("wait")
        self.emit(ir.SemaphoreWaitOp(semaphore, self.builder.index(value), comparison=comparison))

    def semaphore_set(self, semaphore: SSAValue, value: Any) -> None:
        """``set``, here or on other nodes."""
        self._require_data_movement("set")
        self.emit(ir.SemaphoreSetOp(semaphore, self.builder.index(value)))

    def semaphore_inc(self, semaphore: SSAValue, value: Any) -> None:
        """``inc`` on another node."""
        self._require_data_movement("inc")
        self.emit(ir.SemaphoreIncOp(semaphore, self.builder.index(value)))

    def remote(self, semaphore: SSAValue, node: Any) -> SSAValue:
        """``get_remote(node)``."""
        entries = tuple(node) if isinstance(node, tuple | list) else (node,)
        if not any(isinstance(entry, Scalar) for entry in entries):
            found = resolve_coord(node, self.grid)
            if isinstance(found, Diagnostic):
                fail(found)
        values = [self.builder.index(entry) for entry in entries]
        made: SSAValue = self.emit(ir.GetRemoteSemaphoreOp(semaphore, values)).result
        return made

    def remote_multicast(self, semaphore: SSAValue, nodes: Any) -> SSAValue:
        """``get_remote_multicast(range)``."""
        starts: list[Any] = []
        stops: list[Any] = []
        if nodes is not None:
            entries = tuple(nodes) if isinstance(nodes, tuple | list) else (nodes,)
            if not _varies(entries):
                found = resolve_range(nodes, self.grid)
                if isinstance(found, Diagnostic):
                    fail(found)
            for entry, extent in zip(entries, grid_size(self.grid, len(entries)), strict=True):
                if isinstance(entry, slice):
                    starts.append(0 if entry.start is None else entry.start)
                    stops.append(extent if entry.stop is None else entry.stop)
                else:
                    starts.append(entry)
                    stops.append(entry + 1)
        index = self.builder.index
        made = ir.GetRemoteMulticastSemaphoreOp(
            semaphore, [index(start) for start in starts], [index(stop) for stop in stops]
        )
        result: SSAValue = self.emit(made).result
        return result

    # --- helpers ----------------------------------------------------------------------------------------------

    def _require_body(self, what: str) -> None:
        if self.kernel is None and self.conditional():
            raise Reject(refusals.on_some_nodes(what))
        if self.kernel is not None:
            fail(kernels.made_in_kernel(what, self.kernel))

    def _require_data_movement(self, name: str) -> None:
        if self.kind != "data movement":
            fail(semaphores.semaphore_outside(name, self.what))

    def _require_arity(self, function: UserFunction, end: str) -> None:
        arguments = function.node.args
        given = len(arguments.posonlyargs) + len(arguments.args)
        finding = pipes.match_function(
            "if_src" if end == "src" else "if_dst",
            function.name,
            given - len(function.defaults),
            takes_one=bool(given) or arguments.vararg is not None,
        )
        if finding is not None:
            fail(finding)

    def _require_own(self, block: TracedBlock) -> None:
        if block.kernel != self.kernel and self.kernel is not None:
            fail(blocks.foreign(block.buffer.name, block.kernel, self.kernel))

    def pipe_made(self, pipe: Pipe[Any]) -> None:
        """A pipe was made at the place that is being read."""
        self._pipe_spans[id(pipe)] = self.here()
        self._kept_nets.append(pipe)

    def _about_pipe(self, finding: Diagnostic, pipe: Pipe[Any]) -> Diagnostic:
        span = self._pipe_spans.get(id(pipe))
        if span is None and pipe.site is not None:
            span = span_of_site(pipe.site)
        return finding.also(span, PIPE_MADE)

    def _fail_net(self, net: PipeNet[Any], finding: Diagnostic) -> NoReturn:
        self._failed_nets.add(id(net))
        self._kept_nets.append(net)
        fail(finding)

    def _fail_about(self, block: TracedBlock, finding: Diagnostic | None) -> NoReturn:
        """Report what is done to a block, saying where it was acquired."""
        assert finding is not None
        fail(finding.also(block.span, held("reserve" if block.reserved else "wait")))

    def _refuse_arithmetic(self, op: Op, operands: tuple[Any, ...]) -> NoReturn:
        for position, operand in enumerate(operands):
            if isinstance(operand, TracedBlock) and self.kernel is not None:
                finding = blocks.wrong_kernel_kind(Step.READ, operand.buffer.name, self.kernel)
                assert finding is not None
                written = operands_of(self.place())
                if position < len(written):
                    finding = finding.at(self.span_of(written[position]))
                self._fail_about(operand, finding)
        fail(stores.arithmetic_outside(op.spellings[0], self.what))

    def _match(self, part: TracedSlice, block: TracedBlock, direction: Any) -> None:
        type_, name = block.buffer.type, block.buffer.name
        finding = copies.match_layout(part.layout, name, type_) or copies.match_dtype(part.dtype, name, type_)
        if finding is None and all(isinstance(extent, int) for extent in part.extents):
            finding = copies.match_extents(part.extents, part.single, name, type_, direction)
        if finding is not None:
            fail(finding.also(block.buffer.span, BUFFER_MADE))

    def accessor(self, tensor: Tensor) -> SSAValue:
        known = self._accessors.get(id(tensor))
        if known is None:
            self._require_on_the_devices(tensor)
            assert self.body is not None
            argument = self.body.insert_arg(tensor_type(tensor), len(self.body.args))
            self.arguments.append((f"captured{len(self.arguments)}", tensor))
            known = self.accessor_of(tensor, argument)
        return known

    def _require_on_the_devices(self, tensor: Tensor) -> None:
        """A tensor on a mesh that is no argument: the operation runs where its arguments are."""
        shards = tensor.shards
        if shards is None or len(shards) == 1 or prod(self.grid[:-2]) == len(shards):
            return
        devices = [len(given.shards) for _, given in self.arguments if given.shards is not None]
        if len(self.grid) > 2 or not devices or devices[0] > len(shards):
            fail(launches.not_on_the_devices(len(shards)))

    def accessor_of(self, tensor: Tensor, argument: SSAValue) -> SSAValue:
        """Remember the argument of the operation that a tensor is."""
        assert self.body is not None
        made: SSAValue = self.builder.emit_first(self.body, ir.TensorAccessorOp(argument)).result
        self._accessors[id(tensor)] = made
        return made

    def _bounds(
        self, entries: tuple[Any, ...], extents: tuple[int, ...], tensor: Tensor
    ) -> tuple[list[tuple[Any, Any]], tuple[bool, ...]]:
        layout = tensor.layout
        if not _varies(entries) and not _varies(extents):
            part = slices.slice_part(entries, extents, layout)
            if isinstance(part, Diagnostic):
                fail(part)
            return list(part[0]), part[2] or (False,) * len(extents)
        expanded = slices.expand(entries, extents, layout)
        if isinstance(expanded, Diagnostic):
            fail(expanded)
        bounds: list[tuple[Any, Any]] = []
        for axis, entry in enumerate(expanded):
            finding = self._entry_error(entry, axis, extents, layout)
            if finding is not None:
                fail(finding)
            if isinstance(entry, slice):
                start = 0 if entry.start is None else entry.start
                bounds.append((start, extents[axis] if entry.stop is None else entry.stop))
            else:
                bounds.append((entry, entry + 1))
        return bounds, tuple(not isinstance(entry, slice) for entry in expanded)

    @staticmethod
    def _entry_error(entry: Any, axis: int, extents: tuple[int, ...], layout: Any) -> Diagnostic | None:
        """What is wrong with one entry, as far as it is known."""
        if isinstance(entry, Ratio):
            return slices.no_index(entry)
        if isinstance(entry, Scalar):
            return None
        if isinstance(extents[axis], Scalar):
            bounds = (entry.start, entry.stop, entry.step) if isinstance(entry, slice) else (entry,)
            wrong = any(
                each is not None and not isinstance(each, Scalar) and not is_int(each) for each in bounds
            )
            return slices.no_index(entry) if wrong else None
        if isinstance(entry, slice):
            given = (entry.start, entry.stop, entry.step)
            if any(isinstance(bound, Ratio) for bound in given):
                return slices.no_bound("a fraction", extents, layout)
            for bound in given:
                if bound is not None and not isinstance(bound, Scalar) and not is_int(bound):
                    return slices.range_error(slice(bound), axis, extents, layout)
            if not any(isinstance(bound, Scalar) for bound in given):
                return slices.range_error(entry, axis, extents, layout)
            known = slice(*(None if isinstance(bound, Scalar) else bound for bound in given))
            if known.step not in (None, 1):
                return slices.range_error(slice(None, None, known.step), axis, extents, layout)
            return None
        if not isinstance(entry, int) or isinstance(entry, bool):
            return slices.no_index(entry)
        return None if 0 <= entry < extents[axis] else slices.index_error(entry, axis, extents, layout)


def _end(value: Any) -> copies.End:
    match value:
        case TracedBlock():
            return copies.End("block")
        case TracedSlice():
            return copies.End("slice")
        case TracedBuffer():
            return copies.End("buffer", value.name)
        case Tensor():
            return copies.End("tensor")
        case TracedSrcPipe():
            return copies.End("sending pipe")
        case TracedDstPipe():
            return copies.End("receiving pipe")
        case TracedExpr():
            return copies.End("expression")
    return copies.other_end(value)


def _varies(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(_varies(each) for each in value)
    if isinstance(value, slice):
        return any(_varies(each) for each in (value.start, value.stop, value.step))
    return isinstance(value, Scalar | Ratio | Condition)


def _pipe_attribute(src: Any, dst: Any, grid: tuple[int, ...]) -> ir.PipeAttr:
    source = tuple(int(each) for each in src) if isinstance(src, tuple | list) else (int(src),)
    entries = tuple(dst) if isinstance(dst, tuple | list) else (dst,)
    sizes = grid_size(grid, len(entries))
    destination = [
        ir.SliceAttr(
            0 if entry.start is None else int(entry.start),
            extent if entry.stop is None else int(entry.stop),
            1,
        )
        if isinstance(entry, slice)
        else int(entry)
        for entry, extent in zip(entries, sizes, strict=True)
    ]
    return ir.PipeAttr(source, destination)
