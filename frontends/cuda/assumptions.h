// What a program's times rest on that a GPU does in another way: what is said at the end of a run, one line
// for each, of what the program has made use of.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace heddle::cuda {

class Assumptions {
 public:
  // The program's clocks are the simulated host's; else this computer's.
  void simulated_clocks() { simulated_clocks_ = true; }
  // The host's own work is so much of this computer's processor time; 0: none.
  void own_work(double factor) { own_work_ = factor; }
  // A call by this thread of the host, whose waits are not known.
  void called_by(std::thread::id thread) { threads_.insert(thread); }
  // So often a thread was not waited for any more, after a while of this computer's time.
  void given_up(uint32_t times) { given_up_ = times; }

  // Other processes have shared the device: a slice of its time, and a change of contexts, in us; so often
  // nobody of them could go on before somebody else did something.
  void shared(double slice_us, double change_us, uint64_t outside) {
    shared_ = {slice_us, change_us, outside};
  }

  // Memory or events of another process are used.
  void ipc() { ipc_ = true; }

  // Those of every run, too.
  std::vector<std::string> lines() const;

 private:
  std::set<std::thread::id> threads_;
  bool simulated_clocks_ = false, ipc_ = false;
  double own_work_ = 0;
  uint32_t given_up_ = 0;
  struct Shared {
    double slice_us, change_us;
    uint64_t outside;
  };
  std::optional<Shared> shared_;
};

}  // namespace heddle::cuda
