// What the runtime of the emulator and the kernels it runs know of each other. Both include this file.
//
// A kernel is compiled once and runs on five processors of each core: two for data movement, and one function each for
// unpacking, mathematics and packing. Functions below are called by all of them and do what is theirs.
#pragma once

#include <cstdint>

#if defined(TTL_EMU_RUNTIME)
#define TTL_EMU_API extern "C" __attribute__((visibility("default")))
#else
#define TTL_EMU_API extern "C"
#endif

namespace ttl_emu {

// Bits 31..21 of an address in L1 say whose L1 it is; the rest is the offset that the hardware would use.
constexpr uint32_t kSlotBits = 21, kSlotMask = (1u << kSlotBits) - 1, kMaxBuffers = 64;

// Zeros that the firmware keeps in every L1.
constexpr uint32_t kZerosBase = 8192, kZerosSize = 512;

// Headers of packets to other chips: so many of each processor that moves data, in the firmware's part of L1.
struct FabricHeader {
  uint64_t to, word;  // where the payload goes, and a word that changes with it
  uint32_t value;
  uint16_t device, mesh;
  uint16_t payload_size_bytes;
  uint8_t does, routed;
  uint8_t unused[68];  // as long as on the hardware
};
static_assert(sizeof(FabricHeader) == 96);
enum FabricDoes : uint8_t { kFabricWrites = 1, kFabricAdds = 2, kFabricSets = 4 };
constexpr uint32_t kHeaderBase = 9216, kHeadersOfProcessor = 8, kHeaderBytes = 2 * kHeadersOfProcessor * sizeof(FabricHeader);

enum Role : uint32_t { kBrisc, kNcrisc, kUnpack, kMath, kPack, kRoles };

// One processor's own view of a circular buffer. Addresses in bytes, and in units of 16 bytes for compute.
struct LocalBuffer {
  uint32_t fifo_size, fifo_limit, fifo_page_size, fifo_num_pages, fifo_rd_ptr, fifo_wr_ptr, fifo_wr_tile_ptr;
  uint32_t tiles_acked, tiles_received;
};

// The processor that runs: the part of it that kernels may read.
struct Self {
  Role role;
  uint32_t l1;  // address of its L1
  uint8_t noc_x[2], noc_y[2], logical_x, logical_y, relative_x, relative_y;
  LocalBuffer buffers[kMaxBuffers];
  // Noc commands that are set up first and issued later.
  uint64_t read_state, write_state;
  uint32_t read_size, write_size, read_trid, write_vc;
};

// A line of the kernel, or of what `#line` says it was made from.
struct Place {
  const char *file;
  uint32_t line;
  static constexpr Place here(const char *file = __builtin_FILE(), uint32_t line = __builtin_LINE()) { return {file, line}; }
};

// A function of the vector unit, or an init, by its name (FNV-1a).
constexpr uint32_t named(const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; ++name) hash = (hash ^ static_cast<uint8_t>(*name)) * 16777619u;
  return hash;
}
template <uint32_t hash>
struct Hash {
  static constexpr uint32_t value = hash;
};

enum Binary : uint32_t { kAdd, kSub, kMul };
enum Broadcast : uint32_t { kNone, kCol, kRow, kScalar };
enum Reuse : uint32_t { kNoReuse, kDstToA, kDstToB };
enum Pool : uint32_t { kSum, kAverage, kMax, kMin };
enum Along : uint32_t { kAlongRow, kAlongCol, kAlongBoth };
// How a reduction goes: data in source register B and the scaler in A; and whether values of 32 bits that go from DST through
// a source register keep all their bits.
enum Reduction : uint32_t { kReduceSwapped = 1, kReduceExactly = 2 };
// In the place of the buffers of a reduction: only the packer is set up for one.
constexpr uint32_t kOnlyLanes = 0xFFFFFFFF;
// A change of formats that makes the matrix unit compute with integers, or with floats, as the new ones are.
constexpr uint32_t kToIntegers = 1;
// How a broadcast reads its buffer: as its format wants, through a source register, or straight to DST.
enum Way : uint32_t { kByFormat, kThrough, kStraight };
// What a function says about approximations: nothing, yes, no.
enum Wish : uint32_t { kByMode, kFast, kPrecise };
// Functions of libgcc that a data movement kernel calls for its floats.
enum SoftFloat : uint32_t { kFloatAdd, kFloatMultiply, kFloatDivide, kFloatCompare, kFloatConvert };
enum Barrier : uint32_t { kReads, kWrites, kFlush, kPostedFlush, kAtomics, kFull };
enum WriteFlags : uint32_t { kPlain = 0, kPosted = 1, kLinked = 2, kLoopback = 4, kMulticast = 8 };
// What a unit of the Tensix was last set up for.
enum Init : uint32_t {
  kInitStartup, kInitBinary, kInitCopy, kInitMatmul, kInitBroadcast, kInitUnaryBroadcast, kInitReduce, kInitReduceEnd,
  kInitTranspose, kInitReuse, kInitPack, kInitSfpu, kFormatA, kFormatB, kFormatAB, kFormatPack, kInitL1Accumulate, kInitRelu,
  kInitTilize, kInitTilizeEnd, kInitUntilize, kInitUntilizeEnd, kInitPackUntilize, kInitPackUntilizeEnd,
  kInitUnaryBroadcastEnd,
};
// What an init of matrix products says: their extents, which are in the instructions that it prepares.
constexpr uint32_t products(uint32_t ct, uint32_t rt, uint32_t kt, bool transpose) {
  return ct | rt << 6 | static_cast<uint32_t>(transpose) << 12 | kt << 13;
}

}  // namespace ttl_emu

TTL_EMU_API ttl_emu::Self *ttl_emu_self;

TTL_EMU_API uint32_t ttl_emu_arg(bool common, uint32_t index, ttl_emu::Place);
TTL_EMU_API uintptr_t ttl_emu_arg_address(bool common, uint32_t index);

// A number of the kernel that its text leaves out (`ttl.emu.numbers`): the same as long as the kernel runs.
TTL_EMU_API int32_t ttl_emu_number(uint32_t index) __attribute__((const));
inline uint32_t ttl_emu_word(uint32_t index) { return static_cast<uint32_t>(ttl_emu_number(index)); }

TTL_EMU_API void ttl_emu_reserve(uint32_t buffer, uint32_t pages, ttl_emu::Place);
TTL_EMU_API void ttl_emu_push(uint32_t buffer, uint32_t pages, ttl_emu::Place);
TTL_EMU_API void ttl_emu_wait(uint32_t buffer, uint32_t pages, ttl_emu::Place);
TTL_EMU_API void ttl_emu_pop(uint32_t buffer, uint32_t pages, ttl_emu::Place);
TTL_EMU_API bool ttl_emu_reservable(uint32_t buffer, uint32_t pages, ttl_emu::Place);
TTL_EMU_API bool ttl_emu_available(uint32_t buffer, uint32_t pages, ttl_emu::Place);
TTL_EMU_API const ttl_emu::LocalBuffer *ttl_emu_buffer(uint32_t buffer, ttl_emu::Place);

TTL_EMU_API uint64_t ttl_emu_bank_address(bool dram, uint32_t bank, uint32_t offset);
TTL_EMU_API uint32_t ttl_emu_banks(bool dram);
TTL_EMU_API void ttl_emu_read(uint64_t from, uint32_t to, uint32_t size, uint32_t noc, uint32_t trid, ttl_emu::Place);
TTL_EMU_API void ttl_emu_write(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers, uint32_t noc, uint32_t vc,
                               uint32_t flags, ttl_emu::Place);
TTL_EMU_API void ttl_emu_write_word(uint64_t to, uint32_t value, uint32_t noc, uint32_t vc, uint32_t flags, ttl_emu::Place);
TTL_EMU_API void ttl_emu_barrier(ttl_emu::Barrier kind, uint32_t noc, uint32_t trid, ttl_emu::Place);
TTL_EMU_API uintptr_t ttl_emu_semaphore(uint32_t id, ttl_emu::Place);
TTL_EMU_API void ttl_emu_semaphore_set(uintptr_t word, uint32_t value, ttl_emu::Place);
TTL_EMU_API void ttl_emu_semaphore_wait(uintptr_t word, uint32_t value, bool at_least, ttl_emu::Place);
TTL_EMU_API void ttl_emu_semaphore_inc(uint64_t word, uint32_t by, uint32_t receivers, uint32_t noc, uint32_t vc,
                                       uint32_t flags, ttl_emu::Place);
TTL_EMU_API void ttl_emu_semaphore_send(uint32_t from, uint64_t to, uint32_t receivers, uint32_t noc, uint32_t vc,
                                        uint32_t flags, ttl_emu::Place);
// Connections to the routers of links, by their numbers, and packets over them.
TTL_EMU_API uint32_t ttl_emu_fabric_connect(uint32_t port, ttl_emu::Place);
TTL_EMU_API void ttl_emu_fabric_open(uint32_t connection, ttl_emu::Place);
TTL_EMU_API void ttl_emu_fabric_close(uint32_t connection, uint32_t noc, ttl_emu::Place);
TTL_EMU_API uint32_t ttl_emu_fabric_room(uint32_t connection, ttl_emu::Place);
TTL_EMU_API void ttl_emu_fabric_wait(uint32_t connection, ttl_emu::Place);
TTL_EMU_API uint32_t ttl_emu_fabric_header(uint32_t count, ttl_emu::Place);
TTL_EMU_API void ttl_emu_fabric_headers_reset();
TTL_EMU_API void ttl_emu_fabric_payload(uint32_t connection, uint32_t from, uint32_t size, ttl_emu::Place);
TTL_EMU_API void ttl_emu_fabric_send(uint32_t connection, uint32_t header, uint32_t noc, ttl_emu::Place);
TTL_EMU_API void ttl_emu_poll(ttl_emu::Place);
TTL_EMU_API void ttl_emu_spend(uint32_t cycles, ttl_emu::Place);
TTL_EMU_API void ttl_emu_float(ttl_emu::SoftFloat what);  // a function of libgcc on floats

TTL_EMU_API void ttl_emu_init(ttl_emu::Init what, uint32_t a, uint32_t b, uint32_t c, ttl_emu::Place);
// The mathematics addresses a tile of DST, and computes nothing.
TTL_EMU_API void ttl_emu_address(uint32_t dst, ttl_emu::Place);
TTL_EMU_API void ttl_emu_acquire(ttl_emu::Place);
TTL_EMU_API void ttl_emu_commit(ttl_emu::Place);
TTL_EMU_API void ttl_emu_dst_wait(ttl_emu::Place);
TTL_EMU_API void ttl_emu_release(ttl_emu::Place);
TTL_EMU_API void ttl_emu_copy(uint32_t buffer, uint32_t tile, uint32_t dst, ttl_emu::Place);
TTL_EMU_API void ttl_emu_binary(ttl_emu::Binary op, ttl_emu::Broadcast bcast, uint32_t in0, uint32_t in1, uint32_t tile0,
                                uint32_t tile1, uint32_t dst, uint32_t row, ttl_emu::Place);
TTL_EMU_API void ttl_emu_reuse(ttl_emu::Binary op, ttl_emu::Reuse which, uint32_t in, uint32_t tile, uint32_t dst,
                               ttl_emu::Place);
TTL_EMU_API void ttl_emu_matmul(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, bool transpose,
                                uint32_t ct, uint32_t rt, uint32_t kt, ttl_emu::Place);
TTL_EMU_API void ttl_emu_reduce(ttl_emu::Pool pool, ttl_emu::Along along, uint32_t in, uint32_t scaler, uint32_t tile,
                                uint32_t scaler_tile, uint32_t dst, uint32_t how, ttl_emu::Place);
TTL_EMU_API void ttl_emu_unary_broadcast(ttl_emu::Broadcast bcast, uint32_t in, uint32_t tile, uint32_t dst, ttl_emu::Place);
TTL_EMU_API void ttl_emu_transpose(uint32_t in, uint32_t tile, uint32_t dst, ttl_emu::Place);
TTL_EMU_API void ttl_emu_transpose_dst(uint32_t dst, bool faces_only, ttl_emu::Place);
TTL_EMU_API void ttl_emu_pack(uint32_t dst, uint32_t buffer, uint32_t index, bool at_index, ttl_emu::Place);
// Rows of elements to tiles: `width` tiles side by side, from the row of tiles with tile `from`; `fast`: many at a time.
TTL_EMU_API void ttl_emu_tilize(uint32_t in, uint32_t width, uint32_t out, uint32_t from, uint32_t to, bool fast,
                                ttl_emu::Place);
// Tiles to rows, by the unpacker: `width` tiles side by side, `together` of them in DST at a time.
TTL_EMU_API void ttl_emu_untilize(uint32_t in, uint32_t width, uint32_t out, uint32_t together, ttl_emu::Place);
// Tiles of DST to rows, by the packer: `width` of `full` tiles side by side, the `column`-th such part, `height` times.
TTL_EMU_API void ttl_emu_pack_untilize(uint32_t dst, uint32_t out, uint32_t width, uint32_t full, uint32_t height,
                                       uint32_t column, bool fast, ttl_emu::Place);
// `name`: what it computes, as the number of a name.
TTL_EMU_API void ttl_emu_vector(uint32_t name, uint32_t d0, uint32_t d1, uint32_t d2, uint32_t out, uint32_t p0,
                                uint32_t p1, uint32_t p2, uint32_t function, uint32_t faces, ttl_emu::Place);
TTL_EMU_API void ttl_emu_vector_reduce(ttl_emu::Pool pool, ttl_emu::Along along, uint32_t format, uint32_t dst, ttl_emu::Place);

TTL_EMU_API void ttl_emu_print(const char *text, uint32_t length, ttl_emu::Place);
TTL_EMU_API double ttl_emu_element(uint32_t address, uint32_t format, uint32_t element);
TTL_EMU_API void ttl_emu_zone(const char *name, bool begins, ttl_emu::Place);
// What a condition is on this node, in this launch: `text` is what goes wrong where it was another number before.
TTL_EMU_API void ttl_emu_answer(uint32_t condition, int64_t value, const char *text, ttl_emu::Place);
// Memory that the user's C++ may read, and write, until the next `ttl_emu_touches` without a text: then it touches no other in DRAM.
TTL_EMU_API void ttl_emu_touch(uint64_t address, uint32_t size, bool written, ttl_emu::Place);
TTL_EMU_API void ttl_emu_touches(const char *text, ttl_emu::Place);
TTL_EMU_API void ttl_emu_assert(const char *condition, ttl_emu::Place);
