#include "frontends/cuda/share.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <utility>

#include "sim/base/error.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t kVersion = 1 + (uint64_t{sizeof(Board)} << 8);
// Of this computer's time: for who was forked and does not ask for its turn, and has become a program without
// these libraries; for others; for who has said that it ends.
constexpr uint64_t kOtherProgramMs = 200, kComingMs = 5000, kEndingMs = 2000;
constexpr timespec kLook{0, 20'000'000}, kSoon{0, 1'000'000};
// Kernels that others do not hold up: they show what they have done, and see what others did, so often.
constexpr host::Ps kStep = host::Ps(1'000'000);

uint64_t now_ms() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// It has these libraries.
bool has_runtime(int pid) {
  std::ifstream in(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(in, line);) {
    if (line.find("libcudart.so.") != std::string::npos || line.find("libcuda.so.") != std::string::npos) {
      return true;
    }
  }
  return false;
}

std::string file_of(const std::string& name) { return fmt::format("/heddle-{}-{}", getuid(), name); }

}  // namespace

bool Share::is_dead(int pid) {
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) {
    return errno == ESRCH;
  }
  pollfd end{fd, POLLIN, 0};
  const bool ended = ::poll(&end, 1, 0) > 0;
  close(fd);
  return ended;
}

Share::Lock::Lock(const Share& share) : fd_(share.fd_) {
  while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

Share::Lock::~Lock() { flock(fd_, LOCK_UN); }

std::unique_ptr<Share> Share::join(const Options& options) {
  const std::string file = file_of(options.name);
  const auto fails = [&](const char* what) {
    throw Error(fmt::format("--share {}: {}: {}", options.name, what, std::strerror(errno)));
  };
  while (true) {
    const int fd = shm_open(file.c_str(), O_RDWR | O_CLOEXEC | (options.makes ? O_CREAT : 0), 0600);
    if (fd < 0) {
      if (errno == ENOENT && !options.makes) {
        return nullptr;
      }
      fails("no memory that processes share");
    }
    flock(fd, LOCK_EX);
    struct stat s {};
    if (fstat(fd, &s) != 0 || (s.st_size == 0 && ftruncate(fd, sizeof(Board)) != 0)) {
      fails("no memory that processes share");
    }
    if (s.st_nlink == 0 || (s.st_size != 0 && s.st_size != sizeof(Board))) {
      if (s.st_nlink != 0) {
        shm_unlink(file.c_str());  // another Heddle's
      }
      close(fd);
      continue;
    }
    void* const at = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
      fails("no memory that processes share");
    }
    auto* const board = static_cast<Board*>(at);
    const bool is_used = board->version == kVersion &&
                         std::any_of(board->places.begin(), board->places.end(), [](const Board::Place& p) {
                           return p.state != Board::State::kFree && !is_dead(p.pid);
                         });
    if (!is_used) {
      new (board) Board();
      board->version = kVersion;
      board->expected = options.processes;
      board->device = options.device;
      board->numbers = options.processes;
      board->slices = host::Slices(options.slice, options.change);
    }
    std::unique_ptr<Share> out(new Share(options, file, fd, *board));
    try {
      out->take_place(options);
    } catch (...) {
      flock(fd, LOCK_UN);
      throw;
    }
    flock(fd, LOCK_UN);
    return out;
  }
}

Share::Share(const Options& options, std::string file, int fd, Board& board)
    : options_(options), file_(std::move(file)), fd_(fd), board_(board) {}

Share::~Share() {
  munmap(&board_, sizeof(Board));
  close(fd_);
}

void Share::take_place(const Options& options) {
  const int pid = getpid();
  if (board_.device != options.device) {
    throw Error(
        fmt::format("--share {}: other processes have another GPU there (legal: the same --gpu, --set, "
                    "--mig and --functional)",
                    options.name));
  }
  if (options.processes != 0 && board_.expected != options.processes) {
    throw Error(board_.expected == 0
                    ? fmt::format("--share {}: its processes do not begin together (legal: --share {})",
                                  options.name, options.name)
                    : fmt::format("--share {}: {} processes begin together (legal: --share {}:I/{})",
                                  options.name, board_.expected, options.name, board_.expected));
  }
  // The process had its place as another program, before exec().
  const auto own = std::find_if(board_.places.begin(), board_.places.end(), [&](const Board::Place& p) {
    return p.state != Board::State::kFree && p.pid == pid;
  });
  if (own != board_.places.end()) {
    place_ = static_cast<uint32_t>(own - board_.places.begin());
    begins_at_ = own->state == Board::State::kComing ? own->next : board_.acted_at;
    board_.slices.rests(place_, begins_at_);
    const bool coming = own->state == Board::State::kComing;
    const uint32_t number = own->number;
    *own = {};
    own->number = number;
    own->state = coming ? Board::State::kComing : Board::State::kThere;
    own->pid = pid;
    own->next = begins_at_;
    own->since_ms = now_ms();
    return;
  }
  place_ = options.number != 0 ? options.number - 1 : board_.free_place();
  if (place_ >= Board::kPlaces || board_.places[place_].state != Board::State::kFree) {
    throw Error(fmt::format("--share {}: {} (legal: 1 to {}, each once)", options.name,
                            options.number != 0 ? fmt::format("there is a process {} already", options.number)
                                                : "there are too many processes",
                            Board::kPlaces));
  }
  begins_at_ = board_.acted_at;
  board_.places[place_] = {};
  Board::Place& p = board_.places[place_];
  p.state = Board::State::kThere;
  p.pid = pid;
  p.number = options.number != 0 ? place_ : board_.numbers++;
  p.next = begins_at_;
  if (board_.holder == Board::kNobody && board_.expected == 0) {
    board_.holder = place_;
  }
  board_.come += options.processes != 0 ? 1 : 0;
  ring();
}

void Share::ring() {
  ++board_.bell;
  syscall(SYS_futex, &board_.bell, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

void Share::wait(uint32_t bell, bool soon) {
  syscall(SYS_futex, &board_.bell, FUTEX_WAIT, bell, soon ? &kSoon : &kLook, nullptr, 0);
}

void Share::free(uint32_t place) {
  board_.slices.rests(place, std::max(board_.acted_at, board_.slices.turn().from));
  board_.places[place] = {};
  for (Board::SharedEvent& e : board_.events) {  // what a device had to do for it is over
    if (e.recorder == place && e.done < e.recorded) {
      e.done = e.recorded;
      e.done_at = board_.acted_at;
    }
  }
  if (board_.holder == place) {
    board_.holder = Board::kNobody;
  }
  ++board_.acts;  // what its end has done to others
  board_.may_happen(board_.acted_at);
  ring();
}

void Share::free_dead() {
  const uint64_t ms = now_ms();
  for (uint32_t i = 0; i < Board::kPlaces; ++i) {
    Board::Place& p = board_.places[i];
    if (i == place_ || p.state == Board::State::kFree) {
      continue;
    }
    if (is_dead(p.pid) || (p.state == Board::State::kEnding && ms - p.since_ms > kEndingMs)) {
      free(i);
    } else if (p.state == Board::State::kComing && ms - p.since_ms > kOtherProgramMs &&
               (ms - p.since_ms > kComingMs || !has_runtime(p.pid))) {
      p.state = Board::State::kAway;
      board_.outside += has_runtime(p.pid) ? 1 : 0;
      ring();
    }
  }
}

// The process says where it is, and nobody goes on.
void Share::tell(const Wish& wish) {
  Board::Place& me = board_.places[place_];
  if (wish.acted) {
    ++board_.acts;
    board_.acted_at = std::max(board_.acted_at, wish.now);
  }
  board_.holder = board_.holder == place_ ? Board::kNobody : board_.holder;
  me.state = Board::State::kThere;
  me.waits = wish.waits;
  me.looked = wish.acted && wish.waits ? board_.acts : me.looked;  // it has, when it began to wait
  me.next = wish.next;
  const host::Slices::Turn& turn = board_.slices.turn();
  if (busy_ && device_.open()) {
    board_.slices.advance(reached_);
    if (turn.context != place_) {
      device_.close(reached_);
      called(turn);
    } else {
      me.next = std::min(me.next, std::max(reached_, wish.now) + kStep);
    }
  } else if (busy_ && turn.context == place_) {
    me.next = std::min(me.next, std::max(turn.from, wish.now));
  }
  ring();
}

// Who has the device now does something from then on.
void Share::called(const host::Slices::Turn& turn) {
  if (turn.context != Board::kNobody && turn.context != place_) {
    Board::Place& p = board_.places[turn.context];
    p.next = std::min(p.next, turn.from);
  }
}

// Nothing: it is not this process's turn.
std::optional<Share::Turn> Share::take(const Board::Choice& choice) {
  if (choice.place != place_) {
    return std::nullopt;
  }
  Board::Place& me = board_.places[place_];
  board_.holder = place_;
  if (choice.looks) {
    me.looked = board_.acts;
  }
  const host::Slices::Turn& turn = board_.slices.turn();
  if (busy_ && !device_.open() && turn.context == place_ && turn.from <= me.next) {
    device_.reopen(turn.from);
    reached_ = std::max(reached_, turn.from);
  }
  outside_ = board_.outside;
  return Turn{board_.limit(place_), choice.looks, board_.acted_at};
}

std::optional<Share::Turn> Share::turn(const Wish& wish) {
  {
    const Lock lock(*this);
    tell(wish);
    const Board::Place& me = board_.places[place_];
    if (me.next == host::kNever && !me.waits && !busy_) {
      return std::nullopt;
    }
  }
  bool nobody = false;  // could go on, for a while now
  while (true) {
    uint32_t bell = 0;
    bool soon = false;
    {
      const Lock lock(*this);
      if (board_.holder == Board::kNobody) {
        Board::Choice choice = board_.choose();
        if (choice.place == Board::kNobody) {
          free_dead();
          choice = board_.choose();
        }
        if (const std::optional<Turn> out = take(choice)) {
          return out;
        }
        const bool still = choice.place == Board::kNobody && board_.all_wait();
        if (still && nobody) {  // somebody else has to do something
          ++board_.acts;
          ++board_.outside;
        }
        nobody = still;
        soon = choice.place == Board::kNobody;
      }
      bell = board_.bell;
    }
    wait(bell, soon);
    const Lock lock(*this);
    if (board_.bell == bell) {
      free_dead();
    } else {
      nobody = false;
    }
  }
}

void Share::away() {
  const Lock lock(*this);
  board_.places[place_].state = Board::State::kAway;
  board_.holder = board_.holder == place_ ? Board::kNobody : board_.holder;
  ++board_.acts;
  ring();
}

bool Share::awaited() {
  const Lock lock(*this);
  for (uint32_t i = 0; i < Board::kPlaces; ++i) {
    if (i != place_ && board_.places[i].state == Board::State::kThere) {
      return true;
    }
  }
  return false;
}

host::Ps Share::time() {
  const Lock lock(*this);
  return board_.acted_at;
}

void Share::leave() {
  if (std::exchange(left_, true)) {
    return;
  }
  const Lock lock(*this);
  Board::Place& me = board_.places[place_];
  board_.acted_at = std::max(board_.acted_at, reached_);
  board_.slices.rests(place_, board_.acted_at);
  me.state = Board::State::kEnding;
  me.since_ms = now_ms();
  me.next = host::kNever;
  ++board_.acts;
  board_.holder = board_.holder == place_ ? Board::kNobody : board_.holder;
  ring();
  unlink_if_last();
}

// The board goes with the last process.
void Share::unlink_if_last() {
  const bool last = std::all_of(board_.places.begin(), board_.places.end(), [](const Board::Place& p) {
    return p.state == Board::State::kFree || p.state == Board::State::kEnding || is_dead(p.pid);
  });
  if (last) {
    shm_unlink(file_.c_str());
  }
}

void Share::wants(host::Ps at) {
  const Lock lock(*this);
  busy_ = true;
  device_.forget();
  reached_ = std::max(reached_, at);
  board_.slices.wants(place_, at);
  const host::Slices::Turn& turn = board_.slices.turn();
  if (turn.context != place_) {
    device_.close(at);
  } else if (turn.from > at) {
    device_.close(at);
    device_.reopen(turn.from);
  }
}

void Share::rests(host::Ps at) {
  const Lock lock(*this);
  busy_ = false;
  if (!device_.open()) {
    device_.reopen(at);
  }
  board_.slices.rests(place_, at);
  const host::Slices::Turn& turn = board_.slices.turn();
  if (turn.context != Board::kNobody && turn.context != place_) {
    called(turn);
    stop(turn.from);
  }
}

void Share::expect(host::Ps now, int pid) {
  const Lock lock(*this);
  const bool is_there = std::any_of(board_.places.begin(), board_.places.end(), [&](const Board::Place& p) {
    return pid != 0 && p.pid == pid && p.state != Board::State::kFree;
  });
  if (is_there) {
    return;
  }
  child_ = board_.free_place();
  if (child_ == Board::kNobody) {
    throw Error(fmt::format("--share {}: more than {} processes", options_.name, Board::kPlaces));
  }
  board_.places[child_] = {};
  Board::Place& p = board_.places[child_];
  p.state = Board::State::kComing;
  p.pid = pid != 0 ? pid : getpid();  // until there is a child
  p.number = board_.numbers++;
  p.next = now;
  p.since_ms = now_ms();
}

void Share::forked() {
  // A descriptor of its own: the parent's lock is the parent's.
  close(fd_);
  fd_ = shm_open(file_.c_str(), O_RDWR | O_CLOEXEC, 0600);
  const Lock lock(*this);
  place_ = child_;
  Board::Place& p = board_.places[place_];
  p.pid = getpid();
  begins_at_ = p.next;
  busy_ = false;
  device_ = {};
  reached_ = {};
}

void Share::give_place() {
  const Lock lock(*this);
  left_ = true;
  free(place_);
}

}  // namespace heddle::cuda
