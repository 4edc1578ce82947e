"""The simulator: runs the user's Python, checks every rule, explains every failure.

Kernels run as real Python in greenlets over true bounded rings, in a fixed schedule. Blocks are references to
values; ``store`` records a task; an executor computes tasks when something looks at the data or enough are
pending. Design: DESIGN.md "The simulator".
"""
