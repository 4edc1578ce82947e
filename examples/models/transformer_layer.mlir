// Written by examples/models/write_models.py.
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|none|interleaved|single_bank|height_sharded|width_sharded|block_sharded|any_layout|any_device|any_device_tile|l1_block_sharded>
module {
  func.func @forward(%tokens: tensor<128x256xf32>, %attention_scale: tensor<1x256xf32>, %attention_shift: tensor<1x256xf32>, %query_weight: tensor<256x256xf32>, %key_weight: tensor<256x256xf32>, %value_weight: tensor<256x256xf32>, %output_weight: tensor<256x256xf32>, %perceptron_scale: tensor<1x256xf32>, %perceptron_shift: tensor<1x256xf32>, %wide_weight: tensor<256x1024xf32>, %narrow_weight: tensor<1024x256xf32>) -> tensor<128x256xf32> {
    %attention_mean_out = tensor.empty() : tensor<128x1xf32>
    %attention_mean = "ttir.mean"(%tokens, %attention_mean_out) <{operand_constraints = [#any_device, #any_device], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<128x256xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("attention_mean")
    %attention_centred_out = tensor.empty() : tensor<128x256xf32>
    %attention_centred = "ttir.subtract"(%tokens, %attention_mean, %attention_centred_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x1xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("attention_centred")
    %attention_squares_out = tensor.empty() : tensor<128x256xf32>
    %attention_squares = "ttir.multiply"(%attention_centred, %attention_centred, %attention_squares_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("attention_squares")
    %attention_variance_out = tensor.empty() : tensor<128x1xf32>
    %attention_variance = "ttir.mean"(%attention_squares, %attention_variance_out) <{operand_constraints = [#any_device, #any_device], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<128x256xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("attention_variance")
    %attention_small = "ttir.constant"() <{value = dense<1.000000e-05> : tensor<128x1xf32>}> : () -> tensor<128x1xf32> loc("attention_small")
    %attention_safe_out = tensor.empty() : tensor<128x1xf32>
    %attention_safe = "ttir.add"(%attention_variance, %attention_small, %attention_safe_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x1xf32>, tensor<128x1xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("attention_safe")
    %attention_inverse_out = tensor.empty() : tensor<128x1xf32>
    %attention_inverse = "ttir.rsqrt"(%attention_safe, %attention_inverse_out) <{operand_constraints = [#any_device, #any_device], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<128x1xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("attention_inverse")
    %attention_unit_out = tensor.empty() : tensor<128x256xf32>
    %attention_unit = "ttir.multiply"(%attention_centred, %attention_inverse, %attention_unit_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x1xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("attention_unit")
    %attention_scaled_out = tensor.empty() : tensor<128x256xf32>
    %attention_scaled = "ttir.multiply"(%attention_unit, %attention_scale, %attention_scaled_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<1x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("attention_scaled")
    %attention_normal_out = tensor.empty() : tensor<128x256xf32>
    %attention_normal = "ttir.add"(%attention_scaled, %attention_shift, %attention_normal_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<1x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("attention_normal")
    %query_product_out = tensor.empty() : tensor<128x256xf32>
    %query_product = "ttir.matmul"(%attention_normal, %query_weight, %query_product_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<128x256xf32>, tensor<256x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("query_product")
    %query_split_out = tensor.empty() : tensor<128x4x64xf32>
    %query_split = "ttir.reshape"(%query_product, %query_split_out) <{operand_constraints = [#any_device, #any_device], shape = [128 : i32, 4 : i32, 64 : i32]}> : (tensor<128x256xf32>, tensor<128x4x64xf32>) -> tensor<128x4x64xf32> loc("query_split")
    %query_out = tensor.empty() : tensor<4x128x64xf32>
    %query = "ttir.transpose"(%query_split, %query_out) <{operand_constraints = [#any_device, #any_device], dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<128x4x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32> loc("query")
    %key_product_out = tensor.empty() : tensor<128x256xf32>
    %key_product = "ttir.matmul"(%attention_normal, %key_weight, %key_product_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<128x256xf32>, tensor<256x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("key_product")
    %key_split_out = tensor.empty() : tensor<128x4x64xf32>
    %key_split = "ttir.reshape"(%key_product, %key_split_out) <{operand_constraints = [#any_device, #any_device], shape = [128 : i32, 4 : i32, 64 : i32]}> : (tensor<128x256xf32>, tensor<128x4x64xf32>) -> tensor<128x4x64xf32> loc("key_split")
    %key_out = tensor.empty() : tensor<4x128x64xf32>
    %key = "ttir.transpose"(%key_split, %key_out) <{operand_constraints = [#any_device, #any_device], dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<128x4x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32> loc("key")
    %value_product_out = tensor.empty() : tensor<128x256xf32>
    %value_product = "ttir.matmul"(%attention_normal, %value_weight, %value_product_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<128x256xf32>, tensor<256x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("value_product")
    %value_split_out = tensor.empty() : tensor<128x4x64xf32>
    %value_split = "ttir.reshape"(%value_product, %value_split_out) <{operand_constraints = [#any_device, #any_device], shape = [128 : i32, 4 : i32, 64 : i32]}> : (tensor<128x256xf32>, tensor<128x4x64xf32>) -> tensor<128x4x64xf32> loc("value_split")
    %value_out = tensor.empty() : tensor<4x128x64xf32>
    %value = "ttir.transpose"(%value_split, %value_out) <{operand_constraints = [#any_device, #any_device], dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<128x4x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32> loc("value")
    %key_turned_out = tensor.empty() : tensor<4x64x128xf32>
    %key_turned = "ttir.transpose"(%key, %key_turned_out) <{operand_constraints = [#any_device, #any_device], dim0 = -2 : si32, dim1 = -1 : si32}> : (tensor<4x128x64xf32>, tensor<4x64x128xf32>) -> tensor<4x64x128xf32> loc("key_turned")
    %scores_out = tensor.empty() : tensor<4x128x128xf32>
    %scores = "ttir.matmul"(%query, %key_turned, %scores_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<4x128x64xf32>, tensor<4x64x128xf32>, tensor<4x128x128xf32>) -> tensor<4x128x128xf32> loc("scores")
    %scale = "ttir.constant"() <{value = dense<1.250000e-01> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32> loc("scale")
    %scores_scaled_out = tensor.empty() : tensor<4x128x128xf32>
    %scores_scaled = "ttir.multiply"(%scores, %scale, %scores_scaled_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<4x128x128xf32>, tensor<1x1x1xf32>, tensor<4x128x128xf32>) -> tensor<4x128x128xf32> loc("scores_scaled")
    %attention_weights_out = tensor.empty() : tensor<4x128x128xf32>
    %attention_weights = "ttir.softmax"(%scores_scaled, %attention_weights_out) <{operand_constraints = [#any_device, #any_device], dimension = -1 : si32}> : (tensor<4x128x128xf32>, tensor<4x128x128xf32>) -> tensor<4x128x128xf32> loc("attention_weights")
    %mixed_out = tensor.empty() : tensor<4x128x64xf32>
    %mixed = "ttir.matmul"(%attention_weights, %value, %mixed_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<4x128x128xf32>, tensor<4x128x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32> loc("mixed")
    %mixed_turned_out = tensor.empty() : tensor<128x4x64xf32>
    %mixed_turned = "ttir.transpose"(%mixed, %mixed_turned_out) <{operand_constraints = [#any_device, #any_device], dim0 = 0 : si32, dim1 = 1 : si32}> : (tensor<4x128x64xf32>, tensor<128x4x64xf32>) -> tensor<128x4x64xf32> loc("mixed_turned")
    %mixed_joined_out = tensor.empty() : tensor<128x256xf32>
    %mixed_joined = "ttir.reshape"(%mixed_turned, %mixed_joined_out) <{operand_constraints = [#any_device, #any_device], shape = [128 : i32, 256 : i32]}> : (tensor<128x4x64xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("mixed_joined")
    %attended_out = tensor.empty() : tensor<128x256xf32>
    %attended = "ttir.matmul"(%mixed_joined, %output_weight, %attended_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<128x256xf32>, tensor<256x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("attended")
    %after_attention_out = tensor.empty() : tensor<128x256xf32>
    %after_attention = "ttir.add"(%tokens, %attended, %after_attention_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("after_attention")
    %perceptron_mean_out = tensor.empty() : tensor<128x1xf32>
    %perceptron_mean = "ttir.mean"(%after_attention, %perceptron_mean_out) <{operand_constraints = [#any_device, #any_device], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<128x256xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("perceptron_mean")
    %perceptron_centred_out = tensor.empty() : tensor<128x256xf32>
    %perceptron_centred = "ttir.subtract"(%after_attention, %perceptron_mean, %perceptron_centred_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x1xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("perceptron_centred")
    %perceptron_squares_out = tensor.empty() : tensor<128x256xf32>
    %perceptron_squares = "ttir.multiply"(%perceptron_centred, %perceptron_centred, %perceptron_squares_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("perceptron_squares")
    %perceptron_variance_out = tensor.empty() : tensor<128x1xf32>
    %perceptron_variance = "ttir.mean"(%perceptron_squares, %perceptron_variance_out) <{operand_constraints = [#any_device, #any_device], keep_dim = true, dim_arg = [-1 : i32]}> : (tensor<128x256xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("perceptron_variance")
    %perceptron_small = "ttir.constant"() <{value = dense<1.000000e-05> : tensor<128x1xf32>}> : () -> tensor<128x1xf32> loc("perceptron_small")
    %perceptron_safe_out = tensor.empty() : tensor<128x1xf32>
    %perceptron_safe = "ttir.add"(%perceptron_variance, %perceptron_small, %perceptron_safe_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x1xf32>, tensor<128x1xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("perceptron_safe")
    %perceptron_inverse_out = tensor.empty() : tensor<128x1xf32>
    %perceptron_inverse = "ttir.rsqrt"(%perceptron_safe, %perceptron_inverse_out) <{operand_constraints = [#any_device, #any_device], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<128x1xf32>, tensor<128x1xf32>) -> tensor<128x1xf32> loc("perceptron_inverse")
    %perceptron_unit_out = tensor.empty() : tensor<128x256xf32>
    %perceptron_unit = "ttir.multiply"(%perceptron_centred, %perceptron_inverse, %perceptron_unit_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x1xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("perceptron_unit")
    %perceptron_scaled_out = tensor.empty() : tensor<128x256xf32>
    %perceptron_scaled = "ttir.multiply"(%perceptron_unit, %perceptron_scale, %perceptron_scaled_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<1x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("perceptron_scaled")
    %perceptron_normal_out = tensor.empty() : tensor<128x256xf32>
    %perceptron_normal = "ttir.add"(%perceptron_scaled, %perceptron_shift, %perceptron_normal_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<1x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("perceptron_normal")
    %widened_out = tensor.empty() : tensor<128x1024xf32>
    %widened = "ttir.matmul"(%perceptron_normal, %wide_weight, %widened_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<128x256xf32>, tensor<256x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32> loc("widened")
    %activated_out = tensor.empty() : tensor<128x1024xf32>
    %activated = "ttir.gelu"(%widened, %activated_out) <{operand_constraints = [#any_device, #any_device], operandSegmentSizes = array<i32: 1, 1>}> : (tensor<128x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32> loc("activated")
    %narrowed_out = tensor.empty() : tensor<128x256xf32>
    %narrowed = "ttir.matmul"(%activated, %narrow_weight, %narrowed_out) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<128x1024xf32>, tensor<1024x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("narrowed")
    %after_perceptron_out = tensor.empty() : tensor<128x256xf32>
    %after_perceptron = "ttir.add"(%after_attention, %narrowed, %after_perceptron_out) <{operand_constraints = [#any_device, #any_device, #any_device], operandSegmentSizes = array<i32: 2, 1>}> : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32> loc("after_perceptron")
    return %after_perceptron : tensor<128x256xf32>
  }
}
