"""A system without a card: memory with addresses, tensors in the chip's formats, and executors of binaries."""
