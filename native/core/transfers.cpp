// Transfers between blocks, tensors and pipes: ttl.copy and the waits for it.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace t = tables;

// --- Transfer -----------------------------------------------------------------------------------------------

void link_transfer(Transfer *transfer, Block *block, bool writes, const Site &site) {
  transfer->block = incref(block);
  transfer->writes = writes;
  transfer->site = {incref(site.code), site.lasti};
  transfer->next = block->transfers;  // takes over the reference
  block->transfers = incref(transfer);
}

bool may_wait(const Transfer *transfer) {
  const Block *block = transfer->block;
  return block && !transfer->done && block->buffer->engine->current == block->kernel;
}

namespace {

Transfer *new_transfer(Block *block, bool writes, const Site &site) {
  auto *transfer = make<Transfer>(classes.transfer);
  if (transfer) link_transfer(transfer, block, writes, site);
  return transfer;
}

}  // namespace

// What follows when a transfer is complete.
void finish_transfer(Transfer *transfer) {
  Block *block = transfer->block;
  transfer->done = 1;
  Transfer **at = &block->transfers;
  while (*at && *at != transfer) at = &(*at)->next;
  if (*at) {
    *at = transfer->next;
    transfer->next = nullptr;
    Py_DECREF(transfer);  // the caller holds another one
  }
  if (transfer->writes) block->state = t::kCopiedIn;
  else if (!block->transfers) block->state = t::kCopiedOut;
  note_event(block->buffer->engine, kArrived, as_object(transfer));
}

static PyObject *transfer_wait(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_wait", args, count, names);
  auto *transfer = reinterpret_cast<Transfer *>(self);
  if (!may_wait(transfer)) return call_slow(self, "_slow_wait");
  finish_transfer(transfer);
  Py_RETURN_NONE;
}

static int transfer_init(PyObject *self, PyObject *args, PyObject *) {
  PyObject *block, *site;
  int writes;
  Site place;
  if (!PyArg_ParseTuple(args, "O!pO", &BlockType, &block, &writes, &site)) return -1;
  if (reinterpret_cast<Transfer *>(self)->block) {
    PyErr_SetString(PyExc_TypeError, "a transfer is made once");
    return -1;
  }
  if (site_from(&place, site) < 0) return -1;
  link_transfer(reinterpret_cast<Transfer *>(self), reinterpret_cast<Block *>(block), writes, place);
  site_clear(&place);
  return 0;
}
void release(Transfer *transfer) {
  // One by one: a block may have any number of copies under way, and each would need stack for the next.
  Transfer *next = transfer->next;
  transfer->next = nullptr;
  while (next && Py_REFCNT(as_object(next)) == 1) {
    Transfer *after = next->next;
    next->next = nullptr;
    Py_DECREF(next);
    next = after;
  }
  Py_XDECREF(next);
  clear(transfer->block);
  site_clear(&transfer->site);
}
static PyMemberDef transfer_members[] = {TTL_FLAG(Transfer, writes), TTL_FLAG(Transfer, done), {}};
static PyGetSetDef transfer_getset[] = {TTL_TYPED(Transfer, block, BlockType), TTL_TYPED(Transfer, next, TransferType),
                                        TTL_SITE(Transfer, site), {}};
static PyMethodDef transfer_methods[] = {{"wait", reinterpret_cast<PyCFunction>(transfer_wait), METH_FASTCALL | METH_KEYWORDS, nullptr}, {}};
PyTypeObject TransferType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Transfer",
    .tp_basicsize = sizeof(Transfer),
    .tp_dealloc = released<Transfer>,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A copy under way.",
    .tp_methods = transfer_methods,
    .tp_members = transfer_members,
    .tp_getset = transfer_getset,
    .tp_init = transfer_init,
    .tp_new = untracked_new,
};

// --- slices of another rank than the block's, once found to match ----------------------------------------------

static std::unordered_map<uint64_t, bool> matches;

static uint64_t match_key(const Slice *slice, const TypeInfo *type) {
  uint64_t singles = 0;
  for (int i = 0; i < slice->rank; i++) singles |= static_cast<uint64_t>(slice->single[i]) << i;
  return static_cast<uint64_t>(slice->value.type->id) << 36 | static_cast<uint64_t>(type->id) << 8 | singles;
}

bool known_match(Slice *slice, TypeInfo *type) { return matches.count(match_key(slice, type)) != 0; }

PyObject *note_match(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !PyObject_TypeCheck(args[0], &SliceType)) {
    PyErr_SetString(PyExc_TypeError, "note_match(slice, type)");
    return nullptr;
  }
  TypeInfo *type = type_info(args[1]);
  if (!type) return nullptr;
  if (matches.size() < 4096) matches.emplace(match_key(reinterpret_cast<Slice *>(args[0]), type), true);
  Py_RETURN_NONE;
}

// --- ttl.copy -----------------------------------------------------------------------------------------------

PyObject *start_copy(Engine *engine, PyObject *src, PyObject *dst, const Site &site) {
  Kernel *kernel = engine->current;
  if (!kernel || !kernel->moves_data || engine->interleaved) return nullptr;
  PyTypeObject *from = Py_TYPE(src), *to = Py_TYPE(dst);
  if (to == classes.block) {
    auto *block = reinterpret_cast<Block *>(dst);
    if (block->kernel != kernel || transition(block, t::kStepCopyIn) < 0) return nullptr;
    if (from == classes.slice) {
      auto *slice = reinterpret_cast<Slice *>(src);
      TypeInfo *type = block->buffer->type;
      if (slice->value.type != type && !known_match(slice, type)) return nullptr;
      Value *value = memory_read(engine, slice, type);
      if (!value) return nullptr;
      if (!step(engine)) {
        Py_DECREF(value);
        return nullptr;
      }
      int next = transition(block, t::kStepCopyIn);
      if (next >= 0) block->state = next;
      Value *old = block->value;
      block->value = value;
      Py_XDECREF(old);
      return as_object(new_transfer(block, true, site));
    }
    if (from == classes.dst_end) return pipe_receive(engine, reinterpret_cast<PipeEnd *>(src), block, site);
    return nullptr;
  }
  if (from != classes.block) return nullptr;
  auto *block = reinterpret_cast<Block *>(src);
  if (block->kernel != kernel || transition(block, t::kStepCopyOut) < 0 || !block->value) return nullptr;
  if (to == classes.slice) {
    auto *slice = reinterpret_cast<Slice *>(dst);
    if (slice->value.type != block->buffer->type && !known_match(slice, block->buffer->type)) return nullptr;
    // Padding that is copied to where the tensor has data: the general way says so.
    if (block->value->valid_rows >= 0 && block->value->type->rank > 1 &&
        (block->value->valid_rows < slice->value.rows || block->value->valid_cols < slice->value.cols))
      return nullptr;
    int written = memory_write(engine, block->value, slice, block->buffer->type, site);
    if (written <= 0) return nullptr;
    if (!step(engine)) return nullptr;
    int next = transition(block, t::kStepCopyOut);
    if (next >= 0) block->state = next;
    return as_object(new_transfer(block, false, site));
  }
  if (to == classes.src_end) return pipe_send(engine, block, reinterpret_cast<PipeEnd *>(dst), site);
  return nullptr;
}

}  // namespace ttl::core
