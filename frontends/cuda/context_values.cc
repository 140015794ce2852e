// What work does to values, when the model of the host comes to it.
#include <algorithm>
#include <cstring>
#include <utility>

#include "frontends/cuda/context.h"
#include "frontends/modules/nested.h"
#include "sim/base/error.h"
#include "sim/exec/fault.h"
#include "sim/exec/texture/layout.h"
#include "sim/host/kernels/resources.h"

namespace heddle::cuda {
namespace {

constexpr uint32_t kMostGenerations = 4096;  // of kernels that launch kernels: the stack here

// Of one block, when a kernel takes so long and its blocks come one generation after the other.
host::Ps block_time(const host::KernelDesc& k, const host::Params& p) {
  const uint64_t at_once = std::max<uint64_t>(1, uint64_t{host::blocks_per_sm(k, p)} * p.sms);
  const uint64_t blocks = uint64_t{k.grid.x} * k.grid.y * k.grid.z;
  return host::Ps(k.duration.count() / static_cast<int64_t>((blocks + at_once - 1) / at_once));
}

// Calls f(place in the array's memory, place in the row, bytes) for the pieces of a row that lie together.
template <class F>
void pieces(const ArrayPlace& a, uint64_t y, uint64_t z, uint64_t bytes, F f) {
  constexpr uint64_t kTogether = 16;
  const bool deep = a.image.geometry == exec::texture::Geometry::k3d;
  const auto plane = static_cast<uint32_t>(a.z + z);
  for (uint64_t at = 0; at < bytes;) {
    const uint64_t x = a.x + at, n = std::min(bytes - at, kTogether - x % kTogether);
    const uint64_t address =
        exec::texture::address_of(a.image, 0, static_cast<uint32_t>(x), static_cast<uint32_t>(a.y + y),
                                  deep ? plane : 0, deep ? 0 : plane);
    f(address - a.image.data, at, n);
    at += n;
  }
}

void copy_rows(const CopyWork& c, uint8_t* to, const uint8_t* from) {
  std::vector<uint8_t> row(c.from_array ? c.width : 0);
  for (uint64_t z = 0; z < c.depth; ++z) {
    for (uint64_t y = 0; y < c.height; ++y) {
      const uint8_t* source = row.data();
      if (c.from_array) {
        pieces(*c.from_array, y, z, c.width, [&](uint64_t place, uint64_t at, uint64_t n) {
          std::memcpy(row.data() + at, from + place, n);
        });
      } else {
        source = from + z * c.from_plane + y * c.from_pitch;
      }
      if (c.to_array) {
        pieces(*c.to_array, y, z, c.width,
               [&](uint64_t place, uint64_t at, uint64_t n) { std::memcpy(to + place, source + at, n); });
      } else {
        std::memmove(to + z * c.to_plane + y * c.to_pitch, source, c.width);
      }
    }
  }
}

}  // namespace

uint64_t Context::keep(Work work, bool node) {
  values_[++value_ids_] = {std::move(work), {}, node};
  return value_ids_;
}

void Context::submitted(uint64_t values, const HostThreads::Answer& a) {
  if (!a.error.empty()) {
    values_.erase(values);
  }
}

void Context::settle_values() {
  if (timeline_.threads().idle()) {
    for (const uint64_t v : std::exchange(retired_, {})) {
      values_.erase(v);
    }
    for (const auto& release : std::exchange(late_, {})) {
      release();
    }
  }
  end_user_objects();
}

// What the destructors of one make end waits in the next round.
void Context::end_user_objects() {
  for (std::vector<HostWork> ended = user_objects_.take_ended(); !ended.empty();
       ended = user_objects_.take_ended()) {
    for (const HostWork& destructor : ended) {
      call_program(destructor);
      function_spent_ = {};  // a thread of the driver's own does it
    }
  }
}

void Context::call_program(const HostWork& h) {
  host_function_by_ = std::this_thread::get_id();
  h.function(h.data);
  host_function_by_ = std::thread::id();
}

// What is in use as long as the device has work is gone when it has none.
void Context::when_idle(std::function<void()> release) {
  late_.push_back(std::move(release));
  settle_values();
}

void Context::happens(uint64_t values) {
  const auto it = values_.find(values);
  if (failed_ == Status::kSuccess) {
    if (const auto* c = std::get_if<CopyWork>(&it->second.work)) {
      const std::vector<uint8_t>& taken = it->second.taken;
      perform_copy(*c, taken.empty() ? nullptr : taken.data());
    } else if (const auto* m = std::get_if<MemsetWork>(&it->second.work)) {
      perform_set(*m);
    } else if (const auto* r = std::get_if<RecordWork>(&it->second.work);
               r != nullptr && r->event->is_shared()) {
      shared()->recorded(r->event->shared, r->record, timeline_.threads().model_time());
    }
  }
  drop(it);
}

void Context::reads(uint64_t values) {
  Values& v = values_.at(values);
  auto& c = std::get<CopyWork>(v.work);
  // Rows and planes without what lies between them.
  CopyWork packed = c;
  packed.to_pitch = c.width;
  packed.to_plane = c.width * c.height;
  packed.to_array.reset();
  v.taken.resize(c.width * c.height * c.depth);
  copy_rows(packed, v.taken.data(), space_.bytes(c.from, end_of_source(c)));
  c.from_pitch = packed.to_pitch;
  c.from_plane = packed.to_plane;
  c.from_array.reset();
}

host::Ps Context::runs(uint64_t values) {
  const auto it = values_.find(values);
  if (std::holds_alternative<CopyWork>(it->second.work)) {
    happens(values);
    return {};
  }
  const HostWork h = std::get<HostWork>(it->second.work);
  if (failed_ == Status::kSuccess) {
    flush();
    call_program(h);
  }
  drop(it);
  return std::exchange(function_spent_, {});
}

host::Ps Context::begins(uint64_t values, uint32_t kernel) {
  const auto it = values_.find(values);
  const KernelWork work = std::get<KernelWork>(it->second.work);
  Performed p = perform_kernel(work);
  if (it->second.node && !p.nested.empty()) {
    note("kernels that kernels of a graph launch take no time here");
    p.nested.clear();
  }
  timeline_.performed(kernel, p);
  drop(values_.find(values));
  return p.duration;
}

// `values`: a handle. Where a kernel has failed no loop goes on.
uint32_t Context::condition(uint64_t values) {
  uint32_t out = 0;
  if (failed_ == Status::kSuccess) {
    std::memcpy(&out, space_.bytes(values, sizeof out), sizeof out);
  }
  return out;
}

void Context::assign(uint64_t values, uint32_t value) {
  std::memcpy(space_.bytes(values, sizeof value), &value, sizeof value);
}

void Context::drop(ValuesOf::iterator it) {
  if (!it->second.node) {
    values_.erase(it);
  }
}

void Context::perform_copy(const CopyWork& c, const uint8_t* taken) {
  copy_rows(c, space_.bytes(c.to, end_of_target(c)),
            taken != nullptr ? taken : space_.bytes(c.from, end_of_source(c)));
}

void Context::perform_set(const MemsetWork& m) {
  uint8_t* to = space_.bytes(m.to, m.pitch * (m.height - 1) + m.width * m.element);
  for (uint64_t y = 0; y < m.height; ++y) {
    uint8_t* row = to + y * m.pitch;
    if (m.element == 1) {
      std::memset(row, static_cast<int>(m.value), m.width);
    } else {
      for (uint64_t x = 0; x < m.width; ++x) {
        std::memcpy(row + x * m.element, &m.value, m.element);
      }
    }
  }
}

// ---- kernels

// What an H200 takes time for and the model does not (traces/h200/PROGRAMS.md).
void Context::note_what_is_free(const exec::Code& code) {
  for (const exec::FunctionInfo& f : code.functions) {
    if (f.builtin == exec::Builtin::kPrintf) {
      environment_.note("printf in kernels takes no time here");
    } else if (f.builtin == exec::Builtin::kMalloc || f.builtin == exec::Builtin::kFree) {
      environment_.note("malloc and free in kernels take no time here");
    }
  }
}

exec::Launch Context::executable(const KernelWork& k) {
  library_.update_constants(*k.function->program);
  exec::Launch l = k.function->program->launch(*k.function->kernel);
  l.grid = k.grid;
  l.block = k.block;
  if (k.with_cluster) {
    l.cluster = k.cluster;
    l.with_cluster = true;
  }
  l.dynamic_shared = k.shared;
  std::copy_n(k.parameters.begin(), std::min(k.parameters.size(), l.parameters.size()), l.parameters.begin());
  return l;
}

KernelSource::Opened Context::open(uint64_t values) {
  const auto it = values_.find(values);
  const KernelWork work = std::get<KernelWork>(it->second.work);
  drop(it);
  Opened out;
  if (failed_ != Status::kSuccess) {
    return out;
  }
  try {
    out.launch = executable(work);
  } catch (...) {
    fail(work.function->kernel->name, std::current_exception());
    return out;
  }
  note_what_is_free(*out.launch.code);
  out.function = work.function;
  return out;
}

void Context::ended(const LoadedFunction& function, const std::string& output, std::exception_ptr failure) {
  printed_ += output;
  if (failure) {
    fail(function.kernel->name, failure);
  }
}

void Context::fail(const std::string& kernel, std::exception_ptr failure) {
  if (failed_ != Status::kSuccess) {
    return;
  }
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const Unsupported& e) {
    environment_.note(all_of(e));
    failed_ = Status::kNotSupported;
  } catch (const exec::ThreadFault& e) {
    environment_.note(e.what());
    constexpr Status kStatus[] = {Status::kIllegalAddress, Status::kMisalignedAddress, Status::kAssert,
                                  Status::kLaunchFailure};
    failed_ = kStatus[static_cast<int>(e.kind())];
  } catch (const exec::WaitsInVain& e) {
    environment_.note(e.what());
    environment_.note("kernel " + kernel + ": waits for something that nobody will do");
    failed_ = Status::kLaunchFailure;
  } catch (const Error& e) {
    environment_.note(e.what());
    failed_ = Status::kLaunchFailure;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): kMostGenerations
Performed Context::perform_kernel(const KernelWork& k, uint32_t generation) {
  if (failed_ != Status::kSuccess) {
    return {};
  }
  const auto output = std::make_shared<std::string>();
  Performed out;
  exec::Launch l;
  try {
    l = executable(k);
    note_what_is_free(*l.code);
    out.duration = environment_.runner->run(*k.function, l, output);
    out.block = block_time(described(k, out.duration), params_);
    ended(*k.function, *output, nullptr);
  } catch (const Error&) {
    ended(*k.function, *output, std::current_exception());
  }
  out.nested = perform_nested(k, l, generation);
  return out;
}

// A grid is complete when its children are (DP01), so they are executed behind it, one after the other.
// NOLINTNEXTLINE(misc-no-recursion): kMostGenerations
std::vector<NestedWork> Context::perform_nested(const KernelWork& parent, const exec::Launch& done,
                                                uint32_t generation) {
  std::vector<NestedWork> out;
  for (modules::Nested& n : modules::nested(*parent.function->program, done)) {
    if (failed_ != Status::kSuccess) {
      break;
    }
    NestedWork w;
    if (n.kernel != nullptr) {
      if (generation == kMostGenerations) {
        note("kernel " + n.kernel->name + ": kernels launch kernels more than " +
             std::to_string(kMostGenerations) + " levels deep");
        failed_ = Status::kLaunchFailure;
        break;
      }
      w.work.function = &library_.function(parent.function->program, n.kernel->name);
      w.work.grid = n.by.grid;
      w.work.block = n.by.block;
      w.work.shared = n.by.shared;
      w.work.parameters = n.by.parameters;
      try {
        check(w.work);
      } catch (const CallFailed& e) {  // the thread was told
        note("kernel " + parent.function->kernel->name + " launches " + n.kernel->name + ": " + e.what());
        continue;
      }
      w.performed = perform_kernel(w.work, generation + 1);
    }
    w.op = std::move(n.by);
    w.op.parameters.clear();
    out.push_back(std::move(w));
  }
  return out;
}

}  // namespace heddle::cuda
