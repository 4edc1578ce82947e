"""Numbers of the events that kernels cause, for recorders of events; ``native/core/core.h`` has the first ones, too.

After an event ``Engine.on_event`` is called with its number and its subject, which is named below.
"""

from __future__ import annotations

from typing import Final

ACQUIRED: Final = 0
"""A block was acquired by ``reserve`` or ``wait``. Subject: the block, which it is for the next three events, too."""
PUSHED: Final = 1
POPPED: Final = 2
STORED: Final = 3
COPIED: Final = 4
"""A copy has begun. Subject: the transfer, its source and its destination."""
ARRIVED: Final = 5
"""A wait for a copy has ended. Subject: the transfer."""
CHANGED: Final = 6
"""A semaphore was set or increased. Subject: the kernel, the semaphore, the index of the node on which it changed."""
PASSED: Final = 7
"""A wait for a semaphore has ended. Subject: as for ``CHANGED``."""
