// What a launch computed, kept so that later calls compute the same with other data.
//
// A tape is the list of what the flushes of a launch did: groups of tasks, and copies. While it is recorded it holds
// addresses; `finish` turns those in tensors into (tensor, offset), and results between tasks into places of an arena
// of its own. Steps run in the order in which they were recorded, so memory that was used again stays shared.
#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>

#include "fields.h"
#include "pending.h"

namespace ttl::core {

namespace {

constexpr int32_t kArena = -1, kUnknown = -2;

// Operands of a step, flat; `source` is a tensor of the tape or kArena, `offset` where in it.
struct Operands {
  std::vector<machine::Operand> at;
  std::vector<int32_t> source;
  std::vector<int64_t> offset;
  void add(const machine::Operand &operand) {
    at.push_back(operand);
    source.push_back(kUnknown);
    offset.push_back(0);
  }
};

struct Step {
  std::shared_ptr<machine::Program> program;  // null: a copy from operand 1 to operand 0
  std::shared_ptr<const Family> family;       // null: all numbers of the program are its own
  size_t leaves = 0, count = 0;
  Copied copied = {};  // of a group: the rows of every result
  Operands operands;  // of a group: of each task its leaves, then its result
  std::vector<int32_t> nodes;  // whose tasks they are
  std::vector<machine::Task> tasks;
};

}  // namespace

// Whether code differs in no more than numbers that calls may have others of.
static bool is_alike(const Family *a, const Family *b) {
  if (!a || !b || a->numbers != b->numbers || a->uses != b->uses || a->code.size() != b->code.size()) return false;
  std::string code = a->code;
  for (const Family::Use &use : a->uses) {
    size_t at = a->numbers + static_cast<size_t>(std::max(use.place, 0)) * sizeof(float);
    if (use.place >= 0) code.replace(at, sizeof(float), b->code, at, sizeof(float));
  }
  return code == b->code;
}

struct Recording {
  std::vector<Step> steps;
  std::unordered_map<const machine::Program *, std::shared_ptr<const Family>> families;
  std::unordered_map<char *, int64_t> results;  // memory of results between tasks, with its size
  std::string refused;
  std::vector<int32_t> tensors;  // the caller's positions
  std::vector<int64_t> extents;  // how many bytes of each may be touched
  std::vector<bool> written;
  std::vector<char *> bases;  // where the arrays of the run before were, which is where operands point to
  char *arena = nullptr;
  int64_t arena_bytes = 0, record_bytes = 0;
  bool finished = false;
  bool spread = false;  // made of some nodes, for all of them
  ~Recording() { std::free(arena); }
};

static void give_tasks(Recording &recording) {
  for (Step &step : recording.steps) {
    if (!step.program) continue;
    step.tasks.resize(step.count);
    recording.record_bytes += static_cast<int64_t>(step.count * sizeof(machine::Task));
  }
}

struct Tape {
  PyObject_HEAD
  Recording *recording;
};

void tape_refuse(Tape *tape, const char *reason) {
  if (tape->recording->refused.empty()) tape->recording->refused = reason;
}

void tape_result(Tape *tape, char *data, int64_t bytes) {
  int64_t &size = tape->recording->results[data];
  size = std::max(size, bytes);
}

void tape_group(Tape *tape, const std::shared_ptr<machine::Program> &program, size_t leaves, const machine::Task *tasks,
                size_t count, const Copied &result, const int32_t *nodes) {
  Recording &recording = *tape->recording;
  if (!recording.refused.empty()) return;
  Step step;
  step.program = program;
  if (const Family *family = family_of(program.get())) {
    auto &known = recording.families[program.get()];
    if (!known) known = std::make_shared<const Family>(*family);
    step.family = known;
  }
  step.leaves = leaves;
  step.count = count;
  step.copied = result;
  step.nodes.assign(nodes, nodes + count);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < leaves; j++) step.operands.add(tasks[i].leaves[j]);
    step.operands.add(tasks[i].out);
  }
  recording.steps.push_back(std::move(step));
}

void tape_copy(Tape *tape, const machine::Operand &to, const machine::Operand &from, const Copied &copied, int32_t node) {
  Recording &recording = *tape->recording;
  if (!recording.refused.empty()) return;
  // Copies of equal rows, one after the other, are one step: a program that gathers makes tens of thousands.
  Step *last = recording.steps.empty() ? nullptr : &recording.steps.back();
  if (last && !last->program && std::memcmp(&last->copied, &copied, sizeof copied) == 0) {
    last->count++;
    last->nodes.push_back(node);
    last->operands.add(to);
    last->operands.add(from);
    return;
  }
  Step step;
  step.copied = copied;
  step.count = 1;
  step.nodes = {node};
  step.operands.add(to);
  step.operands.add(from);
  recording.steps.push_back(std::move(step));
}

void copy_rows(const machine::Operand &to, const machine::Operand &from, const Copied &copied) {
  for (int64_t o = 0; o < copied.outer; o++) {
    char *target = to.data + o * to.outer_stride;
    const char *source = from.data + o * from.outer_stride;
    for (int64_t r = 0; r < copied.all_rows; r++) {
      char *row = target + r * to.row_stride;
      int64_t bytes = r < copied.rows ? copied.row_bytes : 0;
      if (bytes) std::memmove(row, source + r * from.row_stride, static_cast<size_t>(bytes));
      if (bytes < copied.all_row_bytes) std::memset(row + bytes, 0, static_cast<size_t>(copied.all_row_bytes - bytes));
    }
  }
}

// --- the type -----------------------------------------------------------------------------------------------

static PyObject *tape_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *tape = reinterpret_cast<Tape *>(type->tp_alloc(type, 0));
  if (tape) tape->recording = new Recording();
  return as_object(tape);
}
static void tape_dealloc(PyObject *self) {
  delete reinterpret_cast<Tape *>(self)->recording;
  Py_TYPE(self)->tp_free(self);
}
static PyObject *tape_refuse_method(PyObject *self, PyObject *reason) {
  const char *text = PyUnicode_AsUTF8(reason);
  if (!text) return nullptr;
  tape_refuse(reinterpret_cast<Tape *>(self), text);
  Py_RETURN_NONE;
}

// finish([(address, bytes, position, written), ...]): what memory belongs to which tensor of the caller's. A reason
// (str) when the launch cannot be kept, else None.
static PyObject *tape_finish(PyObject *self, PyObject *ranges) {
  Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  if (recording.finished || !recording.tensors.empty()) {
    PyErr_SetString(PyExc_ValueError, "a tape is finished once");
    return nullptr;
  }
  struct Range {
    char *start, *stop;
    int32_t position;
    bool written;
  };
  std::vector<Range> all;
  for (Py_ssize_t i = 0; PyList_Check(ranges) && i < PyList_GET_SIZE(ranges); i++) {
    unsigned long long address;
    long long bytes;
    int position, written;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(ranges, i), "KLip", &address, &bytes, &position, &written)) return nullptr;
    auto *start = reinterpret_cast<char *>(address);
    all.push_back({start, start + bytes, position, written != 0});
  }
  std::unordered_map<int32_t, int32_t> places;  // from the caller's positions to those in `tensors`
  for (const Range &range : all) {
    if (!places.count(range.position)) {
      places[range.position] = static_cast<int32_t>(recording.tensors.size());
      recording.tensors.push_back(range.position);
      recording.written.push_back(false);
      recording.extents.push_back(0);
    }
    int64_t &most = recording.extents[static_cast<size_t>(places[range.position])];
    most = std::max(most, static_cast<int64_t>(range.stop - range.start));
    if (range.written) recording.written[static_cast<size_t>(places[range.position])] = true;
  }
  // Places in the arena by first use: that does not depend on addresses, so equal launches give equal tapes.
  std::unordered_map<char *, int64_t> numbered;
  int64_t next = 0;
  size_t last = 0;
  for (Step &step : recording.steps) {
    Operands &operands = step.operands;
    for (size_t i = 0; i < operands.at.size() && recording.refused.empty(); i++) {
      char *data = operands.at[i].data;
      if (last >= all.size() || data < all[last].start || data >= all[last].stop) {
        last = 0;
        while (last < all.size() && (data < all[last].start || data >= all[last].stop)) last++;
      }
      if (last < all.size()) {
        operands.source[i] = places[all[last].position];
        operands.offset[i] = data - all[last].start;
        continue;
      }
      auto size = recording.results.find(data);
      if (size == recording.results.end()) {
        recording.refused = "it reads data that are in no tensor";
        break;
      }
      auto [place, added] = numbered.emplace(data, next);
      if (added) next += (size->second + 63) / 64 * 64;
      operands.source[i] = kArena;
      operands.offset[i] = place->second;
    }
    recording.record_bytes += static_cast<int64_t>(operands.at.size() * (sizeof(machine::Operand) + 12));
  }
  if (!recording.refused.empty()) return PyUnicode_FromString(recording.refused.c_str());
  recording.arena_bytes = next;
  recording.results.clear();
  give_tasks(recording);
  recording.finished = true;
  Py_RETURN_NONE;
}

// --- one trace for nodes that run the same path -------------------------------------------------------------

namespace {

// Nodes of which one was run for all: how many they are, in the order in which everything of theirs is given.
struct Alike {
  int32_t node;
  int64_t lanes;
};

// A tensor as nodes that are alike slice it: where the slices of the others lie, in bytes from those of the one that was run.
struct Shifted {
  int32_t tensor, alike;  // the caller's position; -1: what all nodes slice at the same place
  std::vector<int64_t> by;
};

// Marks the rows that results take, in the largest unit that all of them are whole numbers of.
class Rows {
 public:
  void measure(int64_t offset, const machine::Operand &at, const Copied &rows) {
    for (int64_t number : {offset, at.row_stride, rows.outer > 1 ? at.outer_stride : 0, rows.all_row_bytes}) unit_ |= number;
  }
  void begin(const std::vector<int64_t> &extents) {
    unit_ = unit_ & -unit_;
    for (int64_t extent : extents) marks_.emplace_back(static_cast<size_t>(extent / unit_ + 1));
  }
  // Whether something was there before, or it does not fit.
  bool mark(int32_t tensor, int64_t offset, const machine::Operand &at, const Copied &rows) {
    std::vector<char> &marks = marks_[static_cast<size_t>(tensor)];
    for (int64_t o = 0; o < rows.outer; o++) {
      for (int64_t r = 0; r < rows.all_rows; r++) {
        int64_t first = (offset + o * at.outer_stride + r * at.row_stride) / unit_, last = first + rows.all_row_bytes / unit_;
        if (first < 0 || last > static_cast<int64_t>(marks.size())) return true;
        for (int64_t i = first; i < last; i++) {
          if (marks[static_cast<size_t>(i)]) return true;
          marks[static_cast<size_t>(i)] = 1;
        }
      }
    }
    return false;
  }

 private:
  int64_t unit_ = 1 << 12;
  std::vector<std::vector<char>> marks_;
};

class Spread {
 public:
  explicit Spread(Recording &recording) : recording_(recording) {}

  // The arguments of tape_spread; false with an error set.
  bool read(PyObject *alike, PyObject *shifted, PyObject *routes) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(alike); i++) {
      Alike one;
      if (!PyArg_ParseTuple(PyList_GET_ITEM(alike, i), "iL", &one.node, &one.lanes)) return false;
      number_of_[one.node] = static_cast<int32_t>(alike_.size());
      most_lanes_ = std::max(most_lanes_, one.lanes);
      alike_.push_back(one);
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(shifted); i++) {
      int position, node;
      Shifted one;
      PyObject *by;
      if (!PyArg_ParseTuple(PyList_GET_ITEM(shifted, i), "iiiO!", &position, &one.tensor, &node, &PyTuple_Type, &by) ||
          !numbers(by, one.by))
        return false;
      one.alike = number_of_.at(node);
      shifted_[position] = one;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(routes); i++) {
      int to, from;
      PyObject *lanes;
      if (!PyArg_ParseTuple(PyList_GET_ITEM(routes, i), "iiO!", &to, &from, &PyTuple_Type, &lanes) ||
          !numbers(lanes, routes_[{number_of_.at(to), number_of_.at(from)}]))
        return false;
    }
    return true;
  }

  // Why it cannot be done, or null.
  const char *run() {
    std::vector<int32_t> tensors;
    for (int32_t position : recording_.tensors) {
      auto known = shifted_.find(position);
      tensors.push_back(known == shifted_.end() ? position : known->second.tensor);
    }
    std::vector<int32_t> all = tensors;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<int64_t> extents(all.size());
    std::vector<bool> written(all.size());
    for (size_t i = 0; i < tensors.size(); i++) {
      auto place = static_cast<int32_t>(std::lower_bound(all.begin(), all.end(), tensors[i]) - all.begin());
      places_.push_back(place);
      extents[static_cast<size_t>(place)] = recording_.extents[i];
      if (recording_.written[i]) written[static_cast<size_t>(place)] = true;
    }
    int64_t bytes = 0;
    for (Step &step : recording_.steps) {
      if (const char *reason = spread(step, written)) return reason;
      bytes += static_cast<int64_t>(step.operands.at.size() * (sizeof(machine::Operand) + 12));
    }
    rows_.begin(extents);
    for (const Step &step : recording_.steps) {
      for (size_t i = 0; i < step.count; i++) {
        size_t at = step.program ? (i + 1) * (step.leaves + 1) - 1 : i * 2;
        int32_t source = step.operands.source[at];
        if (source != kArena && rows_.mark(source, step.operands.offset[at], step.operands.at[at], step.copied))
          return "nodes write the same part of a tensor";
      }
    }
    recording_.tensors.swap(all);
    recording_.extents.swap(extents);
    recording_.written.swap(written);
    recording_.arena_bytes *= most_lanes_;
    recording_.record_bytes = bytes;
    recording_.spread = true;
    give_tasks(recording_);
    return nullptr;
  }

 private:
  static bool numbers(PyObject *tuple, std::vector<int64_t> &into) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) into.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
    return !PyErr_Occurred();
  }

  // Whose an operand is: nodes that are alike, or -1.
  int32_t owner(const Operands &operands, size_t i) const {
    if (operands.source[i] == kArena) {
      auto known = arena_.find(operands.offset[i]);
      return known == arena_.end() ? -1 : known->second;
    }
    auto known = shifted_.find(recording_.tensors[static_cast<size_t>(operands.source[i])]);
    return known == shifted_.end() ? -1 : known->second.alike;
  }

  const char *spread(Step &step, const std::vector<bool> &written) {
    Operands &before = step.operands, after;
    size_t size = step.program ? step.leaves + 1 : 2, result = step.program ? step.leaves : 0;
    std::vector<int32_t> nodes;
    std::vector<std::pair<int64_t, int32_t>> made;
    for (size_t task = 0; task < step.count; task++) {
      auto number = number_of_.find(step.nodes[task]);
      int32_t mine = number != number_of_.end() ? number->second : owner(before, task * size + 1);
      if (step.program && mine < 0) return "somebody else computes";
      int64_t lanes = mine < 0 ? 1 : alike_[static_cast<size_t>(mine)].lanes;
      for (int64_t lane = 0; lane < lanes; lane++) {
        for (size_t j = 0; j < size; j++) {
          size_t i = task * size + j;
          bool in_arena = before.source[i] == kArena;
          int32_t whose = j == result ? mine : owner(before, i);
          int64_t there = lane;
          if (whose >= 0 && whose != mine) {
            auto route = routes_.find({mine, whose});
            if (route == routes_.end()) return "nodes have data of others that they got on no pipe";
            there = route->second.at(static_cast<size_t>(lane));
          }
          int64_t shift = 0;
          if (in_arena) {
            if (whose >= 0) shift = there * recording_.arena_bytes;
          } else {
            auto known = shifted_.find(recording_.tensors[static_cast<size_t>(before.source[i])]);
            if (known != shifted_.end()) {
              if (known->second.alike != whose) return "nodes write where others slice";
              shift = known->second.by.at(static_cast<size_t>(there));
            }
          }
          int32_t place = in_arena ? kArena : places_[static_cast<size_t>(before.source[i])];
          if (!in_arena && j != result && written[static_cast<size_t>(place)]) return "it reads a tensor and writes it";
          after.at.push_back(before.at[i]);
          after.source.push_back(place);
          after.offset.push_back(before.offset[i] + shift);
          if (!in_arena && j == result) rows_.measure(after.offset.back(), before.at[i], step.copied);
        }
        nodes.push_back(step.nodes[task]);
      }
      if (before.source[task * size + result] != kArena) continue;
      // Of copies a later one may take what an earlier one has put there.
      if (step.program) made.emplace_back(before.offset[task * size + result], mine);
      else arena_[before.offset[task * size + result]] = mine;
    }
    for (auto &[place, whose] : made) arena_[place] = whose;
    step.count = nodes.size();
    step.nodes.swap(nodes);
    step.operands = std::move(after);
    return nullptr;
  }

  Recording &recording_;
  std::vector<Alike> alike_;
  std::unordered_map<int32_t, int32_t> number_of_;  // of the node that was run
  std::unordered_map<int32_t, Shifted> shifted_;    // by position
  std::map<std::pair<int32_t, int32_t>, std::vector<int64_t>> routes_;
  std::unordered_map<int64_t, int32_t> arena_;  // who has written there last
  std::vector<int32_t> places_;
  int64_t most_lanes_ = 1;
  Rows rows_;
};

}  // namespace

// spread([(node, lanes)], [(position, tensor, node, shifts)], [(to, from, lanes)]): from the tape of some nodes, finished with
// tensors of their own for what nodes slice at different places, that of all nodes. A reason (str) when that cannot be.
static PyObject *tape_spread(PyObject *self, PyObject *args) {
  Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  PyObject *alike, *shifted, *routes;
  if (!PyArg_ParseTuple(args, "O!O!O!", &PyList_Type, &alike, &PyList_Type, &shifted, &PyList_Type, &routes)) return nullptr;
  if (!recording.finished || recording.spread) {
    PyErr_SetString(PyExc_ValueError, "a finished tape is spread once");
    return nullptr;
  }
  try {
    Spread spread(recording);
    if (!spread.read(alike, shifted, routes)) return nullptr;
    const char *reason = spread.run();
    if (reason) recording.finished = false;
    return reason ? PyUnicode_FromString(reason) : Py_NewRef(Py_None);
  } catch (const std::out_of_range &) {
    PyErr_SetString(PyExc_ValueError, "a node or a lane that is not there");
    return nullptr;
  }
}

static void point_at(Recording &recording, std::vector<char *> &bases) {
  for (Step &step : recording.steps) {
    Operands &operands = step.operands;
    for (size_t i = 0; i < operands.at.size(); i++) {
      char *base = operands.source[i] == kArena ? recording.arena : bases[static_cast<size_t>(operands.source[i])];
      operands.at[i].data = base + operands.offset[i];
    }
    for (size_t i = 0; step.program && i < step.count; i++) {
      const machine::Operand *first = operands.at.data() + i * (step.leaves + 1);
      step.tasks[i] = {first, first[step.leaves]};
    }
  }
  recording.bases.swap(bases);
}

// run(arrays, threads): compute all of it on the arrays of the tensors, in the order of `tensors`.
static PyObject *tape_run(PyObject *self, PyObject *args) {
  Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  PyObject *arrays;
  int threads;
  if (!PyArg_ParseTuple(args, "O!i", &PyList_Type, &arrays, &threads)) return nullptr;
  if (!recording.finished || PyList_GET_SIZE(arrays) != static_cast<Py_ssize_t>(recording.tensors.size())) {
    PyErr_SetString(PyExc_ValueError, "as many arrays as the tape has tensors");
    return nullptr;
  }
  std::vector<char *> bases;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arrays); i++) {
    Py_buffer view;
    if (PyObject_GetBuffer(PyList_GET_ITEM(arrays, i), &view, PyBUF_STRIDED_RO) < 0) return nullptr;
    bool enough = view.len >= recording.extents[static_cast<size_t>(i)] && PyBuffer_IsContiguous(&view, 'C');
    bases.push_back(static_cast<char *>(view.buf));
    PyBuffer_Release(&view);
    if (!enough) {
      PyErr_SetString(PyExc_ValueError, "an array is smaller than the one the tape was made with");
      return nullptr;
    }
  }
  if (!recording.arena && recording.arena_bytes) {
    recording.arena = static_cast<char *>(std::aligned_alloc(64, static_cast<size_t>(recording.arena_bytes)));
    if (!recording.arena) return PyErr_NoMemory();
  }
  if (recording.bases != bases) point_at(recording, bases);
  for (const Step &step : recording.steps) {
    if (step.program) {
      machine_api->run(step.program.get(), step.tasks.data(), step.count, threads);
    } else {
      for (size_t i = 0; i < step.count; i++) copy_rows(step.operands.at[i * 2], step.operands.at[i * 2 + 1], step.copied);
    }
  }
  Py_RETURN_NONE;
}

// numbers(): {id: whether its format matters}, of the numbers that calls may have others of.
static PyObject *tape_numbers(PyObject *self, PyObject *) {
  const Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  PyObject *ids = PyDict_New();
  for (const Step &step : recording.steps) {
    if (!step.family) continue;
    for (const Family::Use &use : step.family->uses) {
      PyObject *id = ids ? PyLong_FromLongLong(use.id) : nullptr;
      int known = id ? PyDict_Contains(ids, id) : -1;
      bool closely = use.place == Family::kFormat;
      if (known < 0 || ((!known || closely) && PyDict_SetItem(ids, id, closely ? Py_True : Py_False) < 0)) Py_CLEAR(ids);
      Py_XDECREF(id);
    }
  }
  return ids;
}

// set_numbers({id: number}): from now on it computes with these.
static PyObject *tape_set_numbers(PyObject *self, PyObject *values) {
  Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  std::unordered_map<const Family *, std::shared_ptr<machine::Program>> programs;
  for (Step &step : recording.steps) {
    if (!step.family) continue;
    auto &program = programs[step.family.get()];
    if (!program) {
      std::string code = step.family->code;
      for (const Family::Use &use : step.family->uses) {
        PyObject *id = PyLong_FromLongLong(use.id), *value = id ? PyObject_GetItem(values, id) : nullptr;
        double number = value ? PyFloat_AsDouble(value) : -1.0;
        Py_XDECREF(id);
        Py_XDECREF(value);
        if (PyErr_Occurred()) return nullptr;
        auto rounded = static_cast<float>(number);
        if (use.place >= 0)
          std::memcpy(&code[step.family->numbers + static_cast<size_t>(use.place) * sizeof rounded], &rounded, sizeof rounded);
      }
      machine::Program *compiled = machine_api->compile(code.data(), code.size());
      if (!compiled) {
        PyErr_SetString(PyExc_RuntimeError, "code that was compiled before");
        return nullptr;
      }
      program = {compiled, machine_api->destroy};
    }
    step.program = program;
  }
  Py_RETURN_NONE;
}

namespace {

uint64_t mixed(uint64_t hash, uint64_t part) {
  hash = (hash ^ part) * 0xFF51AFD7ED558CCDull;
  return hash ^ hash >> 32;
}

uint64_t code_of(const Step &step) {
  if (!step.program) return 1;
  if (!step.family) return reinterpret_cast<uintptr_t>(step.program.get());
  std::string code = step.family->code;
  uint64_t hash = 2;
  for (const Family::Use &use : step.family->uses) {
    hash = mixed(mixed(hash, static_cast<uint64_t>(use.id)), static_cast<uint64_t>(use.place));
    if (use.place >= 0) code.replace(step.family->numbers + static_cast<size_t>(use.place) * sizeof(float), sizeof(float), sizeof(float), 0);
  }
  return mixed(hash, std::hash<std::string>()(code));
}

// What every written part of a tensor is computed from, whatever the order and wherever results between tasks lie.
std::vector<std::array<uint64_t, 5>> meaning(const Recording &recording) {
  std::unordered_map<int64_t, uint64_t> arena;
  std::vector<std::array<uint64_t, 5>> result;
  for (const Step &step : recording.steps) {
    size_t size = step.program ? step.leaves + 1 : 2, last = step.program ? step.leaves : 0;
    const Operands &operands = step.operands;
    std::vector<std::pair<int64_t, uint64_t>> made;
    for (size_t task = 0; task < step.count; task++) {
      uint64_t hash = code_of(step);
      for (int64_t number : {step.copied.outer, step.copied.rows, step.copied.row_bytes, step.copied.all_rows, step.copied.all_row_bytes})
        hash = mixed(hash, static_cast<uint64_t>(number));
      for (size_t i = task * size; i < (task + 1) * size; i++) {
        if (i == task * size + last) continue;
        uint64_t place = operands.source[i] == kArena ? arena[operands.offset[i]]
                                                       : mixed(static_cast<uint64_t>(recording.tensors[static_cast<size_t>(operands.source[i])]) + 1,
                                                               static_cast<uint64_t>(operands.offset[i]));
        hash = mixed(mixed(mixed(hash, place), static_cast<uint64_t>(operands.at[i].row_stride)),
                     static_cast<uint64_t>(operands.at[i].outer_stride));
      }
      size_t out = task * size + last;
      const Copied &rows = step.copied;
      // Where a result is put at once, and where it is copied to, is the same.
      if (!step.program && operands.source[out + 1] == kArena && rows.rows == rows.all_rows && rows.row_bytes == rows.all_row_bytes)
        hash = arena[operands.offset[out + 1]];
      if (operands.source[out] == kArena) {
        if (step.program) made.emplace_back(operands.offset[out], hash);
        else arena[operands.offset[out]] = hash;
        continue;
      }
      result.push_back({static_cast<uint64_t>(recording.tensors[static_cast<size_t>(operands.source[out])]),
                        static_cast<uint64_t>(operands.offset[out]), static_cast<uint64_t>(operands.at[out].row_stride),
                        static_cast<uint64_t>(operands.at[out].outer_stride), hash});
    }
    for (auto &[place, hash] : made) arena[place] = hash;
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

// difference(other): what differs between two tapes, or None.
static PyObject *tape_difference(PyObject *self, PyObject *object) {
  if (!PyObject_TypeCheck(object, &TapeType)) {
    PyErr_SetString(PyExc_TypeError, "a tape");
    return nullptr;
  }
  const Recording &mine = *reinterpret_cast<Tape *>(self)->recording;
  const Recording &other = *reinterpret_cast<Tape *>(object)->recording;
  if (mine.spread || other.spread) {
    if (meaning(mine) == meaning(other)) Py_RETURN_NONE;
    return PyUnicode_FromString("its nodes compute something else, or put it somewhere else");
  }
  if (mine.tensors != other.tensors || mine.written != other.written)
    return PyUnicode_FromString("other tensors are read or written");
  if (mine.steps.size() != other.steps.size())
    return PyUnicode_FromFormat("%zu steps instead of %zu", other.steps.size(), mine.steps.size());
  for (size_t i = 0; i < mine.steps.size(); i++) {
    const Step &a = mine.steps[i], &b = other.steps[i];
    if (a.count != b.count || a.leaves != b.leaves)
      return PyUnicode_FromFormat("step %zu has %zu tasks instead of %zu", i + 1, b.count, a.count);
    if (a.program != b.program && !is_alike(a.family.get(), b.family.get()))
      return PyUnicode_FromFormat("the tasks of step %zu compute something else", i + 1);
    if (std::memcmp(&a.copied, &b.copied, sizeof a.copied) != 0)
      return PyUnicode_FromFormat("step %zu copies another part", i + 1);
    if (a.operands.source != b.operands.source || a.operands.offset != b.operands.offset)
      return PyUnicode_FromFormat("the tasks of step %zu are on other parts of tensors", i + 1);
  }
  Py_RETURN_NONE;
}

static PyObject *tape_tensors(PyObject *self, void *) {
  const Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  PyObject *result = PyTuple_New(static_cast<Py_ssize_t>(recording.tensors.size()));
  for (size_t i = 0; result && i < recording.tensors.size(); i++)
    PyTuple_SET_ITEM(result, static_cast<Py_ssize_t>(i), PyLong_FromLong(recording.tensors[i]));
  return result;
}
static PyObject *tape_written(PyObject *self, void *) {
  const Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  PyObject *result = PyTuple_New(static_cast<Py_ssize_t>(recording.written.size()));
  for (size_t i = 0; result && i < recording.written.size(); i++)
    PyTuple_SET_ITEM(result, static_cast<Py_ssize_t>(i), PyBool_FromLong(recording.written[i]));
  return result;
}
static PyObject *tape_nbytes(PyObject *self, void *) {
  const Recording &recording = *reinterpret_cast<Tape *>(self)->recording;
  return PyLong_FromLongLong(recording.arena_bytes + recording.record_bytes);
}
static PyGetSetDef tape_getset[] = {
    {"tensors", tape_tensors, nullptr, "Positions of its tensors among those of the call.", nullptr},
    {"written", tape_written, nullptr, "Which of them are written.", nullptr},
    {"nbytes", tape_nbytes, nullptr, "Memory it takes.", nullptr},
    {}};
static PyMethodDef tape_methods[] = {{"refuse", tape_refuse_method, METH_O, nullptr},
                                     {"finish", tape_finish, METH_O, nullptr},
                                     {"spread", tape_spread, METH_VARARGS, nullptr},
                                     {"run", tape_run, METH_VARARGS, nullptr},
                                     {"difference", tape_difference, METH_O, nullptr},
                                     {"numbers", tape_numbers, METH_NOARGS, nullptr},
                                     {"set_numbers", tape_set_numbers, METH_O, nullptr},
                                     {}};

PyTypeObject TapeType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Tape",
    .tp_basicsize = sizeof(Tape),
    .tp_dealloc = tape_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "What a launch computed.",
    .tp_methods = tape_methods,
    .tp_getset = tape_getset,
    .tp_new = tape_new,
};

}  // namespace ttl::core
