# was: TTL0225: message is not one line without a full stop
# is: TTL0225
import torch
import ttl

data = torch.linspace(ttl.PipeNet([])).reshape()
