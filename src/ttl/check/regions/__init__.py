"""Which parts of tensors an operation touches: boxes, who touches them, and what orders the accesses."""
