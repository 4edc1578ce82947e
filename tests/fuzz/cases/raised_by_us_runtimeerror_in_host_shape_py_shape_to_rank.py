# was: raised by us: RuntimeError in host/shape.py Shape.to_rank
# is: TTL1004
import torch
import ttnn

x = torch.linspace(-1, 1, 64 * 64).reshape(64, 64)
r0 = ttnn.Shape().to_rank(x)
