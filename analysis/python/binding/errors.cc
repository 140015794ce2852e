#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "analysis/python/binding/binding.h"
#include "sim/device/gpu.h"

namespace heddle::python {
namespace {

void raise(const char* type, const std::exception& e) {
  const py::object t = py::module_::import("heddle.errors").attr(type);
  PyErr_SetString(t.ptr(), e.what());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 calls it so
void translate(std::exception_ptr error) {
  try {
    if (error) {
      std::rethrow_exception(error);
    }
  } catch (const ConfigError& e) {
    raise("ConfigError", e);
  } catch (const TraceError& e) {
    raise("TraceError", e);
  } catch (const ResultsError& e) {
    raise("ResultsError", e);
  } catch (const device::DeadlockError& e) {
    const py::object t = py::module_::import("heddle.errors").attr("DeadlockError");
    PyErr_SetObject(t.ptr(), t(e.what(), e.report).ptr());
  } catch (const Error& e) {
    raise("Error", e);
  }
}

}  // namespace

void bind_errors(py::module_&) { py::register_exception_translator(translate); }

void interruptible(const std::function<void(std::atomic<bool>&)>& work, const std::function<void()>& poll,
                   std::chrono::milliseconds period, const std::function<void()>& stop) {
  std::atomic<bool> cancel{false};
  std::exception_ptr of_work, of_caller;
  {
    const py::gil_scoped_release without_gil;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    const auto in_thread = [&] {
      try {
        work(cancel);
      } catch (...) {
        of_work = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_all();
    };
    std::jthread thread;
    try {
      thread = std::jthread(in_thread);
    } catch (const std::system_error& e) {
      throw Error(std::string("the host starts no thread to work in: ") + e.what());
    }
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, period, [&] { return done; })) {
      lock.unlock();
      if (!cancel) {
        const py::gil_scoped_acquire with_gil;
        try {
          if (PyErr_CheckSignals() != 0) {
            throw py::error_already_set();
          }
          if (poll) {
            poll();
          }
        } catch (...) {
          of_caller = std::current_exception();
          cancel = true;
          if (stop) {
            stop();
          }
        }
      }
      lock.lock();
    }
  }
  if (of_caller) {
    std::rethrow_exception(of_caller);
  }
  if (of_work) {
    std::rethrow_exception(of_work);
  }
}

}  // namespace heddle::python
