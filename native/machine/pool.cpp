#include "pool.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "order.h"

namespace ttl::machine {

namespace {

// Below so much work a run stays on the caller's thread: waking another costs some microseconds.
constexpr int64_t kLeastWork = 200'000;
// How long an idle thread looks for the next run before it sleeps.
constexpr auto kPatience = std::chrono::microseconds(40);

// Tasks in the order they run, and what the threads share while they do.
struct Run {
  const Program *program;
  const Task *tasks;
  const uint32_t *order;
  size_t count, chunk;
  std::atomic<size_t> next{0};

  // Of a worker that is prepared for the program.
  void work(Worker &worker) {
    for (;;) {
      const size_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count) return;
      const size_t end = std::min(count, begin + chunk);
      for (size_t i = begin; i < end; ++i)
        worker.run(*program, tasks[order[i]], i + 1 < end ? &tasks[order[i + 1]] : nullptr);
    }
  }
};

struct Scratch {
  Worker worker;
  Order order;
  std::vector<Task> wide;
};

bool is_beside(const Operand &left, const Operand &right, const Extents &extents) {
  return right.data == left.data + extents.row_bytes() && right.row_stride == left.row_stride &&
         right.outer_stride == left.outer_stride;
}

bool is_beside(const Program &program, const Task &left, const Task &right) {
  if (!is_beside(left.out, right.out, program.result)) return false;
  for (size_t i = 0; i < program.leaves.size(); ++i)
    if (!is_beside(left.leaves[i], right.leaves[i], program.leaves[i])) return false;
  return true;
}

// How many tasks that follow each other are of blocks side by side, everywhere: rows of one block after the other are
// short pieces of memory, of which the processor foresees nothing, and together they are long ones.
size_t blocks_beside(const Program &program, const Task *tasks, const uint32_t *order, size_t count, size_t least_left) {
  if (!may_widen(program)) return 1;
  size_t beside = 0;
  for (size_t start = 0, i = 1; i <= count && beside != 1; ++i) {
    if (i < count && is_beside(program, tasks[order[i - 1]], tasks[order[i]])) continue;
    beside = std::gcd(beside, i - start);
    start = i;
  }
  while (beside > 1 && (count / beside < least_left)) beside = beside % 2 == 0 ? beside / 2 : 1;
  return beside;
}

class Pool {
 public:
  Pool() : owner_(getpid()) {}

  bool is_of_this_process() const { return owner_ == getpid(); }

  // Runs with helpers; the caller works too.
  void run(Run &run, int helpers, Worker &worker) {
    std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
    if (!turn.owns_lock()) {  // another thread runs: its helpers are busy
      run.work(worker);
      return;
    }
    while (static_cast<int>(threads_.size()) < helpers) {
      try {
        threads_.emplace_back(&Pool::help, this);
      } catch (const std::system_error &) {
        break;  // no more threads to be had
      }
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      run_ = &run;
      places_ = helpers;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    run.work(worker);
    wait_for_helpers();
  }

 private:
  // Only those that have begun: one that is still waking up finds nothing to do.
  void wait_for_helpers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      run_ = nullptr;
    }
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    while (running_.load(std::memory_order_acquire) > 0) {
      if (std::chrono::steady_clock::now() < patience) continue;
      std::unique_lock<std::mutex> lock(mutex_);
      done_.wait(lock, [this] { return running_.load(std::memory_order_acquire) == 0; });
    }
  }

  // Without memory a helper leaves all tasks to the others.
  static bool is_ready(Worker &worker, const Program &program) {
    try {
      worker.prepare(program);
      return true;
    } catch (const std::bad_alloc &) {
      return false;
    }
  }

  void help() {
    Worker worker;
    uint64_t seen = 0;
    for (;;) {
      const auto patience = std::chrono::steady_clock::now() + kPatience;
      while (generation_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < patience) {
      }
      Run *run = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return generation_.load(std::memory_order_relaxed) != seen; });
        seen = generation_.load(std::memory_order_relaxed);
        if (run_ && places_ > 0) {
          --places_;
          running_.fetch_add(1, std::memory_order_relaxed);
          run = run_;
        }
      }
      if (!run) continue;
      if (is_ready(worker, *run->program)) run->work(worker);
      if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard<std::mutex> lock(mutex_);
        done_.notify_one();
      }
    }
  }

  const pid_t owner_;
  std::mutex turn_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Run *run_ = nullptr;
  int places_ = 0;  // for helpers that may still join
  std::atomic<int> running_{0};
  std::atomic<uint64_t> generation_{0};
};

// Scratch memory is kept for the next run: as much as runs were under way at a time.
class Shelf {
 public:
  std::unique_ptr<Scratch> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (scratches_.empty()) return std::make_unique<Scratch>();
    std::unique_ptr<Scratch> scratch = std::move(scratches_.back());
    scratches_.pop_back();
    return scratch;
  }
  void put(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    scratches_.push_back(std::move(scratch));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> scratches_;
};

struct Shared {
  Pool pool;
  Shelf shelf;
};

// What a process shares is never destroyed: its threads run until the process ends. The child of a fork has none of
// the threads, and locks may be held by those: it starts anew.
Shared &shared() {
  static std::atomic<Shared *> current{nullptr};
  Shared *found = current.load(std::memory_order_acquire);
  while (!found || !found->pool.is_of_this_process()) {
    auto *made = new Shared;
    if (current.compare_exchange_strong(found, made, std::memory_order_acq_rel)) return *made;
    delete made;
  }
  return *found;
}

}  // namespace

int core_count() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void run_tasks(const Program &program, const Task *tasks, size_t count, int threads) {
  if (count == 0) return;
  Shared &all = shared();
  std::unique_ptr<Scratch> scratch = all.shelf.take();
  if (threads <= 0) threads = core_count();
  if (program.work * static_cast<int64_t>(count) < kLeastWork) threads = 1;
  threads = static_cast<int>(std::min(static_cast<size_t>(threads), count));
  Run run;
  run.program = &program;
  run.tasks = tasks;
  run.order = scratch->order.of(program, tasks, count);
  std::optional<Program> wide;
  const size_t least_left = threads == 1 ? 1 : static_cast<size_t>(threads) * 8;
  if (const size_t beside = blocks_beside(program, tasks, run.order, count, least_left); beside > 1) {
    wide.emplace(widened(program, static_cast<int64_t>(beside)));
    scratch->wide.clear();
    for (size_t i = 0; i < count; i += beside) scratch->wide.push_back(tasks[run.order[i]]);
    run.program = &*wide;
    run.tasks = scratch->wide.data();
    count /= beside;
    run.order = scratch->order.of(*wide, run.tasks, count);
  }
  run.count = count;
  scratch->worker.prepare(*run.program);
  // Pieces: a few per thread, so that nobody waits long for the last one.
  run.chunk = threads == 1 ? count : std::max<size_t>(1, count / (static_cast<size_t>(threads) * 8));
  if (threads == 1) {
    run.work(scratch->worker);
  } else {
    all.pool.run(run, threads - 1, scratch->worker);
  }
  all.shelf.put(std::move(scratch));
}

}  // namespace ttl::machine
