#include "analysis/python/binding/live.h"

#include <utility>

namespace heddle::python {

LivePython::LivePython(workload::Workload& w, uint32_t thread, std::function<void()> grown, py::object step,
                       py::object refuse)
    : w_(w), thread_(thread), grown_(std::move(grown)), step_(std::move(step)), refuse_(std::move(refuse)) {}

size_t LivePython::call(const std::string& text, uint32_t line) {
  const std::string key =
      text + "\n" + std::to_string(line) + "\n" + std::to_string(w_.more->device_of(thread_));
  const auto found = made_.find(key);
  if (found != made_.end()) {
    return found->second;
  }
  const size_t call = w_.more->add("thread { call { " + text + " } }", line, thread_, w_);
  grown_();
  return made_[key] = call;
}

host::LiveThread::Next LivePython::next(const host::Returned& last) {
  const py::gil_scoped_acquire with_gil;
  py::tuple items(last.items.size());
  for (size_t i = 0; i < last.items.size(); ++i) {
    items[i] = last.items[i];
  }
  const auto text = [](std::string_view t) { return py::str(t.data(), t.size()); };
  py::object made =
      step_(last.now.count(), text(last.error), text(last.why), text(last.answer), last.time.count(), items);
  while (!made.is_none()) {
    const auto given = made.cast<py::tuple>();
    const auto line = given[1].cast<uint32_t>();
    try {
      if (const auto more = given[3].cast<std::string>(); !more.empty()) {
        w_.more->add(more, line, thread_, w_);
        grown_();
      }
      return {call(given[0].cast<std::string>(), line), given[2].cast<uint64_t>()};
    } catch (const Error& e) {
      made = refuse_(std::string(e.what()));  // which raises it where the call was yielded
    }
  }
  return {kEnd};
}

}  // namespace heddle::python
