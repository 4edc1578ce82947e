"""Replay: a call like an earlier one runs only what the earlier one computed, and no kernel.

A kernel cannot see the contents of blocks or tensors. So what an operation computes follows from its code, what that
can see, and the properties of its arguments. ``lang.visible`` finds out what it can see; ``refusals`` whether it does
anything else, by its bytecode (``purity``) and by what is ``allowed``; ``key`` describes a call; ``cache`` keeps the tapes
and checks them. Who launches asks ``prepare``::

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
