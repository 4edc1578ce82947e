"""Nodes that run the same path are run as one: *lanes* of one trace.

Most nodes of a grid differ only in the coordinate from which they compute the parts of tensors that they use. So the
first launch of an operation runs the kernels of one node for all nodes that are alike, with *lane numbers* in place of
the coordinate (``coordinates``): each stands for one number on every lane. They add, multiply and compare as numbers
do. A use of a lane number whose result is not the same on all lanes (a loop that some lanes run longer,
``if node == 0``) ends the attempt; the lanes are parted by their results, and the run begins again. So one run is the
run of all lanes by construction: no part of it could tell the lanes apart. Pipes part the lanes by who sends to whom
(``routes``).

Each slice of a tensor is recorded with the distances of the other lanes' slices from it (``memory``). Nothing is
computed, and the tape of this run is spread over all lanes (``attempts``, ``native/core/tape.cpp``). Then the tape is
carried out and kept, as replay does with tapes. Only code that replay has read is run like this.

Code that is not understood, a failure or a warning ends the attempt, and the kernels run on every node, as if nothing
had been tried: every message comes from that run.
"""

from __future__ import annotations

from ttl.sim.lanes.attempts import is_worthwhile, trace

__all__ = ["is_worthwhile", "trace"]
