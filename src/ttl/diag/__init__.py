"""Diagnostics: the mistake, its location, the values involved, and the code to write instead."""

from ttl.diag.errors import (
    DeadlockError,
    InternalError,
    KernelInterrupted,
    ProgramError,
    ResourceError,
    TTLError,
    TTLWarning,
)
from ttl.diag.families import Family, Subject
from ttl.diag.model import Diagnostic, Edit, Fix, Label, Severity, error, note, warning

__all__ = [
    "DeadlockError",
    "Diagnostic",
    "Edit",
    "Family",
    "Fix",
    "InternalError",
    "KernelInterrupted",
    "Label",
    "ProgramError",
    "ResourceError",
    "Severity",
    "Subject",
    "TTLError",
    "TTLWarning",
    "error",
    "note",
    "warning",
]
