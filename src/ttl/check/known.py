"""Operations whose checks run when they are read, or ran before."""

from __future__ import annotations

from ttl.diag import Diagnostic
from ttl.frontend.lowering import Lowering


class CheckedLowering(Lowering):
    """Base class of caches of results; this one caches nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.findings: list[Diagnostic] = []
        """The findings of ``check_operation``, in the order of the operations."""
        self.not_followed: list[str] = []
        """The parts of these operations that could not be checked, and why."""
