"""Numbers of the events that kernels cause, for recorders of events; ``native/core/core.h`` has the first ones, too.

``Engine.on_event`` is called with one of these and what it is about, when it has happened.
"""

from __future__ import annotations

from typing import Final

ACQUIRED: Final = 0
"""A block was reserved, or was waited for and is there: the block."""
PUSHED: Final = 1
POPPED: Final = 2
STORED: Final = 3
COPIED: Final = 4
"""A copy has begun: the transfer, its source and its destination."""
ARRIVED: Final = 5
"""A copy is complete, and that was waited for: the transfer."""
CHANGED: Final = 6
"""A semaphore was set or increased: the kernel, the semaphore, the index of the node where."""
PASSED: Final = 7
"""A wait for a semaphore has ended: the same."""
