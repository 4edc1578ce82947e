"""Replay: a call like an earlier one repeats only the computations of the earlier one, and runs no kernel.

A kernel cannot see the contents of blocks or tensors. So the computations of an operation follow from its code, the
objects that the code can see, and the properties of its arguments. ``lang.visible`` finds these objects; ``refusals``
checks that the code does nothing else, by its bytecode (``purity``) and by the tables in ``allowed``; ``key`` describes
a call; ``cache`` keeps the tapes and checks them. The code that launches an operation calls ``prepare``::

    outcome = prepare(launch)
    if outcome is None:                        # replay is off
        run(launch)
    elif isinstance(outcome, Trace):
        result = run(launch, recording=outcome.tensors)  # None: do not record
        outcome.recorded(result)               # a tape, or the reason why not

Everything not understood is refused, with a reason that ``--stats`` shows.
"""

from __future__ import annotations

from ttl.sim.replay.cache import Replayed, Trace, prepare
from ttl.sim.replay.tape import Tape, TapeRecorder

__all__ = ["Replayed", "Tape", "TapeRecorder", "Trace", "prepare"]
