"""Layouts, devices and systems as plain records: no IR, only the affine maps of xDSL.

``layout`` has the arithmetic of the Tensor Layout specification, ``device`` that of the Device specification, ``system_desc``
the machines that are known by name.
"""
