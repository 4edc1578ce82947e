# was: raised by us: AttributeError in host/tensor.py Tensor.__getattr__
# is: ok
import torch
import ttnn

mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
x = ttnn.from_torch(torch.ones(64, 64), device=mesh, mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0))
x.buffer_address()
