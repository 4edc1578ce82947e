// The emulated chip: cores with their processors and memory, the network between them, virtual time.
#pragma once

#define TTL_EMU_RUNTIME 1
#include "../../src/ttl/emu/include/ttl_emu/abi.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "costs.h"
#include "record.h"
#include "transport.h"
#include "watch.h"

// A function that is compiled for several instruction sets, of which the one of the processor is called.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TTL_EMU_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TTL_EMU_WIDE
#endif

namespace ttl::emu {

using namespace ttl_emu;

struct Core;
struct Fabric;
struct Packet;
struct Fiber;
struct Machine;

// Where memory of cores ends: see `memory.cpp`.
constexpr uintptr_t kEnd = 0x80000000;

enum Format : uint8_t {
  kFloat32 = 0, kFloat16 = 1, kBfp8 = 2, kBfp4 = 3, kTf32 = 4, kFloat16b = 5, kBfp8b = 6, kBfp4b = 7, kInt32 = 8,
  kUInt16 = 9, kInt8 = 14, kUInt32 = 24, kUInt8 = 30, kNoFormat = 255,
};
constexpr uint32_t kTile = 1024;  // elements
constexpr uint32_t kSemaphoreBytes = 16 * 16;  // of all semaphores of a core

uint32_t tile_bytes(Format format);
bool is_integer(Format format);

// What a fiber waits for.
enum class Waits : uint8_t { kNothing, kPages, kSpace, kSemaphore, kSource, kOperand, kDst, kMath, kPoll, kLink = 10 };

struct Read {
  const uint8_t *from;
  uint8_t *to;
  uint32_t size, trid;
  uint64_t done_at;
  int32_t transfer = kNobody;
};

struct Write {
  const uint8_t *from;
  uint64_t to;
  uint32_t size, value, vc, flags;  // `from` null: the word `value`
  uint64_t left_at, arrives_at, sequence;  // arrives: and the sender knows
  uint64_t there_at = 0;
  int32_t transfer = kNobody;
  Packet *packet = nullptr;  // to another chip: who delivers it
};

// A word that is sent: what it is when it leaves its memory, which is at some time before somebody makes sure of it.
struct Letter {
  const uint32_t *from;
  uint32_t value;
  bool left;
};

struct Touched {
  const uint8_t *memory;
  uint32_t size;
  bool written;
};

// One processor with a kernel: a stack of its own, and a clock.
struct Fiber {
  Self self;  // first: kernels know its address
  Core *core = nullptr;
  void *sp = nullptr;
  void (*entry)() = nullptr;
  uint64_t clock = 0, started = 0, ended = 0, stalled = 0;
  uint32_t id = 0, kernel = 0;
  uint32_t steps = 0;  // calls about circular buffers: the processors of a compute kernel make the same ones, in one order
  Place place{"", 0};
  bool done = false, at_least = false;
  bool leaves_atomics = false;  // may end before its increments have arrived, as kernels of others do
  Waits waits = Waits::kNothing;
  uint32_t what = 0, amount = 0, headers = 0;  // headers: of packets, taken from the pool
  Fiber *next_waiter = nullptr;
  std::vector<uint32_t> args;
  const std::vector<uint32_t> *common = nullptr, *numbers = nullptr;
  const std::vector<uint32_t> *in_l1 = nullptr;  // those of the common arguments that are addresses in the L1 of each core
  std::vector<Read> reads[2];
  std::vector<Write> writes[2];
  uint64_t acknowledged_at[2] = {0, 0}, atomics_at[2] = {0, 0};
  bool atomics_open[2] = {false, false}, writes_open[2] = {false, false};
  int32_t acknowledged_by[2] = {kNobody, kNobody}, atomics_by[2] = {kNobody, kNobody};  // transfers
  uint64_t ordered_at[2][16] = {};  // with a seed: when the last request on a virtual channel arrives
  std::vector<std::shared_ptr<Letter>> sent[2];
  std::vector<Touched> touched;  // what the user's C++ that it runs declares to read and write in DRAM; nothing else with `touches`
  const char *touches = nullptr;
  Diary diary;
};

// What one of the three processors of compute has certainly come after: so many steps of its own and of the other two.
struct Seen {
  uint32_t steps[3] = {0, 0, 0};
};

// A circular buffer of a core, as all of its processors see it.
struct Buffer {
  bool there = false, unpack_to_dst = false, stays = false;  // stays: pages may be left that somebody waits for
  // The memory of a tensor that a kernel works on where it lies: all of it is there, and it takes and gives pages unasked.
  bool in_place = false;
  bool unwanted = false;  // pages may be left that nobody waits for, or be popped unread: the language says what is wrong there
  Format format = kNoFormat;
  uint32_t base = 0, page = 0, pages = 0;
  uint32_t faces = 4, face_rows = 16;  // of a tile
  // Bytes of a tile, and of one of its faces; of block floats there are whole tiles only.
  uint32_t tile() const { return tile_bytes(format) / 64 * faces * face_rows + (faces * face_rows == 64 ? tile_bytes(format) % 64 : 0); }
  uint32_t face() const { return tile() / faces; }
  uint32_t pushed = 0, popped = 0, reserved = 0, waited = 0;
  uint32_t more = 0;  // pages that an experiment adds; the memory stays as it is
  // Of how many pages a kernel may read tiles, or write them, without more ado.
  uint32_t readable() const { return in_place ? pages : waited; }
  uint32_t writable() const { return in_place ? pages : reserved; }
  std::vector<uint64_t> pushed_at, popped_at;
  std::vector<uint8_t> filled, used;  // of each page: written since it was reserved, read since it was pushed
  Fiber *waiters = nullptr, *producer = nullptr, *consumer = nullptr;
  Place pushed_place{"", 0};
  std::vector<Seen> packed_after;  // of each page that the packer pushed
  // Who last reserved, or waited for, pages, or does now: where, and after how many of its steps.
  struct Use {
    const Fiber *fiber = nullptr;
    Place place{"", 0};
    uint32_t step = 0;
  };
  Use reserve, wait;
  // A use of memory of a buffer of which no page was ever reserved: memory for other purposes, until a page is.
  struct Early {
    Fiber *fiber = nullptr;
    Place place{"", 0};
    const char *kind = nullptr;
    uint64_t clock = 0, page = 0;
    uint16_t core = 0;
  };
  Early early;
  bool reserves = false;
  // Tiles with elements that are no values, as bytes of the ring: rows of DST that the vector unit computed in the given place
  // from rows that nothing had written. Nobody is told unless they reach a tensor.
  struct Undefined {
    uint64_t begin, end;
    uint32_t dst;
    Place packed, computed;
  };
  std::vector<Undefined> undefined;
};

// How many tiles the unpacker's processor may be ahead of the mathematics: the two banks of a source register, and the two
// contexts of the unpacker, with each of which it may have asked for a tile that waits for its bank.
constexpr uint32_t kAhead = 4;

// A source register of the matrix unit, and what is on its way to it: filled by the unpacker and released by the mathematics.
struct Source {
  alignas(64) float value[kAhead][kTile];
  bool raw[kAhead] = {}, half[kAhead] = {};  // half: of Float16
  bool direct[kAhead] = {};  // in its place in DST already, and not in this register
  Format format[kAhead] = {kNoFormat, kNoFormat, kNoFormat, kNoFormat};
  Seen filled_after[kAhead], released_after[kAhead];
  uint64_t filled_at[kAhead] = {}, released_at[kAhead] = {};
  uint32_t filled = 0, released = 0;
};

// Rows of 16 elements of a tile in DST, one bit each.
constexpr uint64_t kAllRows = ~uint64_t{0};
constexpr uint64_t kFaceRows = 0xFFFF;

// What the hardware knows about the rows of a tile in DST. Releasing drops the flags and leaves the old bits: the matrix
// unit and the packer read a row without its flag as zero. The vector unit does so, too; but it stores half a row, and the
// flag then stands for both halves.
struct Rows {
  uint64_t valid = 0;
  uint64_t stale = 0;  // of the valid ones: those computed from a row that nothing had written
  Place stale_at{"", 0};
};

// What a unit was last set up for, and where; each of the three processors keeps its own.
struct Setup {
  bool started = false;
  Init kind = kInitStartup;
  uint32_t detail = 0;                                   // which binary operation, broadcast, reduction or transposition
  uint32_t function = 0, function_detail = 0;            // hash of the vector unit's last init, and what it was given
  Format a = kNoFormat, b = kNoFormat, out = kNoFormat;  // of the source registers, of the packer
  uint32_t rearranges = 0;  // unpacker: 1 tiles of rows, 2 rows of tiles; packer: rows of tiles, and how wide
  // Unpacker: how much of a tile it puts into source register B at a time: a face, the first row of one, all of it.
  enum Part : uint8_t { kFaceOfB, kRowOfB, kTileOfB } part_of_b = kFaceOfB;
  Place part_at{"", 0};
  bool whole = false;       // mathematics: the matrix unit takes what is in the source registers for integers
  Place at{"", 0}, function_at{"", 0}, a_at{"", 0}, b_at{"", 0}, out_at{"", 0}, whole_at{"", 0};
};

// A bit of configuration that all processors of compute write: what it is, and what each of them last made it, when and where.
enum SharedName : uint32_t { kDebugBit, kZeroFlag };
struct SharedBit {
  uint32_t which;  // as in `SharedName`
  bool value = false;
  struct Write {
    bool there = false, value = false;
    uint32_t since = 0, step = 0;  // the first time that it wrote this value without another one since, and the last
    Place place{"", 0};
  };
  Write last[3];
  uint32_t by = 0;
};

// Functions of the mathematics whose code takes its time when they are first called: those that read DST back, the vector unit's.
enum Fetched : uint8_t { kReadsDst = 1, kVectorUnit = 2 };

// The compute part of a core.
struct Tensix {
  alignas(64) float dst[16][kTile];
  Source source[2];  // A, B
  Rows rows[16];
  uint32_t section_tiles = 8, sections = 2;
  uint32_t acquired = 0, committed = 0, waited = 0, released = 0;
  uint64_t committed_at[2] = {0, 0}, released_at[2] = {0, 0};
  bool reduced[2] = {};  // whether a section holds the result of a reduction
  bool edge_by_itself = false;  // whether the packer's lanes were set without a reduction: by who knows what they are
  bool wide = false, approximate = false;  // wide: 32-bit DST
  bool half = false;                       // 16-bit DST holds Float16, not bfloat16
  uint32_t fidelity = 4;                   // phases
  bool add_to_dst = false, multiply_adds = true, l1_accumulate = false;
  uint32_t edge = 0, relu = 0, relu_threshold = 0;  // edge: 0 none, else 1 + Along
  Setup setup[3];                                   // of the unpacker, the mathematics, the packer
  bool older = false;                               // the kernel is written for the older generation of the API
  uint32_t offset = 0;                              // which tile of DST the mathematics addressed last,
  Place offset_at{"", 0};                           // and where
  SharedBit debug{kDebugBit};                       // bit 11 of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE
  SharedBit keeps_subnormal{kZeroFlag};             // ALU_ACC_CTRL_Zero_Flag_disabled_src, of the older generation
  bool shares = false;                              // one of them has written such a bit: from then on orders count
  Seen seen[3], committed_after[2], released_after[2];
  uint8_t fetched = 0;                              // of `Fetched`: what the mathematics has run before
  Fiber *unpack = nullptr, *math = nullptr, *pack = nullptr;
};

struct Node {
  enum Kind : uint8_t { kNothing, kWorker, kDram } kind = kNothing;
  uint16_t index = 0;
  // On the chip, for each NoC, whatever its coordinates are called: a bank may be at another router for either.
  struct Router {
    uint8_t column = 0, row = 0;
  };
  Router router[2];
  Port out[2], in[2], bank;
  std::vector<uint64_t> streams;  // of a bank: when the last transfer to each node ended, at the rate of one reader
  Torus *torus = nullptr;         // of its chip

  void clear() {
    bank = Port{};
    streams.clear();
    for (uint32_t noc = 0; noc < 2; ++noc) out[noc] = in[noc] = Port{};
  }
};

// One chip of the machine: its network, its banks of DRAM, and its cores among those of the machine.
struct Chip {
  uint32_t index = 0, first_core = 0;
  Node nodes[64 * 64];
  Torus torus;
  std::vector<uint8_t *> dram;
  std::vector<uint16_t> dram_xy;  // x << 8 | y

  Node &node(uint32_t x, uint32_t y) { return nodes[(y & 63) * 64 + (x & 63)]; }
};

// How often a semaphore of a core was changed: from elsewhere, and by the core itself.
struct Changes {
  uint32_t arrived = 0, set = 0, own = 0;
  const Fiber *by = nullptr;      // who changed it last from elsewhere
  const Fiber *helped = nullptr;  // whom an experiment gave its value: `own` counts what that one changed itself
};

struct Core {
  Machine *machine = nullptr;
  Chip *chip = nullptr;
  uint16_t index = 0;
  uint8_t x = 0, y = 0, noc_x = 0, noc_y = 0;
  uint32_t l1 = 0;  // 0 where it has no memory yet, in a machine of several chips
  Buffer buffers[kMaxBuffers];
  std::vector<uint8_t> present;  // indices of the buffers that are there
  std::unique_ptr<Fiber> fibers[kRoles];
  std::unique_ptr<Tensix> tensix;
  Fiber *semaphore_waiters = nullptr;
  std::unordered_map<uint32_t, Changes> changes;  // by number: 16 bytes are a semaphore, and other words count on from there
  Node *node = nullptr;
  std::unordered_map<uint32_t, int64_t> answers;  // of conditions, by number
};

struct Event {
  uint64_t time, sequence;
  uint32_t *word;
  Core *core;
  uint32_t value;
  bool adds;
  Fiber *from;
  uint32_t noc;
  uint64_t after;  // writes of `from` up to this sequence number arrive first
  int32_t transfer;
  // With a seed: a word that may still change where it came from, and a write that arrives by itself.
  std::shared_ptr<Letter> late = nullptr;
  std::shared_ptr<std::vector<uint8_t>> bytes = nullptr;
  std::vector<uint8_t *> to = {};
};

struct Failure {
  std::string kind;
  const Fiber *fiber = nullptr;
  Place place{"", 0};
  uint64_t clock = 0;
  int64_t values[6] = {};
  std::string text;
  // Of a plain load or store: the instruction after it, in the shared object of the kernel.
  std::string object;
  uint64_t instruction = 0;
};

struct Later {
  bool operator()(const Event &a, const Event &b) const {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
};
struct Ready {
  uint64_t clock;
  uint32_t order;
  Fiber *fiber;
  bool operator<(const Ready &other) const { return clock != other.clock ? clock > other.clock : order > other.order; }
};

// What a program finds in memory, registers and configuration: what was left there, nothing, or anything.
enum class Start : uint8_t { kKept, kCleared, kRandom };

struct Machine {
  uint32_t width = 0, height = 0, l1_bytes = 0, semaphore_offset = 0;  // width, height: of the grid of a chip
  uint32_t l1_reserved = 0;  // what firmware has of an L1, from its beginning
  uint64_t dram_bytes = 0;
  std::vector<std::unique_ptr<Chip>> chips;
  std::vector<std::unique_ptr<Core>> cores;  // chip by chip
  std::unique_ptr<Fabric> fabric;            // links between chips; null on one chip
  Core *owners[kEnd >> kSlotBits] = {};      // whose L1 is mapped at a place
  std::vector<Node *> targets;  // of the multicast under way
  Record *record = nullptr;  // of the run under way
  std::unique_ptr<Record> kept;
  bool records = false;
  uint32_t stamp = 0;
  Costs costs;
  uint32_t max_packet = 8192, read_alignment = 32, l1_alignment = 16;

  std::priority_queue<Ready> ready;
  std::priority_queue<Event, std::vector<Event>, Later> events;
  std::vector<Fiber *> fibers;
  std::vector<char *> stacks;  // of the fibers, in use until the program is forgotten
  std::vector<std::vector<uint32_t>> common, numbers, in_l1;
  uint64_t sequence = 0, switches = 0;
  uint32_t order = 0, live = 0;
  // Polls in a row that nothing could come of, and processors that are in one and can go on.
  uint32_t polls = 0, polling = 0;
  void *main_sp = nullptr;
  Fiber *finished = nullptr;
  // What a fiber leaves to whoever started the run, to be done on its stack: false ends the run.
  std::function<bool()> errand;
  Fiber *waits_for_errand = nullptr;
  Watch watch;
  bool failed = false;
  // No processor goes on whose clock is beyond this: the program takes longer.
  uint64_t limit = UINT64_MAX;
  bool over = false;
  Failure failure;
  std::string printed;
  // Parts of memory, by offset in a bank: whether a program wrote to them.
  struct Part {
    bool dram;
    uint64_t begin, end;
    bool written;
  };
  std::vector<Part> parts;
  // Adversarial schedules: with a seed, processors and transfers are delayed at random.
  bool adversarial = false;
  // A program that stands still goes on, to find out what would have prevented it: data count for nothing, and rules about
  // them are not checked. It ends after so many calls.
  bool experiment = false;
  uint64_t calls_left = 0;
  bool delays() const { return adversarial | experiment; }
  Start start = Start::kKept;
  uint64_t garbage = 0;  // what `kRandom` starts from
  bool carries = false;  // values go through source registers as the hardware's do, in reductions
  uint64_t random = 0;
  // Functions of the vector unit by hash, and the inits any of which sets the unit up for them.
  std::unordered_map<uint32_t, std::vector<uint32_t>> inits;

  uint8_t *l1(uint32_t address) { return reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(address)); }
  uint32_t cores_of_chip() const { return width * height; }
};

// --- fibers and time (schedule.cpp)

inline Fiber &current() { return *reinterpret_cast<Fiber *>(ttl_emu_self); }
// With a seed: sometimes lets a processor fall behind. In an experiment: counts the calls.
void dawdle(Fiber &fiber);
inline Fiber &enter(Place place) {
  Fiber &fiber = current();
  fiber.place = place;
  if (fiber.core->machine->delays()) dawdle(fiber);
  return fiber;
}
// Stops the run: goes back to who started it.
[[noreturn]] void fail(Fiber &fiber, const char *kind, int64_t a = 0, int64_t b = 0, int64_t c = 0, int64_t d = 0,
                       int64_t e = 0);
// Lets everything that happens earlier happen first.
void keep_order(Fiber &fiber);
// Waits until somebody calls `wake`.
void block(Fiber &fiber, Waits waits, uint32_t what, uint32_t amount);
// `by`: who made it happen.
void wake(Fiber &fiber, uint64_t time, const Fiber *by);
// A word that came over the network made it happen.
void wake_by_transfer(Fiber &fiber, uint64_t time, int32_t transfer);
inline void spend(Fiber &fiber, uint64_t cycles) {
  if (fiber.diary.record) note_work(fiber, cycles);
  fiber.clock += cycles;
}
inline void advance_for(Fiber &fiber, uint64_t time, uint8_t reason, int32_t by) {
  if (time <= fiber.clock) return;
  if (fiber.diary.record) note_wait(fiber, time, reason, by, time);
  fiber.stalled += time - fiber.clock;
  fiber.clock = time;
}
// To a time at which another processor did what this one waits for; what the packer pushes takes its time to be seen.
inline void advance(Fiber &fiber, uint64_t time, Waits reason, const Fiber *by) {
  if (time <= fiber.clock) return;
  if (fiber.diary.record) {
    const bool packed = reason == Waits::kPages && by && by->self.role == kPack;
    note_wait(fiber, time, static_cast<uint8_t>(reason), by ? static_cast<int32_t>(by->id) : kNobody,
              time - (packed ? fiber.core->machine->costs.hand_over : 0));
  }
  fiber.stalled += time - fiber.clock;
  fiber.clock = time;
}
void run(Machine &machine);
// Goes on with a program that stands still, until it does so again; false where it is cut short.
bool resume(Machine &machine);
void release_stacks(Machine &machine);
// Lets `errand` be done where Python can be called.
void send_errand(Fiber &fiber);

// A number below `limit`; 0 without a seed.
uint64_t chance(Machine &machine, uint64_t limit);

// --- rules about memory and circular buffers (rules.cpp)

// Whether a processor may read or write memory of a core's circular buffers, by the NoC or by itself.
enum class Access : uint8_t { kReadInto, kWriteFrom, kRemoteWrite, kLoad, kStore };
void check_access(Fiber &fiber, Core &core, Access access, uint32_t offset, uint32_t size);
void check_alignment(Fiber &fiber, bool read, bool dram, uint64_t there, uint32_t here);
void check_reserve(Fiber &fiber, Buffer &buffer, uint32_t index);
void check_push(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t pages);
void check_pop(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t pages);
void check_exit(Fiber &fiber);
// After all processors have ended.
void check_buffers(Machine &machine);
// Whether a part of an L1 belongs to a tensor.
bool in_tensor(const Machine &machine, uint64_t begin, uint64_t end);
// Remembers that bytes of a buffer were read or written, by offset in it; and that bytes of a core's memory were read
// from elsewhere.
void mark_read(Buffer &buffer, uint64_t first_byte, uint64_t size);
void mark_filled(Buffer &buffer, uint64_t first_byte, uint64_t size);
void check_remote_read(Core &core, uint32_t offset, uint32_t size);
// Remembers that a packed tile has elements that are no values; and that memory which goes to a tensor must have none.
void mark_undefined(Fiber &fiber, Buffer &buffer, uint32_t index, const Buffer::Undefined &tile);
void check_defined(Fiber &fiber, Core &core, uint32_t offset, uint32_t size);

// --- memory (memory.cpp)

// Memory of all banks, and of all cores of a machine of one chip; of several, cores have theirs from when it is used.
bool map_memory(Machine &machine, uint32_t banks);
bool map_core(Machine &machine, Core &core);
// The same while a program runs, which ends where there is no room.
inline void reach(Fiber &fiber, Core &core) {
  if (!core.l1 && !map_core(*core.machine, core)) fail(fiber, "no-memory", core.index);
}
void unmap_memory(Machine &machine);
constexpr uint64_t noc_address(uint64_t x, uint64_t y, uint64_t local) { return y << 42 | x << 36 | local; }

// --- what programs begin with (start.cpp)

void begin(Machine &machine);
// The same of the stack of a processor.
void garble_stack(const Machine &machine, const Fiber &fiber, void *bottom, size_t size);

// --- network (noc.cpp)

void deliver(Fiber &fiber, uint32_t noc, uint64_t up_to);
void apply(Machine &machine, const Event &event);
struct Target {
  Node *node;
  uint8_t *memory;
  Core *core;  // null in DRAM
};
constexpr uint64_t kLocal = (uint64_t{1} << 36) - 1;
// Memory of a chip, and of the own core, by an address in the network; ends the run where there is none.
Target at(Fiber &fiber, Chip &chip, uint32_t x, uint32_t y, uint64_t local, uint32_t size);
uint8_t *own(Fiber &fiber, uint32_t address, uint32_t size);
// Remembers which tensors a program writes.
void note_written(Machine &machine, bool dram, uint64_t offset);
// A packet from another chip changed a word: who waits for it goes on.
void word_changed(Core &core, const uint32_t *word, const Fiber &by, uint64_t time, uint32_t packet);
// In an experiment: gives a semaphore of a core a value; for `helped`, whose own changes are counted from then on.
void change_semaphore(Core &core, uint32_t id, uint32_t value, const Fiber *helped);

// --- links between chips (fabric.cpp)

// The payload of a packet has left the memory of its sender.
void take_along(Packet &packet);

// --- circular buffers (buffers.cpp)

// In an experiment: room for more pages, or pages that nobody pushed, which take free ones where there are enough.
void add_pages(Buffer &buffer, uint32_t pages);
void put_pages(Buffer &buffer, uint32_t pages);

// --- formats (formats.cpp)

// A tile from memory, faces in order. Integers arrive as the bits of floats.
void load_tile(Format format, const uint8_t *from, float *to, bool keep_float32);
void store_tile(Format format, const float *from, uint8_t *to, bool integers);
// The same for the tiles of a buffer: faces of fewer rows are at the first rows of whole ones in the registers, with zeros below them.
void load_tile(const Buffer &buffer, const uint8_t *from, float *to, bool keep_float32);
void store_tile(const Buffer &buffer, const float *from, uint8_t *to, bool integers);
void round_to_bfloat16(float *values, uint32_t count);
void round_to_float16(float *values, uint32_t count);

}  // namespace ttl::emu
