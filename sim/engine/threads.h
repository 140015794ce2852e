// Host threads that may be fewer than asked for: a limit of the process, a container or of memory is no
// reason to fail.
#pragma once

#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace heddle {

// Starts up to `count` threads that run `work`, and stops at the first that cannot be started.
template <typename Work>
std::vector<std::jthread> start_threads(int count, const Work& work) {
  std::vector<std::jthread> out;
  try {
    out.reserve(static_cast<size_t>(count > 0 ? count : 0));
    for (int i = 0; i < count; ++i) {
      out.emplace_back(work);
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return out;
}

}  // namespace heddle
