// A launch in steps.
#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "analysis/python/binding/binding.h"
#include "analysis/run/plan.h"
#include "analysis/run/residency.h"
#include "analysis/run/run_record.h"
#include "analysis/run/stepper.h"
#include "configs/loader/draft.h"

namespace heddle::python {
namespace {

std::vector<std::string> with_policy(std::vector<std::string> overrides,
                                     const analysis::RunSettings& settings) {
  std::ranges::move(analysis::describe(settings.l2), std::back_inserter(overrides));
  return overrides;
}

class Steps {
 public:
  Steps(const config::Draft& config, const analysis::PlannedLaunch& launch,
        const analysis::RunSettings& settings)
      : gpu_(throwing<ConfigError>([&] { return config.finish(); })),
        run_(analysis::run_record(gpu_, config.fidelity(), with_policy(config.overrides(), settings), 1)) {
    throwing<ConfigError>([&] { analysis::check(settings.l2, gpu_); });
    const auto warn = [this](std::string_view w) { warnings_.emplace_back(w); };
    interruptible([&](std::atomic<bool>&) {
      stepper_ = std::make_unique<analysis::Stepper>(gpu_, launch, settings, warn);
    });
  }

  // True while the launch is not over. Ctrl-C stops at a quantum, from where it can go on.
  bool advance(Cycle until) {
    if (finished_) {
      return false;
    }
    if (broken_) {
      throw Error("the simulation of this launch has failed; make a new Simulator");
    }
    bool more = true;
    interruptible([&](std::atomic<bool>& cancel) {
      constexpr Cycle kSlice = 500;  // of which the longest take some ten milliseconds
      try {
        for (Cycle at = now(); more && !cancel && at < until; at = now()) {
          more = stepper_->advance(std::min(until, at + kSlice));
        }
      } catch (...) {
        broken_ = true;
        throw;
      }
    });
    if (!more) {
      last_ = stepper_->finish();
      finished_ = true;
    }
    return more;
  }

  Records so_far() const { return {run_, {finished_ ? last_ : stepper_->so_far()}}; }
  Cycle now() const { return finished_ ? last_.cycles : stepper_->now(); }
  bool finished() const { return finished_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  const config::GpuConfig gpu_;
  const analysis::RunRecord run_;
  std::vector<std::string> warnings_;
  std::unique_ptr<analysis::Stepper> stepper_;
  analysis::LaunchRecord last_;
  bool finished_ = false, broken_ = false;
};

}  // namespace

void bind_stepper(py::module_& m) {
  py::class_<Steps>(m, "Steps")
      .def(py::init<const config::Draft&, const analysis::PlannedLaunch&, const analysis::RunSettings&>())
      .def("advance", &Steps::advance)
      .def("so_far", &Steps::so_far)
      .def_property_readonly("cycle", &Steps::now)
      .def_property_readonly("finished", &Steps::finished)
      .def_property_readonly("warnings", &Steps::warnings);
}

}  // namespace heddle::python
