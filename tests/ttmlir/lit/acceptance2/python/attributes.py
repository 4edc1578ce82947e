"""What the attribute classes of the bindings make and give back."""

from ttmlir.dialects import tt, ttnn
from ttmlir.ir import Context, Location

with Context() as ctx, Location.unknown(ctx):
    tt.register_dialect(ctx)
    # CHECK: 2038 32 2
    constraint = tt.OperandConstraint
    print(int(constraint.AnyDeviceTile), int(constraint.None_), int(tt.MemorySpace.DeviceDRAM))
    grid = tt.ir.GridAttr.get(ctx, [2, 4])
    # CHECK: #tt.grid<2x4> [2, 4] None
    print(grid, tt.ir.GridAttr.maybe_downcast(grid).shape, tt.ir.ArchAttr.maybe_downcast(grid))
    arch = tt.ir.ArchAttr.get(ctx, tt.Arch.Blackhole)
    # CHECK: #tt.arch<blackhole> 2
    print(arch, tt.ir.ArchAttr.maybe_downcast(arch).arch_as_int)
    # CHECK: [#tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>, #tt.operand_constraint<dram>]
    print(
        tt.ir.OperandConstraintAttr.get(
            ctx, [tt.ir.OperandConstraintAttr.get(ctx, value) for value in (constraint.L1BlockSharded, 2)]
        )
    )
    system = tt.ir.SystemDescAttr.get_default(ctx)
    described = tt.ir.SystemDescAttr.maybe_downcast(system)
    chip = described.chip_descs[0]
    # CHECK: 1498112 1073740800 #tt.arch<wormhole_b0> [8, 8] 32 [0] []
    print(
        chip.usable_l1_size,
        chip.usable_dram_channel_size,
        chip.arch,
        chip.grid,
        chip.num_cbs,
        described.chip_desc_indices,
        described.chip_channels,
    )
    device = tt.ir.DeviceAttr.from_system_desc(ctx, system, [1, 1])
    unwrapped = tt.ir.DeviceAttr.unwrap(device)
    # CHECK: #tt.grid<8x8, (d0, d1) -> (0, d0, d1)> [1, 1] [0]
    print(unwrapped.grid_attr, unwrapped.mesh_shape, unwrapped.chip_ids)
    # CHECK: (d0, d1)[s0, s1] -> (0, d0 floordiv s0, d1 floordiv s1, (d0 mod s0) * s1 + d1 mod s1)
    print(unwrapped.l1_map)
    tile = tt.ir.TileType.get(ctx, 32, 32, tt.DataType.BFP_BFloat8)
    # CHECK: !tt.tile<32x32, bfp_bf8> [32, 32]
    print(tile, tt.ir.TileType.maybe_downcast(tile).shape)
    # CHECK: #ttnn.core_range<0x0, 8x8> #ttnn.core_range<0x0, 2x4>
    print(ttnn.ir.CoreRangeAttr.get(ctx, [0, 0], [8, 8]), ttnn.ir.CoreRangeAttr.get_with_grid(ctx, grid))
    config = ttnn.ir.MemoryConfigAttr.get_by_value(ctx, 1, 0, [64, 128])
    parts = ttnn.ir.MemoryConfigAttr.maybe_downcast(config)
    # CHECK: #ttnn.memory_config<<interleaved>, <dram>, <<64x128>>> #ttnn.buffer_type<dram> #ttnn.shard_spec<<64x128>>
    print(config, parts.buffer_type, parts.shard_spec)
    # CHECK: #ttnn<mesh_shape 1x2> #tt<tile_size 32x16> #tt.chip_channel<[0, 9, 0], [1, 0, 0]>
    print(
        ttnn.ir.MeshShapeAttr.get(ctx, 1, 2),
        tt.ir.TileSizeAttr.get(ctx, 32, 16),
        tt.ir.ChipChannelAttr.get(ctx, 0, [9, 0], 1, [0, 0]),
    )
