"""Nodes that run the same path are run as one: *lanes* of one trace.

Most nodes of a grid differ in nothing but the coordinate from which they compute what they slice. So the first launch of an
operation runs the kernels of one node for all that are alike, with *lane numbers* in the place of the coordinate
(``coordinates``): each stands for one number on every lane. They add, multiply and compare as numbers do; whatever is asked
of one that has not the same answer on all lanes (a loop that some lanes run longer, ``if node == 0``) ends the attempt, the
lanes are parted by their answers, and it begins again. So one run is the run of all lanes by construction: no part of it
could tell the lanes apart. Pipes part them by who sends to whom (``routes``).

What is slices of tensors is noted with how far the slices of the other lanes lie from it (``memory``), nothing is computed,
and the tape of this run is spread over all lanes (``attempts``, ``native/core/tape.cpp``). Then it is carried out, as replay
carries out tapes, and kept as replay keeps them; only code that replay has read is run so.

Whatever is not understood, fails or warns ends all of this, and the kernels run on every node, as if nothing had been tried:
every message comes from there.
"""

from __future__ import annotations

from ttl.sim.lanes.attempts import is_worthwhile, trace

__all__ = ["is_worthwhile", "trace"]
