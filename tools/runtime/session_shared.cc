// The session of a process that shares the device with others.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "analysis/run/run_record.h"
#include "configs/loader/config.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "tools/runtime/contexts.h"
#include "tools/runtime/patience.h"
#include "tools/runtime/session.h"

namespace heddle::runtime {
namespace {

std::string of_environment(const char* name) {
  const char* v = std::getenv(name);
  return v == nullptr ? "" : v;
}

}  // namespace

void Session::join(bool makes) {
  cuda::Share::Options o;
  o.name = of_environment("HEDDLE_SHARE");
  if (share_ || o.name.empty()) {
    return;
  }
  o.makes = makes;
  if (const std::string number = of_environment("HEDDLE_SHARE_NUMBER"); !number.empty()) {
    const size_t slash = number.find('/');
    o.number = parse_number<uint32_t>(number.substr(0, slash)).value_or(0);
    o.processes = parse_number<uint32_t>(number.substr(slash + 1)).value_or(0);
    unsetenv("HEDDLE_SHARE_NUMBER");  // what it makes are others
  }
  o.device = std::hash<std::string>{}(analysis::run_record(gpu_, "default", overrides_, 0).config_hash +
                                      (functional_ ? " functional" : ""));
  const auto& sharing = gpu_.host().sharing();
  o.slice = host::from_us(sharing.slice_us());
  o.change = host::from_ns(sharing.change_ns());
  share_ = cuda::Share::join(o);
  if (share_) {
    threads().share(share_.get());
    if (!functional_) {
      kernels_->share(share_.get(), threads().model_time());
    }
  }
}

void Session::share_device() { join(true); }

void Session::has_made(int pid) {
  if (share_) {
    share_->expect(threads().now(), pid);
  }
}

void Session::before_fork() {
  if (threads().held()) {
    join(true);
  }
  if (share_) {
    share_->expect(threads().now());
  }
}

bool Session::forked() {
  threads().forked();
  if (!share_) {
    useless_ = Contexts::get().initialised;
    return false;
  }
  share_->forked();
  store_.release();  // NOLINT(bugprone-unused-return-value): the parent's
  said_.clear();
  if (Contexts::get().initialised) {
    useless_ = true;
    share_->give_place();
    return false;
  }
  watch(threads());
  return true;
}

bool Session::makes_context() {
  if (compute_mode() == kProhibited) {
    return false;
  }
  return !share_ || share_->makes_context(compute_mode() == kExclusiveProcess);
}

std::string Session::file(const char* setting) const {
  std::string name = of_environment(setting);
  if (name.empty() || !share_ || share_->number() == 0) {
    return name;
  }
  std::filesystem::path p = name;
  const std::string extension = p.extension().string();
  p.replace_extension();
  return fmt::format("{}.{}{}", p.string(), share_->number(), extension);
}

analysis::ResultStore* Session::store() {
  if (!store_ && stores_) {
    analysis::StoreOptions o;
    o.if_exists =
        of_environment("HEDDLE_FORCE") == "1" ? analysis::IfExists::kReplace : analysis::IfExists::kRefuse;
    store_ = std::make_unique<analysis::ResultStore>(file("HEDDLE_OUT"),
                                                     analysis::run_record(gpu_, "default", overrides_, 0), o);
  }
  return store_.get();
}

}  // namespace heddle::runtime
