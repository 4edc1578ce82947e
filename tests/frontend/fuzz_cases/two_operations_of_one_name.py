# was: file: VerifyException outside of our code
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def op(x):
    @ttl.datamovement()
    def read():
        pass


@ttl.operation(grid=(1, 1))
def op(x):
    @ttl.datamovement()
    def read():
        pass
