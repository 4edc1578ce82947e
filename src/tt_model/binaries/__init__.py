"""A binary as an object: what it says, how it is submitted to devices, what it costs and what it should give."""
