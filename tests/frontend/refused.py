"""Python that the front end refuses: the comment on a line says with which code, and which text it points at."""

# fmt: off

# ruff: noqa
from __future__ import annotations

import math
import threading
import time

import ttnn

import ttl

ROWS = [0, 1, 2]
WEIGHTS = [0.5, 1.0, 2.0]
SCALE = {"a": 1}


class Thing:
    size = 2

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        pass


def identity(function):
    return function


def endless(n):
    return endless(n + 1)  # TTL1312: endless(n + 1)


def numbers():
    yield 1


THING = Thing()


@ttl.operation(grid=(2, 2))
def tries(a):
    @ttl.datamovement()
    def read():
        try:  # TTL1301: try:\n            pass\n        except ValueError:\n            pass
            pass
        except ValueError:
            pass


@ttl.operation(grid=(2, 2))
def matches(a):
    @ttl.datamovement()
    def read():
        match len(ROWS):
            case int():  # TTL1301: int()
                pass


@ttl.operation(grid=(2, 2))
def classes(a):
    class Inner:  # TTL1301: class Inner:\n        pass
        pass

    @ttl.datamovement()
    def read():
        pass


@ttl.operation(grid=(2, 2))
def generators(a):
    @ttl.datamovement()
    def read():
        for i in numbers():  # TTL1301: numbers()
            pass


@ttl.operation(grid=(2, 2))
def decorated(a):
    @identity  # TTL1301: identity
    def helper():
        pass

    @ttl.datamovement()
    def read():
        pass


@ttl.operation(grid=(2, 2))
def attributes(a):
    @ttl.datamovement()
    def read():
        THING.size = 3  # TTL1301: THING.size


@ttl.operation(grid=(2, 2))
def globals_assigned(a):
    @ttl.datamovement()
    def read():
        global SCALE
        SCALE = {}  # TTL1301: SCALE


@ttl.operation(grid=(2, 2))
def other_contexts(a):
    @ttl.datamovement()
    def read():
        with THING:  # TTL1301: THING
            pass


@ttl.operation(grid=(2, 2))
def host_calls(a):
    @ttl.datamovement()
    def read():
        started = time.time()  # TTL1302: time.time()
        threading.get_ident()  # TTL1302: threading.get_ident()
        print(input("?"))  # TTL1302: input("?")
        open("file")  # TTL1302: open("file")


@ttl.operation(grid=(2, 2))
def asserts(a):
    assert a.shape[0] == 1, "one row"  # TTL1303: a.shape[0] == 1

    @ttl.datamovement()
    def read():
        raise ValueError("never")  # TTL1303: raise ValueError("never")


@ttl.operation(grid=(2, 2))
def exceptions(a):
    first, second = ROWS  # TTL1304: first, second
    n = SCALE["b"]  # TTL1304: SCALE["b"]

    @ttl.datamovement()
    def read():
        x = ROWS[3]  # TTL1304: ROWS[3]
        y = 1 // (len(ROWS) - 3)  # TTL1304: 1 // (len(ROWS) - 3)
        z = undefined_name  # TTL0238: undefined_name
        w = math.squareroot(2)  # TTL1304: math.squareroot
        ok = x + y + z + w  # nothing more about these
        identity()  # TTL1304: identity()
        identity(1, 2)  # TTL1304: identity(1, 2)
        identity(other=2)  # TTL1304: identity(other=2)
        late  # TTL1304: late
        late = 1


@ttl.operation(grid=(2, 2))
def node_dependent(a):
    node_x, node_y = ttl.node(dims=2)
    x_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, node_x + 1))  # TTL0323: ttl.make_dataflow_buffer_like(a, shape=(1, node_x + 1))

    @ttl.datamovement()
    def read():
        row = WEIGHTS[node_x - 1]  # TTL1305: WEIGHTS[node_x - 1]
        scale = SCALE[node_x]  # TTL1305: SCALE[node_x]
        for i in range(0, 4, node_x):  # TTL1305: range(0, 4, node_x)
            pass
        listed = [i for i in range(node_x)]  # TTL1305: range(node_x)
        root = math.sqrt(node_x)  # TTL1305: math.sqrt(node_x)
        rows = set(range(node_y))  # TTL1305: set(range(node_y))


@ttl.operation(grid=(2, 2))
def arithmetic_of_the_node(a):
    node_x, node_y = ttl.node(dims=2)

    @ttl.datamovement()
    def read():
        whole = node_x * 0.5 // 1  # TTL1306: node_x * 0.5 // 1
        square = (node_x + 0.5) ** 2  # TTL1305: (node_x + 0.5) ** 2
        endless = node_x / 0 + 1  # TTL1304: node_x / 0 + 1
        digits = round(node_x / 2, 1)  # TTL1305: round(node_x / 2, 1)
        same = node_x is node_y  # TTL1306: node_x is node_y
        cube = 3**node_x  # TTL1305: 3**node_x
        hashed = {node_x: 1}  # TTL1305: node_x
        several = {node_x, node_y}  # TTL1305: {node_x, node_y}
        shifted = 1 >> (node_x - node_y)  # TTL1305: 1 >> (node_x - node_y)
        size = node_x.bit_length()  # TTL1306: node_x.bit_length
        spelled = "%d" % node_x  # TTL1305: "%d" % node_x
        written = "{}".format(node_x)  # TTL1305: "{}".format(node_x)
        nested = len(str([node_x]))  # TTL1305: len(str([node_x]))
        text = node_x + "a"  # TTL1304: node_x + "a"
        nothing = node_x > None  # TTL1304: node_x > None
        product = node_x @ node_y  # TTL1304: node_x @ node_y


@ttl.operation(grid=(2, 2))
def through_loops_of_the_node(a):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=4)

    @ttl.datamovement()
    def read():
        blk = dfb.reserve()
        xf = ttl.copy(a[0, 0], blk)
        for i in range(node_x):
            xf.wait()  # TTL1305: xf
            xf = ttl.copy(a[0, i], blk)
        last = None
        for i in range(node_x):
            if last is not None:  # TTL1305: last
                last.wait()
            last = ttl.copy(a[0, i], blk)
        listed = []
        for i in range(node_x):
            listed.append(i)  # TTL1310: listed.append


@ttl.operation(grid=(1, 1))
def tensors_in_kernels(a):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.compute()
    def compute():
        with dfb.wait() as blk:
            total = ttnn.add(a, a)  # TTL1307: ttnn.add(a, a)
            scaled = blk * a  # TTL0401: blk * a


@ttl.operation(grid=(2, 2))
def containers(a):
    node_x, node_y = ttl.node(dims=2)
    outside = []

    @ttl.datamovement()
    def read():
        outside.append(1)  # TTL1310: outside.append
        first, second, third = [1], [2], [3]
        first.append(2)
        if node_x == 0:
            first.append(3)  # TTL1310: first.append
            second[0] = 5  # TTL1310: second[0]
            third += [4]  # TTL1310: third += [4]
        row = first[0] + outside[0]  # nothing more about these


FROM_OUTSIDE = zip([0], [1])


@ttl.operation(grid=(2, 2))
def iterators(a):
    node_x, node_y = ttl.node(dims=2)
    shared = enumerate([1, 2])

    @ttl.datamovement()
    def read():
        mine = zip([1], [2])
        if node_x == 0:
            for pair in mine:  # TTL1310: mine
                pass
        numbers = enumerate([1, 2])
        for i, number in numbers:
            if i == node_y:
                break
        rest = list(numbers)  # TTL1310: list(numbers)
        other = zip(range(1), range(2))
        pairs = enumerate(other)
        rest = list(other)  # TTL1310: list(other)
        length = len(pairs)  # TTL1304: len(pairs)
        for pair in FROM_OUTSIDE:  # TTL1310: FROM_OUTSIDE
            pass
        first = list(shared)

    @ttl.datamovement()
    def write():
        second = list(shared)  # TTL1310: list(shared)


@ttl.operation(grid=(2, 2))
def lost_values(a):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as held:
            if node_x == 0:
                blk = dfb.reserve()
            else:
                blk = dfb.reserve()
        ttl.copy(a[0, 0], blk).wait()  # TTL1311: blk
        if node_x == 0:
            n = 1
        for i in range(n):  # TTL1304: n
            pass
        for i in range(node_y):
            last = dfb.wait()
        last.pop()  # TTL1311: last


@ttl.operation(grid=(2, 2))
def too_large(a):
    @ttl.datamovement()
    def read():
        for i in range(10000):  # TTL1312: range(10000)
            row = (ROWS * 4000)[i]
        endless(0)


@ttl.operation(grid=(2, 2))
def on_some_nodes(a):
    node_x, node_y = ttl.node(dims=2)
    if node_x == 0:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))  # TTL1313: ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.compute()  # TTL1313: ttl.compute()
        def compute():
            pass

    @ttl.datamovement()
    def read():
        pass


@ttl.operation(grid=(2, 2))
def language_errors(a):
    node_x, node_y = ttl.node(dims=2)
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(node_x, 0), dst=(1, 1))])
    ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(5, 1))])  # TTL0603: ttl.Pipe(src=(0, 0), dst=(5, 1))
    dfb.reserve()  # TTL0314: dfb.reserve()

    @ttl.datamovement()
    def read():
        blk = dfb.reserve()
        ttl.copy(a[9, node_x], blk).wait()  # TTL0507: a[9, node_x]
        ttl.copy(a[0:2, node_x], blk).wait()  # TTL0515: ttl.copy(a[0:2, node_x], blk)
        ttl.copy(a[node_x / 2, 0], blk).wait()  # TTL0506: a[node_x / 2, 0]
        ttl.copy(blk, dfb).wait()  # TTL0502: ttl.copy(blk, dfb)
        net.if_src(lambda pipe: None)  # TTL0608: net.if_src(lambda pipe: None)
        blk.stor(blk)  # TTL0224: blk.stor
        blk + 1  # TTL0312: blk
        a[0, 0] = 1  # TTL0230: a[0, 0]
        blk.push  # TTL0233: blk.push
        ttl.signpost("in")  # TTL0237: ttl.signpost("in")
        dfb.reserve(1)  # TTL0223: dfb.reserve(1)

    @ttl.compute()
    def compute():
        blk = dfb.wait()
        a[0, 0]  # TTL0516: a[0, 0]
        ttl.copy(blk, blk)  # TTL0501: ttl.copy(blk, blk)
        ttl.math.exp(blk, approx=3)  # TTL0415: ttl.math.exp(blk, approx=3)
        ttl.math.expo(blk)  # TTL0228: ttl.math.expo
        blk.store(blk @ ttl.block.fill(1, shape=(2, 2)))  # TTL0411: blk @ ttl.block.fill(1, shape=(2, 2))
        blk.store(ttl.block.fill(1, shape=(2, 2)))  # TTL0332: blk.store(ttl.block.fill(1, shape=(2, 2)))
        if blk:  # TTL0422: blk
            pass
        len(blk)  # TTL0225: len(blk)
        ttl.Semaphore(0)  # TTL0211: ttl.Semaphore(0)
        net.if_dst(lambda: None)  # TTL0610: net.if_dst(lambda: None)
        blk += ttl.block.fill(1, shape=(2, 2))  # TTL0405: blk += ttl.block.fill(1, shape=(2, 2))

    @ttl.datamovement()
    def more():
        net.if_dst(lambda: None)  # TTL0609: net.if_dst(lambda: None)
        ttl.node(dims=0)  # TTL0202: ttl.node(dims=0)
        read()  # TTL0226: read()
        tries(a)  # TTL0218: tries(a)


@ttl.operation(grid=(2, 2))
def changes_of_the_host(a):
    ttnn.deallocate(a)  # TTL1302: ttnn.deallocate(a)
    a.deallocate()  # TTL1302: a.deallocate()
    ttnn.move(a)  # TTL1302: ttnn.move(a)

    @ttl.datamovement()
    def read():
        ttnn.CloseDevices([])  # TTL1302: ttnn.CloseDevices([])
