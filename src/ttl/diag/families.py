"""Subjects of findings: the family of a code, and the subjects that rules of several families share."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Family(StrEnum):
    """The subject of a range of codes. Only this module knows the first digits of the codes of each family."""

    COMMAND_LINE = "command line"
    OPERATIONS = "operations"
    BLOCKS = "blocks"
    EXPRESSIONS = "expressions"
    COPIES = "copies"
    PIPES = "pipes"
    SEMAPHORES = "semaphores"
    RESOURCES = "resources"
    LEFT_OVERS = "left-overs"
    DEADLOCKS = "deadlocks"
    HOST_LIBRARY = "host library"
    NUMERICS = "numerics"
    SPELLINGS = "older spellings"
    PYTHON = "Python"
    COMPILER = "compiler"
    EMULATED_CHIP = "emulated chip"
    ONE_BODY = "one body"
    BINARIES = "binaries of models"
    TILE_PROGRAMS = "tile programs"
    DEFECTS = "defects"


_RANGES: Mapping[str, Family] = MappingProxyType(
    {
        "TTL01": Family.COMMAND_LINE,
        "TTL02": Family.OPERATIONS,
        "TTL03": Family.BLOCKS,
        "TTL04": Family.EXPRESSIONS,
        "TTL05": Family.COPIES,
        "TTL06": Family.PIPES,
        "TTL07": Family.SEMAPHORES,
        "TTL08": Family.RESOURCES,
        "TTL090": Family.LEFT_OVERS,
        "TTL09": Family.DEADLOCKS,
        "TTL10": Family.HOST_LIBRARY,
        "TTL11": Family.NUMERICS,
        "TTL12": Family.SPELLINGS,
        "TTL13": Family.PYTHON,
        "TTL14": Family.COMPILER,
        "TTL15": Family.EMULATED_CHIP,
        "TTL16": Family.ONE_BODY,
        "TTL17": Family.BINARIES,
        "TTL18": Family.TILE_PROGRAMS,
        "TTL90": Family.DEFECTS,
    }
)


def family_of(code: str) -> Family:
    """The family of a code. Raises ``KeyError`` if ``code`` is not a code."""
    return _RANGES.get(code[:6]) or _RANGES[code[:5]]


# The codes for values that are not stored, and for dataflow buffers that are not used.
_UNUSED = frozenset({"TTL0905", "TTL0907"})


def is_unused(code: str) -> bool:
    """Whether the findings with this code are about a value that is not stored, or a buffer that is not used."""
    return code in _UNUSED


class Subject(StrEnum):
    """The subject of a finding, if rules of several families report the same mistake."""

    ACQUISITION = "acquisition"
    """The call that acquires a block: ``reserve`` or ``wait``."""
    RELEASE = "release"
    """A push or a pop that is missing, or comes too late."""
    MESSAGES = "messages"
    """The numbers of messages sent and received on a pipe."""
    END = "end"
    """Blocks and messages that remain, or are lost, when an operation ends."""
    CODE = "code"
    """The text of the program, independent of its arguments."""
    FAILURE = "failure"
    """An exception that Python itself raises when the program runs."""
