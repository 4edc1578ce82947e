#include "recorded.h"

#include <string>

#include "fabric.h"

namespace ttl::emu {

namespace {

template <typename T>
PyObject *bytes_of(const std::vector<T> &from) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(from.data()), static_cast<Py_ssize_t>(from.size() * sizeof(T)));
}

// Adds what may be null after an error, and takes over the reference.
bool add(PyObject *list, PyObject *item) {
  const bool good = list && item && PyList_Append(list, item) == 0;
  Py_XDECREF(item);
  return good;
}

}  // namespace

void keep_record(Machine &machine) {
  Record *record = machine.record;
  if (!record) return;
  for (Fiber *fiber : machine.fibers)
    record->diaries.push_back({fiber->core->index, static_cast<uint32_t>(fiber->self.role), fiber->kernel, fiber->started,
                               fiber->done ? fiber->ended : fiber->clock, std::move(fiber->diary.spans)});
  for (const auto &chip : machine.chips) {
    for (const auto &links : chip->torus.links)
      for (const Port &link : links) record->links.push_back(link.busy);
    for (const Node &node : chip->nodes)
      if (node.kind == Node::kDram) record->banks.push_back(node.bank.busy);
  }
  if (machine.fabric)
    for (const Link &link : machine.fabric->links) record->fabric.push_back({link.busy, link.bytes, link.packets, link.blocked});
}

PyObject *recorded(Machine &machine) {
  const Record *record = machine.kept.get();
  if (!record) Py_RETURN_NONE;
  PyObject *lines = PyList_New(0), *spans = PyList_New(0);
  bool good = lines && spans;
  for (size_t i = 0; good && i < record->lines.size(); ++i) {
    const Record::Line &line = record->lines[i];
    good = add(lines, Py_BuildValue("(IIsI)", line.kernel, line.role, line.file, line.line));
  }
  for (size_t i = 0; good && i < record->diaries.size(); ++i) {
    const Record::OfFiber &diary = record->diaries[i];
    good = add(spans, Py_BuildValue("(IIIKKN)", diary.core, diary.role, diary.kernel, static_cast<unsigned long long>(diary.started),
                                    static_cast<unsigned long long>(diary.ended), bytes_of(diary.spans)));
  }
  PyObject *names = PyList_New(0);
  good = good && names;
  for (size_t i = 0; good && i < record->names.size(); ++i) {
    const Record::Name &name = record->names[i];
    good = add(names, Py_BuildValue("(IssI)", name.kernel, name.text, name.file, name.line));
  }
  PyObject *result = good ? Py_BuildValue("(OONNNONNNNNN)", lines, spans, bytes_of(record->transfers), bytes_of(record->links),
                                          bytes_of(record->banks), names, bytes_of(record->zones), bytes_of(record->steps),
                                          bytes_of(record->sections), bytes_of(record->packets), bytes_of(record->hops), bytes_of(record->fabric))
                          : nullptr;
  Py_XDECREF(lines);
  Py_XDECREF(names);
  Py_XDECREF(spans);
  return result;
}

}  // namespace ttl::emu
