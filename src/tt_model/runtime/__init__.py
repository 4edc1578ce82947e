"""A system without a card: memory with addresses, tensors in the formats of the chip, and what runs binaries on them."""
