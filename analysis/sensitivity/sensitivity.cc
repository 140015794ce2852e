#include "analysis/sensitivity/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "configs/loader/config.h"
#include "configs/loader/field_info.h"
#include "sim/base/cancelled.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

namespace heddle::analysis {
namespace {

std::string tenth(const std::string& text, bool up) {
  const std::optional<double> number = parse_number<double>(text);
  if (!number) {
    throw Error(text + " is no number");
  }
  const double value = *number;
  if (value != std::trunc(value)) {
    return fmt::format("{:.6g}", value * (up ? 1.1 : 0.9));
  }
  const double step = std::max(1.0, std::nearbyint(value / 10));
  return fmt::format("{:.0f}", up ? value + step : value - step);
}

struct Number {
  Sensitivity found;
  std::optional<std::string> up, down;  // "path=value"; nothing where the loader refuses it
};

using Group = std::span<Number>;

// The configuration with the numbers of a group changed in one direction.
struct Machine {
  config::GpuConfig gpu;
  std::string changed;
  bool simulated = false;
  std::vector<uint64_t> cycles;  // of each launch; fewer: it cannot be simulated
  std::optional<double> change;  // nothing: there is no such machine
};

class Search {
 public:
  Search(const config::GpuConfig& gpu, const std::map<std::string, std::string>& numbers, size_t launches,
         const BatchOptions& options, const SensitivityCalls& calls)
      : gpu_(gpu), launches_(launches), options_(options), calls_(calls) {
    options_.keep_going = true;
    for (const auto& [path, value] : numbers) {
      numbers_.push_back({{path, value}, possible(path, value, true), possible(path, value, false)});
    }
  }

  std::vector<Sensitivity> run() {
    std::vector<Machine> plain = {{gpu_, "", true, {}, {}}};
    simulate(plain);
    plain_ = plain.front().cycles;
    options_.warn = nullptr;  // it would say the same every time
    std::vector<Group> groups;
    if (!numbers_.empty()) {
      groups.emplace_back(numbers_);
    }
    while (!groups.empty()) {
      groups = look(groups);
    }
    std::vector<Sensitivity> out;
    out.reserve(numbers_.size());
    for (const Number& n : numbers_) {
      out.push_back(n.found);
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &Sensitivity::change);
    return out;
  }

 private:
  std::optional<config::GpuConfig> with(const std::vector<std::string>& assignments) const {
    config::GpuConfig out = gpu_;
    try {
      for (const std::string& a : assignments) {
        config::set(out, a);
      }
    } catch (const Error&) {
      return std::nullopt;  // below zero
    }
    return config::check(out).empty() ? std::optional(std::move(out)) : std::nullopt;
  }

  std::optional<std::string> possible(const std::string& path, const std::string& value, bool up) const {
    std::string assignment = fmt::format("{}={}", path, tenth(value, up));
    return with({assignment}) ? std::optional(std::move(assignment)) : std::nullopt;
  }

  Machine machine(Group group, bool up) const {
    std::vector<std::string> assignments;
    for (const Number& n : group) {
      if (const auto& a = up ? n.up : n.down) {
        assignments.push_back(*a);
      }
    }
    Machine out;
    if (assignments.empty()) {
      out.change = 0;
    } else if (auto gpu = with(assignments)) {
      out.gpu = std::move(*gpu);
      out.changed = assignments.size() == 1
                        ? assignments.front()
                        : fmt::format("{} values {}", assignments.size(), up ? "up" : "down");
      out.simulated = true;
    }
    return out;
  }

  // Changes all groups in both directions. Returns the halves of those that change something.
  std::vector<Group> look(const std::vector<Group>& groups) {
    std::vector<Machine> machines;
    for (const Group g : groups) {
      machines.push_back(machine(g, true));
      machines.push_back(machine(g, false));
    }
    simulate(machines);
    std::vector<Group> halves;
    for (size_t i = 0; i < groups.size(); ++i) {
      const Group g = groups[i];
      const std::optional<double> up = machines[2 * i].change;
      const std::optional<double> down = machines[2 * i + 1].change;
      const double change = std::max(up.value_or(0), down.value_or(0));
      if (g.size() > 1 && (!up || !down || change >= kLeastChange)) {
        halves.push_back(g.first(g.size() / 2));
        halves.push_back(g.subspan(g.size() / 2));
        continue;
      }
      decided_ += g.size();
      if (g.size() == 1 && change >= kLeastChange) {
        g.front().found.change = change;
      }
    }
    return halves;
  }

  void simulate(std::vector<Machine>& machines) {
    std::vector<Machine*> todo;
    for (Machine& m : machines) {
      if (m.simulated) {
        todo.push_back(&m);
      }
    }
    const size_t trials = todo.size() * launches_;
    if (calls_.round) {
      calls_.round(trials, decided_, numbers_.size());
    }
    BatchCalls batch;
    batch.simulate = [&](size_t i) {
      const Machine& m = *todo[i / launches_];
      return calls_.simulate(i, {m.gpu, i % launches_, m.changed});
    };
    batch.done = [&](size_t i, const Outcome& outcome) {
      if (outcome.record) {
        todo[i / launches_]->cycles.push_back(outcome.record->cycles);
      } else {
        failed(outcome.error);
      }
    };
    run_batch(trials, {}, options_, batch);
    if (options_.cancel != nullptr && *options_.cancel) {
      throw Cancelled("interrupted");
    }
    for (Machine* m : todo) {
      m->change = change_of(m->cycles);
    }
  }

  // A machine that cannot be simulated is none. The plain one must be there, and what is no fault of the
  // machine's, such as too little memory, ends everything.
  void failed(const std::exception_ptr& error) const {
    try {
      std::rethrow_exception(error);
    } catch (const Error&) {
      if (plain_.empty()) {
        throw;
      }
    }
  }

  std::optional<double> change_of(const std::vector<uint64_t>& cycles) const {
    if (cycles.size() < launches_) {
      return std::nullopt;
    }
    double most = 0;
    for (size_t i = 0; i < plain_.size(); ++i) {
      most = std::max(most, std::fabs(static_cast<double>(cycles[i]) / static_cast<double>(plain_[i]) - 1));
    }
    return most;
  }

  const config::GpuConfig& gpu_;
  const size_t launches_;
  BatchOptions options_;
  const SensitivityCalls& calls_;
  std::vector<Number> numbers_;  // by path
  std::vector<uint64_t> plain_;  // cycles of each launch
  size_t decided_ = 0;           // of the numbers
};

}  // namespace

std::map<std::string, std::string> assumed_numbers(const config::GpuConfig& gpu,
                                                   const config::GpuConfig& files) {
  auto out = config::numbers_of_kind(gpu, config::Provenance::ASSUMED);
  const auto in_files = config::numbers_of_kind(files, config::Provenance::ASSUMED);
  std::erase_if(out, [&](const auto& number) {
    const auto it = in_files.find(number.first);
    return number.first.starts_with("host.") || it == in_files.end() || it->second != number.second;
  });
  return out;
}

std::vector<Sensitivity> sensitivities(const config::GpuConfig& gpu,
                                       const std::map<std::string, std::string>& numbers, size_t launches,
                                       const BatchOptions& options, const SensitivityCalls& calls) {
  return Search(gpu, numbers, launches, options, calls).run();
}

}  // namespace heddle::analysis
