// What the device says at a point of the program: of queries, of times between events. The host model runs
// the program as far as it is known, stops there, and goes on when there is more, so that each answer costs
// what has been called since the one before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "configs/schema/gpu.pb.h"
#include "sim/host/platform/run.h"
#include "sim/host/program/live_thread.h"

namespace heddle::cuda {

class Answers final : private host::LiveThread {
 public:
  // `gpu`, `program` and `rules` outlive this. The calls are those of the program's first thread; they only
  // grow, but for repeat().
  Answers(const config::GpuConfig& gpu, host::Program& program, const host::Rules& rules)
      : gpu_(gpu), program_(program), rules_(rules) {}

  // How the program's last call returns.
  struct Answer {
    host::Ps now{};
    std::string error, why;  // empty: cudaSuccess
    std::string answer;      // of queries
    host::Ps time{};         // between two events
  };
  // Nothing: it never returns. Throws what host::run() throws.
  std::optional<Answer> of_last_call();
  // The last call comes once more: it becomes a loop of one call, or that loop gets another turn.
  void repeat();
  // Whether the last call, or what the last loop repeats, is that.
  bool last_is(host::Op op, uint32_t object, uint32_t stream) const;
  // Something that was known has changed: the next answer begins at the program's start.
  void forget() { run_.reset(); }

  uint64_t begun() const { return begun_; }  // runs from the program's start so far

 private:
  // What a run cannot get more of.
  struct Fixed {
    size_t streams, pools, physical, graphs, execs, handles, flags, queues;
    bool operator==(const Fixed&) const = default;
  };
  Fixed fixed() const;
  Next next(const host::Returned& last) override;
  void begin();
  void check_new() const;  // calls and kernels
  bool needs_clocks() const;

  const config::GpuConfig& gpu_;
  host::Program& program_;
  const host::Rules& rules_;
  host::PlatformOptions options_;
  std::unique_ptr<host::OpenRun> run_;
  Fixed fixed_{};
  bool clocks_ = false;  // the run knows who is ordered after whom: pools ask
  size_t checked_ = 0;   // calls
  size_t kernels_ = 0;   // checked
  size_t next_ = 0;      // call that is given next, or the loop that goes on
  uint64_t turns_ = 0;   // of that loop, given
  bool given_ = false;   // a call whose answer has not come
  uint64_t begun_ = 0;
  Answer answer_;
};

}  // namespace heddle::cuda
