"""The cause of a deadlock: one engine for every execution.

An execution that cannot continue is a ``network.Network``: kernels, the resources that they share, their waits, and,
where it can continue from there, the changes that an experiment may make. ``graph`` finds which kernels wait for which,
``trial`` continues from the deadlock to find changes that would have prevented it, ``causes`` decides, ``report`` makes
the diagnostic.
"""
