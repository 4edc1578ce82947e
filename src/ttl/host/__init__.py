"""The host library: tensors, devices and whole-tensor operations under the names of TT-NN."""
