// Reading tensors into blocks and writing blocks to tensors.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

constexpr int64_t kTile = tables::kTile;

namespace {

constexpr size_t kMostWrites = 1 << 13;
// Parts of one tensor that are remembered as written.
constexpr size_t kMostRemembered = 1 << 16;

}  // namespace

// --- reading and writing ------------------------------------------------------------------------------------

Value *memory_read(Engine *, Slice *slice, TypeInfo *type) {
  Storage *storage = slice->value.storage;
  Region *region = storage->region;
  if (region->written || slice->value.epoch != region->epoch) return nullptr;
  if (slice->value.type == type) {
    region->read = 1;
    return incref(&slice->value);
  }
  int surplus = slice->rank - type->rank;
  if (surplus <= 0 || (storage->tiled && type->rank < 2)) return nullptr;
  for (int i = 0; i < surplus; i++)
    if (!slice->single[i]) return nullptr;
  if (type->rank == 1 && slice->value.rows != 1) return nullptr;
  region->read = 1;
  auto *value = make<Value>(classes.value);
  if (!value) return nullptr;
  value->type = type;
  value->storage = incref(storage);
  value->epoch = region->epoch;
  value->format = slice->value.format;
  value->data = slice->value.data;
  value->row_stride = slice->value.row_stride;
  value->outer_stride = slice->value.outer_stride;
  value->outer_count = slice->value.outer_count;
  value->outer = slice->value.outer ? new Outer(*slice->value.outer) : nullptr;
  value->rows = slice->value.rows;
  value->cols = slice->value.cols;
  value->valid_rows = slice->value.valid_rows;
  value->valid_cols = slice->value.valid_cols;
  return value;
}

namespace {

uint64_t bounds_key(const WriteRecord &record, int rank) {
  uint64_t key = 1469598103934665603ull;
  for (int i = 0; i < rank; i++) {
    key = (key ^ static_cast<uint64_t>(record.start[i])) * 1099511628211ull;
    key = (key ^ static_cast<uint64_t>(record.stop[i])) * 1099511628211ull;
  }
  return key;
}

// Marks what a slice covers, in units of tiles (or of 32 elements of a row). Whether any of it was marked before.
bool mark(Storage *storage, const Slice *slice) {
  int rank = slice->rank;
  int64_t unit = storage->tiled ? 1 : kTile;
  int64_t first_col = slice->start[rank - 1] / unit, last_col = (slice->stop[rank - 1] + unit - 1) / unit;
  int64_t first_row = rank > 1 ? slice->start[rank - 2] : 0, last_row = rank > 1 ? slice->stop[rank - 2] : 1;
  int64_t index[kMaxRank] = {};
  for (int i = 0; i < rank - 2; i++) index[i] = slice->start[i];
  bool again = false;
  for (;;) {
    int64_t matrix = 0;
    for (int i = 0; i < rank - 2; i++) matrix = matrix * storage->shape[i] + index[i];
    for (int64_t row = first_row; row < last_row; row++) {
      uint8_t *marks = storage->marks->data() + (matrix * storage->mark_rows + row) * storage->marks_per_row;
      for (int64_t col = first_col; col < last_col; col++) {
        again |= marks[col] != 0;
        marks[col] = 1;
      }
    }
    int i = rank - 3;
    while (i >= 0 && ++index[i] == slice->stop[i]) {
      index[i] = slice->start[i];
      i--;
    }
    if (i < 0) return again;
  }
}

// Notes who wrote a part, as long as nobody reads the tensor. 2: it was written before, by `first`; 1: some of it was.
int note_written(Storage *storage, Slice *slice, Kernel *kernel, const Site &site, WriteRecord *first) {
  int rank = slice->rank;
  if (!storage->marks) {
    int64_t matrices = 1, rows = rank > 1 ? storage->shape[rank - 2] : 1;
    for (int i = 0; i < rank - 2; i++) matrices *= storage->shape[i];
    storage->mark_rows = storage->tiled ? (rows + kTile - 1) / kTile : rows;
    storage->marks_per_row = (storage->shape[rank - 1] + kTile - 1) / kTile;
    storage->marks = new std::vector<uint8_t>(
        static_cast<size_t>(matrices * storage->mark_rows * storage->marks_per_row));
    storage->writes = new std::vector<WriteRecord>();
  }
  WriteRecord record = {};
  for (int i = 0; i < rank; i++) {
    record.start[i] = slice->start[i];
    record.stop[i] = slice->stop[i];
  }
  bool again = mark(storage, slice);
  if (again) {
    if (!storage->by_bounds) {
      storage->by_bounds = new std::unordered_map<uint64_t, size_t>();
      for (size_t i = 0; i < storage->writes->size(); i++)
        storage->by_bounds->emplace(bounds_key((*storage->writes)[i], rank), i);
    }
    auto known = storage->by_bounds->find(bounds_key(record, rank));
    if (known != storage->by_bounds->end()) {
      *first = (*storage->writes)[known->second];
      return 2;
    }
  }
  if (storage->writes->size() >= kMostRemembered) return again;
  record.kernel = kernel;
  record.code = incref(site.code);
  record.lasti = site.lasti;
  if (storage->by_bounds) storage->by_bounds->emplace(bounds_key(record, rank), storage->writes->size());
  storage->writes->push_back(record);
  return again;
}

// Notes a write to memory that nobody reads, and warns of what was written before.
int check_overwrite(Engine *engine, Slice *slice, const Site &site) {
  Storage *storage = slice->value.storage;
  WriteRecord first;
  int before = note_written(storage, slice, engine->current, site, &first);
  if (before) storage->region->overlapped = 1;
  if (before != 2) return 0;
  PyObject *done = PyObject_CallMethod(engine->memory, "note_overwrite", "O(O(Oi))(O(Oi))", slice, first.kernel,
                                       first.code, first.lasti, engine->current, site.code, site.lasti);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

}  // namespace

int memory_write(Engine *engine, Value *value, Slice *slice, TypeInfo *type, const Site &site) {
  Storage *storage = slice->value.storage;
  Region *region = storage->region;
  if (!storage->writable || (region->read && !region->hazard)) return 0;
  int surplus = slice->rank - type->rank;
  if (surplus < 0) return 0;
  for (int i = 0; i < surplus; i++)
    if (!slice->single[i]) return 0;
  if (type->rank == 1 && slice->value.rows != 1) return 0;
  region->written = 1;
  if (!region->hazard && check_overwrite(engine, slice, site) < 0) return -1;
  Pending *pending = engine->pending;
  if (!pending) {
    PyErr_SetString(PyExc_RuntimeError, "the launch is over");
    return -1;
  }
  region->pending_writes++;
  Write write = {incref(slice), nullptr, incref(storage), incref(value), false,
                 static_cast<int32_t>(engine->current->node->index)};
  pending->writes->push_back(write);
  // What only copies records no tasks that would be counted.
  if (pending->writes->size() > kMostWrites && pending_flush(pending) < 0) return -1;
  return 1;
}

// write(engine, value, slice, type, site): record a write to memory that is open for writing; False: the memory of the
// slice is irregular, and only that it was written is noted.
PyObject *write(PyObject *, PyObject *args) {
  PyObject *engine, *value, *slice, *type, *place;
  Site site;
  if (!PyArg_ParseTuple(args, "O!O!O!OO", &EngineType, &engine, &ValueType, &value, &SliceType, &slice, &type, &place) ||
      site_from(&site, place) < 0)
    return nullptr;
  auto *to = reinterpret_cast<Slice *>(slice);
  TypeInfo *info = type_info(type);
  int done = info ? memory_write(reinterpret_cast<Engine *>(engine), reinterpret_cast<Value *>(value), to, info, site) : -1;
  if (!done) {
    to->value.storage->region->written = 1;
    if (!to->value.storage->region->hazard)
      done = check_overwrite(reinterpret_cast<Engine *>(engine), to, site) < 0 ? -1 : 0;
  }
  site_clear(&site);
  return done < 0 ? nullptr : PyBool_FromLong(done);
}

}  // namespace ttl::core
