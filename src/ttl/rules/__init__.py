"""The rules of the language, once: what is wrong with a program, in words.

Pure functions of plain values (block types, extents, names, coordinates). They return a diagnostic without a place, or
None. The caller knows the place: the simulator while the program runs, the checker and the front end before it does.
"""
