# RUN: %python %s | FileCheck %s
# Tests the very basics of the python bindings


from ttmlir.dialects import tt
from ttmlir.ir import *

with Context() as ctx:
    tt.register_dialect(ctx)
    module = Module.parse(
        """
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = tensor.empty() : tensor<64x128xf32>
    %2 = tensor.empty() : tensor<64x128xf32>
    %3 = "ttir.multiply"(%0, %1, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#tt.operand_constraint<dram|l1|scalar|tile|any_device>, #tt.operand_constraint<dram|l1|scalar|tile|any_device>, #tt.operand_constraint<dram|l1|scalar|tile|any_device>]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
    """
    )
    # CHECK: = tensor.empty() : tensor<64x128xf32>
    # CHECK: = tensor.empty() : tensor<64x128xf32>
    # CHECK: = tensor.empty() : tensor<64x128xf32>
    # CHECK: = "ttir.multiply"
    print(str(module))
