// The control plane's objects. Python classes of ttl.sim derive from these types: the fields live here, the usual
// cases of their methods run here in C, and whatever is unusual is left, before anything was changed, to the Python
// method of the same name (kept as `_slow_<name>`, see control.py). So every message and every rare rule exists once.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "../generated/tables.h"
#include "../machine/machine.h"
#include "helpers.h"

namespace ttl::core {

using machine::Format;

struct Engine;
struct Kernel;
struct Storage;
struct Expr;
struct Transfer;
struct Pending;

// A place in the user's code; `code` is a strong reference.
struct Site {
  PyCodeObject *code = nullptr;
  int lasti = 0;
};

// The innermost frame that is not of this package. Borrowed code; false when there is none.
bool user_site(Site *site);
// The innermost frame, in whoever's code.
bool innermost_site(Site *site);
PyObject *site_tuple(const Site &site);
int site_from(Site *site, PyObject *value);  // a (code, lasti) tuple or None
void site_clear(Site *site);

// --- types of blocks ----------------------------------------------------------------------------------------

constexpr int kMaxRank = 8;
// Formats beyond those of the machine: integers and what only NumPy computes with.
constexpr Format kNoFormat = static_cast<Format>(-1);

// What the control plane needs to know of a BlockType; one per type, for ever (types are interned).
struct TypeInfo {
  PyObject *type;
  PyObject *dtype;
  PyObject *storage;  // NumPy dtype
  int64_t id;
  int64_t nbytes;
  int64_t elements[kMaxRank];
  int32_t rank;
  int64_t outer, rows, cols;  // outer: product of the dimensions before the last two
  Format format;              // of the storage
  int32_t itemsize;           // of the storage
  bool is_float, is_number, tiled;
  int64_t volume() const { return outer * rows * cols; }
};

// Null with an error set when the type cannot be looked at.
TypeInfo *type_info(PyObject *type);

// --- tensors ------------------------------------------------------------------------------------------------

struct Region {
  PyObject_HEAD
  char read, written, hazard;
  char overlapped;  // some part was written twice: order of writes matters
  int64_t epoch;
  int64_t pending_writes;
  PyObject *storages;  // list
};

struct WriteRecord {
  int64_t start[kMaxRank], stop[kMaxRank];
  Kernel *kernel;  // borrowed: lives as long as the launch
  PyCodeObject *code;
  int lasti;
};

struct Storage {
  PyObject_HEAD
  Region *region;
  PyObject *tensor, *array, *dtype, *layout, *extents, *old, *parts_written, *types;
  PyObject *retired;  // arrays replaced while values may point into them
  Engine *engine;     // borrowed
  char writable, tiled2d, reused, tiled;
  // The memory of `array`: C-contiguous.
  char *base, *old_base;
  int64_t nbytes, row_bytes;
  int32_t itemsize, rank;
  int64_t shape[kMaxRank], strides[kMaxRank];
  int64_t tile_rows, tile_cols;  // extents of a two-dimensional tiled tensor
  // What is marked as written: tiles, or of row-major tensors parts of rows; see `note_written`.
  int64_t marks_per_row, mark_rows;
  // Types of slices by extents, for two-dimensional tiles.
  struct Known {
    int64_t rows, cols;
    TypeInfo *type;
  };
  std::vector<Known> *known;
  // Which tiles were written, and who wrote which part, as long as nobody reads it.
  std::vector<uint8_t> *marks;
  std::vector<WriteRecord> *writes;
  std::unordered_map<uint64_t, size_t> *by_bounds;
};

// --- values -------------------------------------------------------------------------------------------------

// Outer dimensions that do not collapse into one stride.
struct Outer {
  int32_t rank;
  int64_t extent[kMaxRank], stride[kMaxRank];
};

struct Value {
  PyObject_HEAD
  TypeInfo *type;
  char *data;  // null: still to be computed
  int64_t row_stride, outer_stride;
  int32_t rows, cols;  // present; the rest of the block is padding
  int64_t outer_count; // matrices present
  Outer *outer;
  PyObject *owner;     // keeps `data` alive (an array); null: the tensor's, or `block_bytes` of our own
  int64_t block_bytes; // size of memory of our own, 0: none
  Storage *storage;
  Expr *root;
  int64_t epoch;
  Format format;       // of `data`
  int32_t valid_rows, valid_cols;  // -1: all
  int32_t level;
  uint32_t mark;
  int32_t place;
  char exact, pending;
  int32_t shown;  // views of it that somebody has
};

struct Slice {
  Value value;
  int32_t rank;
  char integers;  // some index is an integer
  int64_t start[kMaxRank], stop[kMaxRank];
  bool single[kMaxRank];
};

// --- operations ---------------------------------------------------------------------------------------------

struct Instr;

// One way an operation was applied: types of the operands (null: a number) and parameters give a type.
struct Case {
  TypeInfo *types[3];
  PyObject *params;
  Instr *instr;
};

struct OpInfo {
  PyObject *op;
  int32_t id, operands;
  bool has_neutral;
  bool heavy;  // worth computing once, however small the expression: a product
  std::vector<Case> cases;
};

// An operation with its parameters and the type of its result: what programs are made of. Lives for ever.
struct Instr {
  OpInfo *op;
  PyObject *params;
  TypeInfo *type;
  int64_t id;
};

OpInfo *op_info(PyObject *op);
Instr *instr_for(OpInfo *op, PyObject *params, TypeInfo *type);
// Equal in every respect, also where == is lenient: 1 and 1.0 differ, and so do 0.0 and -0.0.
bool same(PyObject *a, PyObject *b);

struct Expr {
  PyObject_HEAD
  Engine *engine;
  Instr *instr;
  PyObject *args[3];
  int32_t nargs, size;
  int32_t valid_rows, valid_cols;
  Value *value;
  Site site;
  uint32_t mark;
  int32_t place;
  char reads, used;
  char heavy;  // a heavy operation is in it
};

// --- buffers and blocks -------------------------------------------------------------------------------------

struct Node {
  PyObject_HEAD
  Engine *engine;
  PyObject *body, *buffers, *coord, *kernels;
  int64_t index;
  int nets, semaphores;
};

struct Kernel {
  PyObject_HEAD
  Node *node;
  PyObject *name, *kind, *function, *greenlet, *waiting, *signposts;
  char is_compute, is_kernel, moves_data, done;
  char computed;  // has stored into a block
  char listed;  // in `stalled` of the scheduler
  Site stalled_at;  // where it waits, or last did; borrowed: only compared
  int8_t reserve_role, wait_role;
};

struct Block;

struct Buffer {
  PyObject_HEAD
  Engine *engine;
  Node *node;
  PyObject *py_type, *slots, *held_reserved, *held_waited, *wait_for_data, *wait_for_space;
  TypeInfo *type;
  Kernel *producer, *consumer, *waiting_producer, *waiting_consumer;
  Block *last_reserved, *last_waited;
  Site site, producer_site, consumer_site;
  int64_t ordinal, block_count, reserved, pushed, used, waited, popped, high_water, space_waits, data_waits;
};

struct Block {
  PyObject_HEAD
  Buffer *buffer;
  Kernel *kernel;
  Value *value;
  Transfer *transfers;
  Site site, released;
  int state;
  int8_t role;
};

struct Transfer {
  PyObject_HEAD
  Block *block;
  Transfer *next;
  Site site;
  char writes, done;
};

// --- pipes --------------------------------------------------------------------------------------------------

struct Message {
  PyObject_HEAD
  Value *value;
  PyObject *type;
  Kernel *kernel;
  Site site;
  char left;
};

// One pipe of a launch with its channel (protocol/pipes.py).
struct Pipe {
  PyObject_HEAD
  PyObject *pipe, *dsts, *receivers, *receives, *queue;
  Message *in_flight;
  Kernel *sender;
  int64_t src, waits, bytes, sent, received;
  int64_t begun;                    // messages that came under way
  std::vector<int64_t> *nodes;      // of the destinations
  std::vector<char> *remaining;     // by position in `nodes`
  std::vector<PyObject *> *started; // by position: the list in `receives`, once the native core has looked for it
  int64_t left;                     // how many of `remaining` are set
};

struct PipeEnd {
  PyObject_HEAD
  Pipe *of;
  Kernel *active;
  PyObject *receives;  // the list of receives of this node, once there was one
  int64_t node, position;
};

struct PipeTransfer {
  Transfer transfer;
  Pipe *pipe;
  PyObject *message;   // of a send
  PyObject *receives;  // of a receive: the list it is in until its message arrives
  int64_t node, position;
  char arrived;
};

struct NetView {
  PyObject_HEAD
  Engine *engine;
  PyObject *out, *in;
};

struct Net {
  PyObject_HEAD
  Engine *engine;  // borrowed, compared only; of the last view
  uint64_t launch;
  int64_t node;
  NetView *view;
  std::unordered_map<int64_t, NetView *> *views;
};

// --- tensors ------------------------------------------------------------------------------------------------

struct TensorBase {
  PyObject_HEAD
  Storage *storage;
  uint64_t launch;
};

// --- what is recorded ---------------------------------------------------------------------------------------

struct Leaf {
  Value *value;  // strong; null where `at` is memory of a tensor that stays as it is
  machine::Operand at;
};

struct LeafType {
  TypeInfo *type;
  Format format;
  int32_t valid_rows, valid_cols;
  bool exact;
};

struct Template {
  int64_t id;
  std::vector<uint64_t> key;
  TypeInfo *type;  // of the result
  bool exact;
  Format format;   // the result is stored in
  std::vector<LeafType> leaves;
  PyObject *py_key = nullptr;      // as sim/program.py has it
  std::shared_ptr<machine::Program> program;  // tapes share it; null: NumPy computes
};

struct Task {
  Template *pattern;
  Value *out;  // strong
  uint32_t first_leaf;
  int32_t level;
  int32_t node;  // whose kernel stored it
};

struct Write {
  Slice *slice;      // strong; null where `view` says where to
  PyObject *view;    // strong: an array, and `storage` is whose
  Storage *storage;  // strong
  Value *value;      // strong
  bool done;
  int32_t node;
};

struct Tape;

struct Pending {
  PyObject_HEAD
  std::vector<Task> *tasks;
  std::vector<Leaf> *leaves;
  std::vector<Write> *writes;
  int64_t bytes, intermediate_bytes;
  int64_t limit_bytes, limit_intermediate;
  PyObject *on_flush;
  PyObject *compute, *prepare, *commit_view;  // Python: see sim/native
  Tape *tape;
  int32_t threads;
  char suspended, unrounded, natively;
  char only_taped;  // nothing is computed: a tape is made of some nodes, for all of them (sim/lanes)
  int64_t most;  // recorded at once, for tests
};

struct Engine {
  PyObject_HEAD
  Kernel *current;
  Pending *pending;
  PyObject *ready_hook;  // scheduler object
  PyObject *memory, *grid;
  Engine *before;  // strong: the launch this one runs inside of, while it is active
  uint64_t launch;
  char active, interleaved;
  char infers;  // releases and waits that the program leaves out
  int64_t steps_left;
  PyObject *stop;
  PyObject *on_push;  // called with buffer and value, or null
  PyObject *on_event;  // called with an event and the block or transfer that it is about, or null
};

// What kernels do, for who records it (sim/events.py has the same numbers).
enum Event : int { kAcquired, kPushed, kPopped, kStored, kCopied, kArrived };

// What the name of a kernel stands for in its operation (lang/kernels.py).
struct KernelName {
  PyObject_HEAD
  PyObject *function, *kind;
};

struct Scheduler {
  PyObject_HEAD
  PyObject *engine_object;  // borrowed
  Queue<Kernel *> *ready, *unstarted;
  Queue<Kernel *> *stalled;  // have waited since somebody last asked what they hold
  std::vector<PyObject *> *idle;
  PyObject *hub, *context, *random, *failure, *on_finish;
  int64_t finished, total, switches;
  char abandoned;
};

// --- functions across files ---------------------------------------------------------------------------------

extern PyTypeObject EngineType, SchedulerType, NodeType, KernelType, BufferType, BlockType, TransferType, ValueType,
    SliceType, ExprType, StorageType, RegionType, PendingType, PipeType, PipeEndType, PipeTransferType, MessageType,
    NetType, NetViewType, TensorBaseType, TapeType, FastFunctionType,
    KernelNameType, PipeSpecType;

// The Python classes derived from the types above, which the fast paths make instances of.
struct Classes {
  PyTypeObject *block, *expr, *transfer, *value, *slice, *buffer, *send, *receive, *src_end, *dst_end, *tensor, *kernel,
      *net_view, *message, *kernel_name, *node, *pipe;
  PyObject *wait_for_space, *wait_for_data;
  PyObject *left_out, *used_after, *release_unused;  // functions of sim/implicit.py
  PyObject *package_folder;
  // In it, what is written in the language as a user's programs are.
  PyObject *operations_folder;
};
extern Classes classes;

// The engine that runs in this thread, if any; a strong reference.
extern constinit thread_local Engine *active_engine;

// Not what `__new__` alone has made: that is for the slow paths.
inline bool is_expr(PyObject *object) {
  return Py_TYPE(object) == classes.expr && reinterpret_cast<Expr *>(object)->instr;
}
// PyObject_TypeCheck of a type of ours, quickest for the class that is derived from it.
inline bool is_of(PyObject *object, PyTypeObject *usual, PyTypeObject &type) {
  return Py_TYPE(object) == usual || PyObject_TypeCheck(object, &type);
}
inline bool is_block(PyObject *object) { return Py_TYPE(object) == classes.block; }

// Counts a step where steps are limited (see sim/deadlock_trial.py). False with an error set when there are no more.
inline bool step(Engine *engine) {
  if (engine->steps_left < 0) return true;
  if (engine->steps_left-- > 0) return true;
  engine->steps_left = 0;
  PyErr_SetNone(engine->stop);
  return false;
}

// Says what has happened, where somebody wants to know. False with what the listener raises.
bool tell_event(PyObject *listener, Event event, PyObject *subject);
// The same where that is shown and goes no further.
inline void note_event(Engine *engine, Event event, PyObject *subject) {
  if (engine->on_event && !tell_event(engine->on_event, event, subject)) PyErr_WriteUnraisable(engine->on_event);
}

inline int transition(const Block *block, int step) {
  return tables::kTransitions[block->role][block->state * tables::kSteps + step];
}

// Calls a method of Python with whatever the caller was called with.
PyObject *call_slow_with(PyObject *self, const char *name, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *slow(PyObject *self, const char *name, PyObject *const *args, size_t count);
template <typename... Args>
PyObject *call_slow(PyObject *self, const char *name, Args *...args) {
  PyObject *all[] = {self, as_object(args)...};
  return slow(self, name, all, sizeof...(args) + 1);
}

// scheduler.cpp
int scheduler_suspend(Engine *engine, Kernel *kernel, PyObject *reason);
int scheduler_wake(Engine *engine, Kernel *kernel);
int scheduler_pause(Engine *engine, Kernel *kernel);
bool scheduler_setup();

// blocks.cpp: push or pop; 1: done, 0: the general way has to look at it, -1: failed
int release_block(Block *block);

// releases.cpp. What the language releases: where nobody can go on (1: something; 0: nothing, or Python has to look),
// at the end of a kernel (0, whatever was done), before a kernel that holds blocks acquires one (1: there is room;
// 0: Python has to look); -1: failed.
int release_when_stalled(Engine *engine, Scheduler *scheduler);
int release_at_end(Kernel *kernel);
int release_before_acquiring(Buffer *buffer, PyObject *held, const Site &site);

// expressions.cpp
PyObject *apply(Engine *engine, PyObject *op, OpInfo *info, PyObject *const *operands, int count, PyObject *params);
extern PyNumberMethods expression_numbers;
PyObject *expression_compare(PyObject *self, PyObject *other, int how);

// memory.cpp, slices.cpp, values.cpp
Value *memory_read(Engine *engine, Slice *slice, TypeInfo *type);  // new reference, null without error: slow path
int memory_write(Engine *engine, Value *value, Slice *slice, TypeInfo *type, const Site &site);  // 1: done, 0: slow
char *slice_data(const Slice *slice);
char *value_data(const Value *value);
void pool_free(char *data, int64_t bytes);
char *pool_allocate(int64_t bytes);

// Whether an expression that is used again is computed once, by itself.
bool is_worth_keeping(const Expr *expr);

// tasks.cpp, flush.cpp
Value *record_store(Engine *engine, PyObject *expr, Block *target);  // new; null without error: slow path
Value *record_fold(Pending *pending, Expr *expr);                    // new
int pending_flush(Pending *pending);
int machine_setup();

// nodes.cpp: the transitions of blocks in a role; new
PyObject *flat_table(int role);

// transfers.cpp
void finish_transfer(Transfer *transfer);
bool may_wait(const Transfer *transfer);
void link_transfer(Transfer *transfer, Block *block, bool writes, const Site &site);
bool blocks_setup();
bool memory_setup();
bool known_match(Slice *slice, TypeInfo *type);
PyObject *start_copy(Engine *engine, PyObject *src, PyObject *dst, const Site &site);  // null without error: slow

// pipes.cpp
void pipe_class_setup(PyTypeObject *type);  // the class derived from PipeSpec
PyObject *pipe_reason(PyObject *waiting);  // why a kernel is blocked, for Python; new
PyObject *pipe_send(Engine *engine, Block *block, PipeEnd *end, const Site &site);
PyObject *pipe_receive(Engine *engine, PipeEnd *end, Block *block, const Site &site);

bool add_types(PyObject *module);

}  // namespace ttl::core
