# was: hang: in host/cores.py CoreCoord.x
# is: ok
import ttnn

ttnn.create_sharded_memory_config(
    shape=(32, 64), core_grid=ttnn.CoreGrid(x=1, y=2147483648), strategy=ttnn.ShardStrategy.HEIGHT
)
