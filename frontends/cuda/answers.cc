#include "frontends/cuda/answers.h"

#include <algorithm>
#include <utility>

#include "sim/host/calls/call_types.h"
#include "sim/host/checks/check_program.h"

namespace heddle::cuda {
namespace {

using host::Op;

constexpr size_t kLoop = 3;  // its begin, its call, its end

}  // namespace

Answers::Fixed Answers::fixed() const {
  const host::Program& p = program_;
  return {p.streams.size(),     p.pools.size(),   p.physical.size(), p.graphs.size(),
          p.graph_execs.size(), p.handles.size(), p.flags.size(),    p.queues.size()};
}

bool Answers::needs_clocks() const {
  const auto& calls = program_.threads[0].calls;
  return !clocks_ && std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(checked_), calls.end(),
                                 [](const host::Call& c) { return c.op == Op::kMallocAsync; });
}

void Answers::begin() {
  run_.reset();
  fixed_ = fixed();
  // As the run decides for a live thread.
  clocks_ = std::any_of(program_.buffers.begin(), program_.buffers.end(),
                        [](const host::BufferDesc& b) { return b.allocated_by_call; });
  next_ = 0;
  turns_ = 0;
  given_ = false;
  checked_ = program_.threads[0].calls.size();
  kernels_ = program_.kernels.size();
  options_.rules = rules_;
  options_.spans = false;
  run_ = std::make_unique<host::OpenRun>(program_, gpu_, options_);
  ++begun_;
}

std::optional<Answers::Answer> Answers::of_last_call() {
  host::ThreadDesc& thread = program_.threads[0];
  try {
    thread.live = this;
    if (!run_ || fixed() != fixed_ || needs_clocks()) {
      begin();
    }
    for (; checked_ < thread.calls.size(); ++checked_) {
      host::check_more(program_, 0, checked_, kernels_);
      kernels_ = program_.kernels.size();
    }
    run_->advance();
    thread.live = nullptr;
  } catch (...) {
    thread.live = nullptr;
    run_.reset();
    throw;
  }
  if (given_) {
    run_.reset();
    return std::nullopt;
  }
  return answer_;
}

host::LiveThread::Next Answers::next(const host::Returned& last) {
  if (std::exchange(given_, false)) {
    answer_ = {last.now, std::string(last.error), std::string(last.why), std::string(last.answer), last.time};
  }
  const auto& calls = program_.threads[0].calls;
  while (next_ < calls.size()) {
    if (calls[next_].op != Op::kLoopBegin) {
      given_ = true;
      return {next_++};
    }
    if (turns_ < calls[next_].count) {
      ++turns_;
      given_ = true;
      return {next_ + 1};
    }
    if (next_ + kLoop == calls.size()) {  // it may get more turns
      break;
    }
    next_ += kLoop;
    turns_ = 0;
  }
  return {kLater};
}

void Answers::repeat() {
  auto& calls = program_.threads[0].calls;
  if (calls.back().op == Op::kLoopEnd) {
    ++calls[calls.size() - kLoop].count;
    return;
  }
  const host::Call call = calls.back();
  calls.pop_back();
  host::Call begin, end;
  begin.type = &host::type_of(Op::kLoopBegin);
  begin.op = Op::kLoopBegin;
  begin.count = 2;
  end.type = &host::type_of(Op::kLoopEnd);
  end.op = Op::kLoopEnd;
  const bool given = run_ && next_ == calls.size() + 1;
  calls.push_back(begin);
  calls.push_back(call);
  calls.push_back(end);
  if (given) {
    next_ = calls.size() - kLoop;
    turns_ = 1;
  }
  checked_ = std::min(checked_, calls.size() - kLoop);
}

bool Answers::last_is(Op op, uint32_t object, uint32_t stream) const {
  const auto& calls = program_.threads[0].calls;
  if (calls.empty()) {
    return false;
  }
  const host::Call& c = calls.back().op == Op::kLoopEnd ? calls[calls.size() - 2] : calls.back();
  return c.op == op && c.object == object && c.stream == stream;
}

}  // namespace heddle::cuda
