"""The device domain of an operation, and the grid of its nodes on all chips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dis import get_instructions
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ttl.arch import Chip
from ttl.lang.check import fail
from ttl.lang.devices import DeviceDomain, DevicePoints, DeviceView, TransferGraph
from ttl.lang.operation import Operation
from ttl.lang.pipe import PipeNet, domain_of
from ttl.protocol.chips import NODE_DIMS
from ttl.protocol.devices import ChipDomain, DeviceGrid
from ttl.protocol.grid import Grid
from ttl.rules import devices as rules

_KINDS = frozenset((PipeNet, TransferGraph, DeviceDomain, DeviceView, DevicePoints, Operation))
_LOOKED_INTO = _KINDS | {list, tuple}
# Types of values whose names are not expected to be reassigned to a net.
_DEFINITIONS = (ModuleType, FunctionType, type)


def grid_of(operation: Operation, chip: Chip, seen: Iterable[Any] | None = None) -> Grid:
    """The grid of a launch on a chip: the extents of a device domain, if there is one, followed by those of nodes.

    ``seen`` are the outer objects that the body of the operation reads, for a function that is only read.
    """
    nodes: Grid = chip.grid if isinstance(operation.grid, str) else operation.grid
    domain = operation.device_domain
    if domain is None:
        around = _read_by(operation) if seen is None else seen
        domain = _inferred(around) if around else None
        if domain is None:
            return nodes
    if len(nodes) > NODE_DIMS:
        fail(rules.grid_of_a_chip(nodes))
    return DeviceGrid(domain, nodes)


def _inferred(values: Iterable[Any]) -> ChipDomain | None:
    """Return the domain of nets and called operations; without these, of graphs; without graphs, of other values.

    None if the values have no domain; different domains are an error (TTL0629).
    """
    seen: tuple[list[ChipDomain], ...] = ([], [], [])
    for value in values:
        first = value[0] if type(value) in (list, tuple) and value else value
        if type(first) not in _KINDS:
            continue
        for one in value if first is not value else (value,):
            match one:
                case PipeNet() if one.parts:
                    seen[0].append(domain_of(one.parts))
                case TransferGraph(graph=graph):
                    seen[1].append(graph.domain)
                case DeviceDomain(domain=domain) | DeviceView(domain=domain):
                    seen[2].append(domain)
                case DevicePoints(view=view):
                    seen[2].append(view.domain)
                case Operation():
                    called = one.device_domain or _inferred(_read_by(one))
                    if called is not None:
                        seen[0].append(called)
    for domains in seen:
        if domains:
            for other in domains:
                if other != domains[0]:
                    fail(rules.two_domains(domains[0], other))
            return domains[0]
    return None


def _read_by(operation: Operation) -> list[Any]:
    """The outer objects that an operation's code reads and that may refer to a domain.

    It is called for every launch.
    """
    function = operation.written
    outside = function.__globals__
    names = operation.names
    if names is None:
        read = dict.fromkeys(_names(function.__code__))
        names = tuple(name for name in read if not isinstance(outside.get(name), _DEFINITIONS))
        operation.names = names
    if not names and function.__closure__ is None:
        return []
    values = [outside.get(name) for name in names]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # the variable has no value yet
            values.append(cell.cell_contents)
    return [value for value in values if type(value) in _LOOKED_INTO and value is not operation]


def _names(code: CodeType) -> Iterator[str]:
    """The names of global variables that code, and functions defined in it, read."""
    for instruction in get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
