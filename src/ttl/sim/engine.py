"""One launch: the kernel that runs, and the steps that it may take.

The engine is the ``Execution`` behind the language while an operation runs. It knows the current kernel, builds
expressions, starts copies and hands everything that is not control flow to its parts: ``memory`` (tensors), ``pending``
(values not computed yet), ``executor`` (arithmetic), ``scheduler`` (which kernel runs next), ``pipes`` and
``semaphores``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

from ttl import control
from ttl.diag import Diagnostic, ProgramError
from ttl.diag.values import is_int
from ttl.host.tensor import Tensor
from ttl.lang import arguments
from ttl.lang.expr import BlockExpr
from ttl.lang.extern import STAND_INS
from ttl.lang.extern_calls import EFFECTS, DispatchCondition, ExternCall, NamedKernel, TensorAccess
from ttl.lang.grid import node as current_node
from ttl.lang.pipe import PipeNet
from ttl.lang.unshaped import Unshaped
from ttl.lang.unshaped import applied as applied_unshaped
from ttl.protocol.blocks import STEPS, KernelKind, Step
from ttl.protocol.chips import chip_of
from ttl.protocol.devices import ChipDomain, DeviceGrid
from ttl.protocol.grid import coordinate, linear_index
from ttl.rows.dtypes import WHOLE_NUMBER
from ttl.rows.row import Op, Params
from ttl.rows.table import ADD
from ttl.rows.types import BlockType
from ttl.rules import devices, elements, external
from ttl.rules import kernel_definitions as kernel_rules
from ttl.rules.buffers import ANYWHERE
from ttl.rules.distribution import Distribution
from ttl.rules.expressions import operand_note
from ttl.rules.labels import BUFFER_MADE, FIRST_KERNEL, PIPE_MADE
from ttl.rules.stores import used_after_the_end
from ttl.sim.backing import BackedBuffers
from ttl.sim.block import SimBlock
from ttl.sim.buffer import SimBuffer
from ttl.sim.elements import Elements
from ttl.sim.events import COPIED
from ttl.sim.kernel import Kernel, Node
from ttl.sim.memory import Memory
from ttl.sim.native.memory import NativeMemory
from ttl.sim.native.pending import NativePending
from ttl.sim.numbers import TracedNumber, look_at_numbers
from ttl.sim.padding import Padding
from ttl.sim.pending import LARGEST_EXPRESSION, SHARED_EXPRESSION, Pending, converted
from ttl.sim.pipes import PipeNetView, PipeReceive, Pipes, SimDstPipe, SimSrcPipe
from ttl.sim.resets import SimResets
from ttl.sim.scheduler import Scheduler
from ttl.sim.semaphores import Semaphores, SemaphoreView
from ttl.sim.tensor_slices import SimSlice
from ttl.sim.transfer import SimTransfer
from ttl.sim.values import Expr, Value
from ttl.sim.views import SimView
from ttl.source.calls import call_at, operands_at
from ttl.source.spans import PACKAGE_FOLDER, Site, span_of_site, user_site

if TYPE_CHECKING:
    from ttl.lang.resets import DFBReset
    from ttl.rules.buffers import BufferPlacement
    from ttl.sim.lanes.attempts import LaneRun
    from ttl.sim.leftovers import DroppedBlock
    from ttl.sim.placement import Launch
    from ttl.sim.program import Executor
    from ttl.sim.sharing import UsesWatch

_COPY_IN, _COPY_OUT, _READ = int(Step.COPY_IN), int(Step.COPY_OUT), int(Step.READ)


class Engine(control.base("Engine")):  # type: ignore[misc]
    """State of one launch."""

    def __init__(self, launch: Launch, executor: Executor, lanes: LaneRun | None = None) -> None:
        self.lanes = lanes
        self.grid = grid = launch.grid
        # The arguments of the operation by the names of its parameters, for messages.
        code = launch.operation.function.__code__
        self.arguments: dict[str, Any] = (
            dict(zip(code.co_varnames, launch.args, strict=False)) | launch.kwargs
        )
        self.device = launch.device
        self.settings = launch.settings
        self.chip = launch.chip
        self.executor = executor
        self.memory: Memory = (
            lanes.memory(self)
            if lanes is not None
            else NativeMemory(self)
            if control.NATIVE
            else Memory(self)
        )
        self.pending: Any = NativePending(self) if control.NATIVE else Pending(self)
        self.padding = Padding(self)
        self.elements = Elements(self)
        self.pipes = Pipes(self)
        self.semaphores = Semaphores(self)
        self.scheduler = Scheduler(self)
        self.suspend = self.scheduler.suspend
        self.wake = self.scheduler.wake
        self.nodes: list[Node] = (
            lanes.make_nodes(self)
            if lanes is not None
            else control.call("make_nodes", self, grid)
            if control.NATIVE
            else make_nodes(self, grid)
        )
        self.current: Kernel = self.nodes[0].body
        self.active = True
        # With a seed, other kernels may also run before a copy and after a change of a semaphore.
        self.interleaved = False
        self.infers = not self.settings.strict
        # The place of an error that is found while no user code is running (at the end of a kernel, say).
        self.fallback_site: Site | None = None
        # The kernel that failed, once one has.
        self.failed: Kernel | None = None
        self.unused: dict[Site, int] = {}
        # Blocks that were popped and not read, by the buffer's number and the place of the wait.
        self.dropped: dict[tuple[int, Site], DroppedBlock] = {}
        # The last external function that a compute kernel called, and where.
        self.externals: dict[Kernel, tuple[str, Site | None]] = {}
        # By kernel: the call of an external function under way that declares its accesses to tensors. ``watched``: the
        # listener to events to which ``_watch`` passes them on.
        self.held_to: dict[Kernel, ExternCall] = {}
        self.watched: tuple[Callable[[int, Any], None] | None] | None = None
        # The values of conditions on a node, once a kernel has asked for them.
        self.answers: dict[tuple[Node, DispatchCondition], int] = {}
        # The states of the tiles of blocks that are in several at once (``State.IN_PARTS``).
        self.parts: dict[SimBlock, bytes] = {}
        # The placements that the program states, by buffer; the watch that records uses of buffers, if some must share
        # memory.
        self.placements: dict[SimBuffer, BufferPlacement] = {}
        self.uses: UsesWatch | None = None
        self.selected: dict[tuple[int, NamedKernel], str] = {}
        # The NoCs that kernels ask for, by the name of the kernel.
        self.nocs: dict[str, int] = {}
        self.backed: BackedBuffers | None = None
        self.resets: SimResets | None = None
        # Called with the buffer and the value of every block that is pushed.
        self.on_push: Callable[[SimBuffer, Value], None] | None = None
        # Called with the number of an event (sim/events.py) and its subject: the block, transfer or semaphore.
        self.on_event: Callable[[int, Any], None] | None = None

    def close(self) -> None:
        """Take the launch apart, so that it is freed at once and not by a search for cycles.

        Objects of it that a user may still hold, such as a block, keep the data that their error messages need.
        """
        del self.suspend, self.wake
        self.current = self.nodes[0].body
        self.current.function = None
        if control.NATIVE:
            control.call("take_apart", self.nodes)
        else:
            take_apart(self.nodes)
        self.nodes.clear()
        self.pending.drop()
        self.pipes.close()
        self.memory.overwrites.clear()
        self.arguments.clear()
        self.parts.clear()
        self.placements.clear()
        self.uses = self.backed = self.resets = None

    # --- the Execution protocol -------------------------------------------------------------------------

    @property
    def node_index(self) -> int:
        """Linear index of the current node."""
        node = self.current.node
        return node.index if self.lanes is None else linear_index(node.coord, self.grid)

    def node(self, dims: int) -> Any:
        """Coordinates of the current node."""
        return current_node(dims)

    def device_index(self, domain: ChipDomain) -> int:
        """The number of the current node's chip in the device domain of the operation."""
        self.require_domain(domain, "a device domain")
        return chip_of(self.node_index, self.grid)

    def require_domain(self, domain: ChipDomain, what: str) -> None:
        """Raise an error when a domain is not that of the operation."""
        if not isinstance(self.grid, DeviceGrid):
            self.fail(devices.no_domain(what))
        if self.grid.domain != domain:
            self.fail(devices.two_domains(self.grid.domain, domain))

    def shard_part(self, tensor: Tensor, index: tuple[Any, ...], of: Distribution) -> SimSlice:
        """Return a slice of a tensor; the caller has checked that it lies inside of the shard."""
        return self.memory.slice(tensor, index)

    def in_kernel(self) -> bool:
        """Whether a kernel is running."""
        return self.current.is_kernel

    def add_kernel(
        self,
        function: Callable[[], None],
        kind: KernelKind,
        selector: NamedKernel | None = None,
        noc: int | None = None,
    ) -> None:
        """Register a kernel on the current node. ``noc`` changes no result, and must be the same on every node."""
        node = self.current.node
        name = getattr(function, "__name__", "kernel")
        self._require_body(f"kernel {name} defined")
        number = 1  # by one factory: kernels that share code and name are numbered
        for other in node.kernels:
            if getattr(other.function, "__name__", None) != name:
                continue
            if getattr(other.function, "__code__", None) is getattr(function, "__code__", function):
                number += 1
            else:
                self.fail(
                    kernel_rules.same_name(name), related=((_definition(other.function), FIRST_KERNEL),)
                )
        name = kernel_rules.numbered_name(name, number)
        same = [other.name for other in node.kernels if other.kind == kind]
        surplus = kernel_rules.one_too_many(kind, name, same)
        if surplus is not None:
            self.fail(surplus)
        node.kernels.append(Kernel(node, name, kind, function))
        if selector is not None:
            earlier = self.selected.setdefault((node.index, selector), name)
            if earlier != name:
                self.fail(kernel_rules.same_selector(name, earlier))
        if noc is not None and (first := self.nocs.setdefault(name, noc)) != noc:
            self.fail(kernel_rules.noc_varies(name, first, noc))

    def other_than(self, selector: NamedKernel) -> str | None:
        """The kernel of this node that a selector names, if another kernel is running; else None."""
        name = self.selected.get((self.current.node.index, selector))
        return None if name == self.current.name else name

    def make_buffer(
        self, type: BlockType, block_count: int, placement: BufferPlacement, likeness: Tensor | None
    ) -> SimBuffer:
        """Create a dataflow buffer on the current node."""
        self._require_body("dataflow buffer made")
        node = self.current.node
        others = [(other.name, self.placements[other]) for other in node.buffers if other in self.placements]
        shared = placement.conflict(others)
        if shared is not None:
            self.fail(shared)
        buffer = SimBuffer(self, node, len(node.buffers), type, block_count, user_site(sys._getframe(2)))
        node.buffers.append(buffer)
        if placement is not ANYWHERE:
            self.placements[buffer] = placement
        if placement.backing is not None:
            self.backed = self.backed or BackedBuffers(self)
            self.backed.add(buffer, placement.backing)
        return buffer

    def reset(self, reset: DFBReset, dfbs: Any) -> None:
        """Wait for the other kernels of the node."""
        self.resets = self.resets or SimResets(self)
        self.resets.reset(reset, dfbs)

    def known_shape(self, tensor: Tensor) -> tuple[int, ...]:
        """The extents of a tensor."""
        return tuple(tensor.shape)

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> BlockExpr:
        """Build an expression; its operands are read now."""
        kernel = self.current
        if not kernel.is_compute:
            if not self.active and not any(type(operand) in (SimBlock, SimView) for operand in operands):
                self.fail(used_after_the_end("a block expression"))
            arguments.refuse_arithmetic(self, op, operands)
        args: list[Any] = []
        types: list[Any] = []
        size = 1
        reads = partial = False
        for operand in operands:
            kind = type(operand)
            if kind is Expr:
                reads = reads or operand.reads
                value = operand.value
                # As in native/core/expressions.cpp, which leaves parts with padding to this
                heavy = control.NATIVE and operand.heavy and operand.valid is None
                least = SHARED_EXPRESSION if operand.used and not heavy else LARGEST_EXPRESSION
                if value is None and (operand.size >= least or (operand.used and heavy)):
                    value = self.pending.fold(operand)
                operand.used = True
                if value is None:
                    size += operand.size
                else:
                    operand = value
                    size += 1
            elif kind is SimBlock:
                state = operand.table[operand.state * STEPS + _READ]
                if operand.kernel is not kernel:
                    operand.illegal(Step.READ)
                if state < 0:
                    operand.read()
                else:
                    operand.state = state
                operand = operand.value
                reads = True
            elif kind is SimView:
                operand = operand.read()
                reads = True
            elif kind is Unshaped:
                return applied_unshaped(op, operands, params)
            elif kind is TracedNumber:
                args.append(operand)
                types.append(operand.value)
                continue
            else:
                args.append(arguments.number(self, op, len(args), operand))
                types.append(args[-1])
                continue
            args.append(operand)
            types.append(operand.type)
            if operand.valid is not None:
                partial = True
        result = op.infer(tuple(types), params)
        if isinstance(result, Diagnostic):
            self.fail(result.noting(*operand_note(op, types, _operands_here(user_site(sys._getframe(1))))))
        if result.dtype is WHOLE_NUMBER or not result.dtype.is_float:
            look_at_numbers(args)  # its type depends on how large they are
        valid = None
        if partial:
            valid = op.valid_rule([getattr(arg, "valid", None) for arg in args], params, result)
        frame = sys._getframe(1 if control.NATIVE else 3)
        while frame.f_code.co_filename.startswith(PACKAGE_FOLDER) and frame.f_back is not None:
            frame = frame.f_back
        expr = Expr(self, op, args, params, result, valid, size, reads, (frame.f_code, frame.f_lasti))
        return self.padding.computed(expr) if partial else expr

    _slow_apply = apply

    def read(self, operand: BlockExpr) -> BlockExpr:
        """Return the present value of a block or view as an expression, since it may change before it is computed.

        Other operands are returned as they are.
        """
        if type(operand) is SimView:
            value = operand.read()
            return converted(self, value, value.type)
        if type(operand) is not SimBlock:
            return operand
        if operand.kernel is not self.current:
            operand.illegal(Step.READ)
        value = operand.read()
        return converted(self, value, value.type)

    def copy(self, src: Any, dst: Any) -> SimTransfer:
        """Start a copy."""
        kernel = self.current
        if not kernel.moves_data:
            arguments.match_copy(self, src, dst)
        if self.interleaved:
            self.scheduler.pause(kernel)
        frame = sys._getframe(2)
        site = (frame.f_code, frame.f_lasti)
        src_kind, dst_kind = type(src), type(dst)
        if src_kind is SimSlice and dst_kind is SimBlock:
            type_ = dst.buffer.type
            if src.type is not type_:
                arguments.match_slice(self, src, dst, "into")
                control.note_match(src, type_)
            state = dst.table[dst.state * STEPS + _COPY_IN]
            if state < 0 or dst.kernel is not kernel:
                state = dst.after_transfers(Step.COPY_IN)
            dst.state = state
            dst.value = self.memory.read(src, type_)
            transfer = SimTransfer(dst, True, site)
        elif src_kind is SimBlock and dst_kind is SimSlice:
            type_ = src.buffer.type
            if dst.type is not type_:
                arguments.match_slice(self, dst, src, "from")
                control.note_match(dst, type_)
            value = self._begin_copy_out(src, kernel)
            if value.valid is not None:
                self.padding.copied(src, value.valid, dst, site)
            self.memory.write(value, dst, len(type_.shape), site)
            transfer = SimTransfer(src, False, site)
        elif src_kind is SimBlock and dst_kind is SimSrcPipe:
            arguments.require_active(self, dst, active=dst.active is kernel)
            value = self._begin_copy_out(src, kernel)
            transfer = dst.send(src, value, site)
        elif src_kind is SimDstPipe and dst_kind is SimBlock:
            arguments.require_active(self, src, active=src.active is kernel)
            self._begin_copy_in(dst, kernel)
            transfer = PipeReceive(dst, src, site)
        else:
            arguments.match_copy(self, src, dst)
        if self.on_event is not None:
            self.on_event(COPIED, (transfer, src, dst))
        return transfer

    def wait_any(self, requests: Any, start: Any) -> int:
        """Wait until one of several receives is complete."""
        return self.pipes.wait_any(requests, start, sys._getframe(2))

    def element_read(self, block: Any, coordinates: tuple[Any, ...]) -> float:
        """One element of a block."""
        return self.elements.read(elements.READ, block, coordinates)

    def element_write(self, block: Any, coordinates: tuple[Any, ...], value: Any) -> None:
        """Write one element of a block."""
        self.elements.write(block, coordinates, value)

    def index_read(self, block: Any, coordinates: tuple[Any, ...]) -> int:
        """One element of a block as an index."""
        value = self.elements.read(elements.INDEX, block, coordinates)
        finding = elements.no_index(value, block.buffer.name, coordinates)
        if finding is not None:
            self.fail(finding)
        return int(value)

    def pipe_net(self, net: PipeNet[Any]) -> PipeNetView:
        """State of a pipe net on the current node."""
        return self.pipes.view(net)

    def register_net(self, net: PipeNet[Any]) -> None:
        """Register a net that was constructed on the current node."""
        self._require_body("pipe net made")
        self.pipes.register(net)

    def new_semaphore(self, initial: int) -> SemaphoreView:
        """Create the next semaphore of the current node."""
        self._require_body("semaphore made")
        if self.lanes is not None:
            self.lanes.give_up()
        return self.semaphores.create(initial)

    def signpost(self, name: str, enter: bool) -> None:
        """Keep the stack of signposts; the simulator does not time them."""
        if enter:
            self.current.signposts.append(name)
        elif self.current.signposts:
            self.current.signposts.pop()

    def call_extern(self, call: ExternCall) -> int | None:
        """Run the Python stand-in of a C++ function, and compare its effects and its result with the declaration."""
        stand_in = STAND_INS.get().get(call.callee)
        if stand_in is None:
            self.refuse(external.no_stand_in(call.callee, call.header))
        if self.lanes is not None:
            self.lanes.give_up()
        declared = call.tiles
        buffers: list[SimBuffer] = [dfb for dfb in declared if isinstance(dfb, SimBuffer)]
        for buffer in buffers:
            block = prod(buffer.type.shape)
            for kind, tiles in declared[buffer].items():
                finding = external.whole_blocks(call.callee, kind, buffer.name, tiles, block)
                if finding is not None:
                    self.refuse(finding)
                declared[buffer][kind] = tiles // block
        kernel = self.current
        if kernel.is_compute:
            if kernel.computed:
                self.refuse(external.beside_mathematics(call.callee, kernel.name))
            self.externals[kernel] = call.callee, user_site(sys._getframe(1))
        before = [_steps(buffer) for buffer in buffers]
        if call.touched is not None:
            self.held_to[kernel] = call
            if self.watched is None:
                self.watched = (self.on_event,)
                self.on_event = self._watch
        value = stand_in(*call.stand_in_args)
        self.held_to.pop(kernel, None)
        kernel.computed = False
        for buffer, start in zip(buffers, before, strict=True):
            done = {kind: now - start[kind] for kind, now in _steps(buffer).items()}
            if done != declared[buffer]:
                self.refuse(external.other_effects(call.callee, buffer.name, declared[buffer], done))
        return None if call.result is None else self._answer(call, value, call.result.value)

    def _watch(self, kind: int, what: Any) -> None:
        """Refuse a copy of a stand-in to or from a part of a tensor that its call does not declare."""
        call = self.held_to.get(self.current) if kind == COPIED else None
        if call is not None:
            ends: tuple[tuple[Any, external.TensorAccessKind], ...] = ((what[1], "read"), (what[2], "write"))
            for end, does in ends:
                if isinstance(end, SimSlice) and not any(
                    self._covers(access, does, end) for access in call.touched or ()
                ):
                    bounds = ", ".join(f"{start}:{stop}" for start, stop in end.bounds)
                    self.refuse(external.other_access(call.callee, does, f"[{bounds}]"))
        (then,) = self.watched or (None,)
        if then is not None:
            then(kind, what)

    def _covers(self, access: TensorAccess, does: str, part: SimSlice) -> bool:
        """Whether a declared access covers an access of kind ``does`` to a slice."""
        declared = access.part
        if isinstance(declared, Tensor):
            return access.kind == does and part.storage is self.memory.storage(declared)
        assert isinstance(declared, SimSlice)
        inside = (
            low <= start and stop <= high
            for (start, stop), (low, high) in zip(part.bounds, declared.bounds, strict=False)
        )
        return access.kind == does and part.storage is declared.storage and all(inside)

    def _answer(self, call: ExternCall, value: Any, bits: int) -> int:
        """Return the result of a stand-in. It must be an integer of its type; if it answers a condition, the same as before."""
        if not is_int(value) or not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            self.refuse(external.no_result(call.callee, value, bits))
        if call.condition is not None:
            before = self.answers.setdefault((self.current.node, call.condition), value)
            if value != before:
                self.refuse(external.other_answer(call.callee, value, before))
        return int(value)

    # --- expressions -----------------------------------------------------------------------------------------

    def add(self, block: SimBlock | SimView, other: Any) -> BlockExpr:
        """``block + other``, for ``+=``."""
        return self.apply(ADD, (block, other), ())

    def note_unused(self, site: Site | None) -> None:
        """Count an expression that read blocks and was freed without having been stored."""
        if self.active and site is not None:
            self.unused[site] = self.unused.get(site, 0) + 1

    def limit_steps(self, count: int, stop: type[BaseException]) -> None:
        """Raise ``stop`` once kernels have made ``count`` calls; a negative count removes the limit."""
        if control.NATIVE:
            super().limit_steps(count, stop)
        else:
            limit_python_steps(self, count, stop)

    # --- for ``ttl.lang.arguments`` ---------------------------------------------------------------------

    @property
    def kernel_kind(self) -> KernelKind | None:
        """The kind of the kernel that is running; None in the operation's body."""
        return self.current.kind

    @property
    def what(self) -> str:
        """The name of the running kernel, or of the operation's body, for messages."""
        return self.current.what

    def likeness(self, buffer: SimBuffer) -> Tensor | None:
        """The tensor that a buffer was made like, where the call names a parameter of the operation."""
        call = None if buffer.site is None else call_at(buffer.site)
        if call is None or not call.args or not isinstance(call.args[0], ast.Name):
            return None
        given = self.arguments.get(call.args[0].id)
        return given if isinstance(given, Tensor) else None

    def refuse(
        self, finding: Diagnostic, *, made: SimBuffer | SimSrcPipe | SimDstPipe | None = None
    ) -> NoReturn:
        """Raise a finding at the user's line, saying where a buffer or a pipe was made."""
        if made is None:
            self.fail(finding)
        if isinstance(made, SimBuffer):
            self.fail(finding, related=((made.site, BUFFER_MADE),))
        self.fail(finding, related=((made.of.pipe.site, PIPE_MADE),))

    def refuse_read(self, block: SimBlock | SimView, position: int) -> None:
        """Raise the error for reading a block outside of a compute kernel."""
        whole = block.block if isinstance(block, SimView) else block
        whole.illegal(Step.READ)

    # --- copies -----------------------------------------------------------------------------------------

    def _begin_copy_in(self, block: SimBlock, kernel: Kernel) -> None:
        state = block.table[block.state * STEPS + _COPY_IN]
        if block.kernel is not kernel or state < 0:
            state = block.after_transfers(Step.COPY_IN)
        block.state = state

    def _begin_copy_out(self, block: SimBlock, kernel: Kernel) -> Value:
        state = block.table[block.state * STEPS + _COPY_OUT]
        if block.kernel is not kernel or state < 0:
            state = block.after_transfers(Step.COPY_OUT)
        block.state = state
        value = block.value
        assert value is not None
        return value

    # --- errors -----------------------------------------------------------------------------------------

    def fail(
        self, diagnostic: Diagnostic, label: str = "", related: tuple[tuple[Site | None, str], ...] = ()
    ) -> NoReturn:
        """Raise an error at the user's line, saying which kernel on which node."""
        site = user_site(sys._getframe(1)) if self.fallback_site is None else self.fallback_site
        raise ProgramError(self.located(diagnostic, site, label, related))

    def located(
        self,
        diagnostic: Diagnostic,
        site: Site | None,
        label: str = "",
        related: tuple[tuple[Site | None, str], ...] = (),
    ) -> Diagnostic:
        """A diagnostic with its place, the related places and the kernel that was running."""
        placed = diagnostic.at(span_of_site(site) if site is not None else None, label)
        for other, text in related:
            if other is not None:
                placed = placed.also(span_of_site(other), text)
        current = self.current
        told = self.active and (current.is_kernel or current.node.index)
        return placed.noting(f"in {current.where}") if told else placed

    def _require_body(self, what: str) -> None:
        if self.current.is_kernel:
            self.fail(kernel_rules.made_in_kernel(what, self.current.name))


def make_nodes(engine: Engine, grid: tuple[int, ...]) -> list[Node]:
    """The nodes of a launch with their bodies, row-major."""
    nodes = [Node(engine, index, coordinate(index, grid, len(grid))) for index in range(prod(grid))]
    for node in nodes:
        node.body = Kernel(node, "operation body", None, None)
    return nodes


def take_apart(nodes: list[Node]) -> None:
    """Take a finished launch apart, so that no object of it keeps the rest alive."""
    for node in nodes:
        for buffer in node.buffers:
            buffer.producer = buffer.consumer = buffer.last_reserved = buffer.last_waited = None
            buffer.wait_for_space = buffer.wait_for_data = None
        del node.body
        node.kernels.clear()
        node.buffers.clear()


def limit_python_steps(engine: Engine, count: int, stop: type[BaseException]) -> None:
    """Limit steps like ``Engine.limit_steps``, in Python.

    All functions that kernels call look up the running kernel or the grid, and these look-ups are counted.
    """
    if count < 0:
        engine.__class__ = Engine
        return
    left = count

    def count_one() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise stop

    class Limited(Engine):
        @property
        def current(self) -> Kernel:
            count_one()
            kernel: Kernel = self.__dict__["current"]
            return kernel

        @current.setter
        def current(self, kernel: Kernel) -> None:
            self.__dict__["current"] = kernel

        @property
        def grid(self) -> tuple[int, ...]:  # type: ignore[override]
            count_one()
            extents: tuple[int, ...] = self.__dict__["grid"]
            return extents

    engine.__class__ = Limited


def _operands_here(site: Site | None) -> tuple[str, ...]:
    return () if site is None else operands_at(site)


def _definition(function: Any) -> Site | None:
    code = getattr(function, "__code__", None)
    return (code, 0) if code is not None else None


def _steps(buffer: SimBuffer) -> dict[str, int]:
    """Return how many blocks of a buffer were acquired and given back since the launch began."""
    counts = (buffer.reserved, buffer.pushed, buffer.waited, buffer.popped)
    return dict(zip(EFFECTS, counts, strict=True))
