"""The rules of the language, each written once: pure functions that check plain values and describe mistakes in words.

The values are block types, extents, names and coordinates. The functions return a diagnostic without a location, or
None. The caller knows the location: the simulator while the program runs, the checker and the front end before it does.
"""
