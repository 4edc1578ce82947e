# was: TTL1002 points at another file
# is: TTL1002
import torch
import ttnn


def double(x, y):
    exec("y.push()")


data = torch.arange(64 * 64).reshape(64, 64).float()
x = ttnn.from_torch(data)
y = ttnn.zeros_like(x)
double(x, y)
