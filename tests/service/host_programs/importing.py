"""A program that uses, and changes, what the module beside it defines."""

import torch
import ttl
import ttnn
import beside
from beside import SCALE, Twice, doubled, tensor
from beside import shapes as known_shapes

device = ttnn.open_device(device_id=0)
x = tensor((64, 64), device)
y = tensor((64, 64), device)
doubled(x, y)
beside.doubled(x, y, SCALE)
Twice(1).run(x, y)
for shape in known_shapes:
    doubled(tensor(shape, device), y)
known_shapes.append((32, 32))
doubled(tensor(known_shapes[-1], device), y)
beside.shapes.append((96, 96))
doubled(tensor(beside.shapes[-1], device), y)
