"""State machines of the language and grid arithmetic. Pure: no engine, no tensors, no user objects.

The simulator executes them; the checker proves with them. Specification: "Block states", "Dataflow buffer",
"Pipe", "Semaphore", "Grid".
"""
