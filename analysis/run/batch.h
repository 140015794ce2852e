// Simulates launches, several at a time, and hands the results on in their order.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run/settings.h"
#include "analysis/store/record.h"

namespace heddle::analysis {

// Of one launch: a record, or the reason why there is none.
struct Outcome {
  std::optional<LaunchRecord> record;
  std::exception_ptr error;
};

struct BatchOptions {
  int jobs = 1;             // launches simulated at a time, each in a thread of its own
  bool keep_going = false;  // a failed launch does not stop the others
  Warn warn = nullptr;      // told when there are fewer threads than jobs
  // Launch `i` comes behind launch i - 1, in the same thread. May be empty: none does.
  std::function<bool(size_t i)> follows = nullptr;
  std::atomic<bool>* cancel = nullptr;  // set from outside to stop; set by the batch when a launch failed
};

struct BatchCalls {
  // Simulates launch `i`; throws heddle::Error, Cancelled when it was stopped. In any of the threads.
  std::function<LaunchRecord(size_t i)> simulate;
  // Takes an outcome. Never two at a time, in the order of the launches; as soon as all earlier ones are
  // there, and after a stop for those that are there. Launches that were stopped or not started do not come.
  // What it throws stops the batch.
  std::function<void(size_t i, Outcome outcome)> done;
};

// Launches 0..count-1 are started in the order of `schedule`, a permutation; empty means 0, 1, 2, ... Throws
// what `done` threw, after all threads have ended.
void run_batch(size_t count, const std::vector<size_t>& schedule, const BatchOptions& options,
               const BatchCalls& calls);

// The message of an exception; every kind that the program throws.
std::string message_of(const std::exception_ptr& error);

}  // namespace heddle::analysis
