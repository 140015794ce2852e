// One simulated device for several processes: this process's place on their board. Each has a model of its
// own; what they share is time, and memory and events that they hand each other. One of them at a time goes
// on: the one that is the first to do something, so each sees what others did before it, and in each run the
// same. PROCESSES.md has the whole of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "frontends/cuda/board.h"
#include "sim/host/kernels/sliced_time.h"

namespace heddle::cuda {

class Share {
 public:
  struct Options {
    std::string name;            // of the board: letters, digits, -, _ and .
    bool makes = false;          // it, if it is not there
    uint32_t number = 0;         // of this process, from 1 on; 0: the next one that is free
    uint32_t processes = 0;      // that begin together; 0: each when it comes
    uint64_t device = 0;         // the same for all: what GPU it is
    host::Ps slice{}, change{};  // of the device's time (host::Slices)
  };
  // Null: there is no board, and none is made. Throws Error.
  static std::unique_ptr<Share> join(const Options& options);
  ~Share();
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // Told when others may do something at that time, so that this process goes no further in its turn.
  std::function<void(host::Ps)> stop = [](host::Ps) {};

  // From 0 on: of the first process.
  uint32_t number() const { return board_.places[place_].number; }
  // When the process begins: the others are there.
  host::Ps begins_at() const { return begins_at_; }

  // ---- turns
  struct Wish {
    host::Ps now{};                // of the process
    host::Ps next = host::kNever;  // when something happens in it next
    bool acted = false;            // it has gone on by itself since its last turn, so that others may go on
    bool waits = false;            // a thread waits for something outside of CUDA
  };
  struct Turn {
    host::Ps until = host::kNever;  // the process may go so far
    bool looks = false;             // and who waits outside looks again, at
    host::Ps at{};
  };
  // Returns when it is this process's turn. Nothing: it waits for nobody but itself.
  std::optional<Turn> turn(const Wish& wish);
  // It goes on by itself, and nobody waits for it.
  void away();
  // Others wait for it.
  bool awaited();
  // The least time at which others are.
  host::Ps time();
  // So often nobody could go on, and was woken by somebody else than these processes.
  uint64_t outside() const { return outside_; }
  void leave();

  // ---- the device's time
  host::SlicedTime& device() { return device_; }
  // Its kernels are on the device from then on; the last one has ended.
  void wants(host::Ps at);
  void rests(host::Ps at);
  // They have gone on until then.
  void reached(host::Ps at) { reached_ = std::max(reached_, at); }
  bool busy() const { return busy_; }

  // ---- contexts and memory
  // False: the device is another process's alone, or nobody's.
  bool makes_context(bool exclusive);
  void drops_context();
  void uses(uint64_t bytes);
  uint64_t others_use();

  // ---- events of several processes, by their numbers
  std::optional<uint32_t> make_event();  // nothing: there are too many
  bool open_event(uint32_t event);       // false: there is none
  void close_event(uint32_t event);
  uint64_t record(uint32_t event);  // the number of the record, which is the last now
  // It has happened.
  void recorded(uint32_t event, uint64_t record, host::Ps at);
  struct Record {
    bool own = false;     // by this process
    uint64_t number = 0;  // 0: none
    bool done = false;
    host::Ps at{};
  };
  Record last_record(uint32_t event);
  // When that one has happened.
  std::optional<host::Ps> done(uint32_t event, uint64_t record);

  // ---- processes that this one makes
  // A process is about to be made at that time: the caller forks next, and the child calls forked(). Or it is
  // made, and will take its place when it begins.
  void expect(host::Ps now, int pid = 0);
  void forked();
  // This process has none of the device after all.
  void give_place();

 private:
  // By all processes, one at a time; the system gives it back when one of them dies.
  class Lock {
   public:
    explicit Lock(const Share& share);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    int fd_;
  };
  Share(const Options& options, std::string file, int fd, Board& board);
  void take_place(const Options& options);
  // A process that is gone, or only its number is left for who waits for it.
  static bool is_dead(int pid);
  void free_dead();
  void unlink_if_last();
  void free(uint32_t place);
  void ring();
  void wait(uint32_t bell, bool soon);
  void tell(const Wish& wish);
  std::optional<Turn> take(const Board::Choice& choice);
  void called(const host::Slices::Turn& turn);

  const Options options_;
  const std::string file_;
  int fd_;
  Board& board_;
  uint32_t place_ = Board::kNobody;
  uint32_t child_ = Board::kNobody;
  host::Ps begins_at_{};
  host::SlicedTime device_;
  host::Ps reached_{};
  bool busy_ = false;
  bool left_ = false;
  uint64_t outside_ = 0;
};

}  // namespace heddle::cuda
