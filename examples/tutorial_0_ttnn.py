"""Tutorial, step 0: a * b + c as a TT-NN program.

Two operations of TT-NN, one after the other: the product goes to memory and comes back. The next steps
write one operation of our own that does it in one pass.
"""

import torch
import ttl  # noqa: F401  finds ttnn where the real one is not installed
import ttnn

from checking import BFLOAT16, compare

device = ttnn.open_device(device_id=0)


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a, b, c = (torch.rand(256, 256).bfloat16() for _ in range(3))

y = ttnn.add(ttnn.multiply(to_device(a), to_device(b)), to_device(c))

# Two roundings to bfloat16: of the product and of the sum.
expected = a.double() * b.double() + c.double()
compare("a * b + c, TT-NN", ttnn.to_torch(y), expected, rtol=2.01 * BFLOAT16)
ttnn.close_device(device)
