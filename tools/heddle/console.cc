#include "tools/heddle/console.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "frontends/input/printable.h"
#include "sim/base/error.h"

namespace heddle::cli {
namespace {

std::mutex mutex;
std::function<void()> clear_bar;

std::shared_ptr<spdlog::logger> log_to_stderr(const char* pattern) {
  auto logger = std::make_shared<spdlog::logger>("heddle", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern(pattern);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

struct Loggers {
  std::shared_ptr<spdlog::logger> problems = log_to_stderr("heddle: %l: %v");
  std::shared_ptr<spdlog::logger> notes = log_to_stderr("heddle: %v");
  std::shared_ptr<spdlog::logger> details = log_to_stderr("%v");
};

const Loggers& loggers() {
  static const Loggers all;
  return all;
}

void write(spdlog::logger& logger, spdlog::level::level_enum level, std::string_view message) {
  std::lock_guard lock(mutex);
  if (clear_bar) {
    clear_bar();
  }
  logger.log(level, message);
}

}  // namespace

void warn(std::string_view message) {
  write(*loggers().problems, spdlog::level::warn, input::printable_lines(message));
}

void report_error(std::string_view message) {
  std::string line(message);
  for (char& c : line) {
    c = c == '\n' || c == '\r' ? ' ' : c;
  }
  write(*loggers().problems, spdlog::level::err, input::printable(line));
}

void note(std::string_view message) {
  write(*loggers().notes, spdlog::level::info, input::printable_lines(message));
}

void detail(std::string_view line) {
  write(*loggers().details, spdlog::level::info, input::printable_lines(line));
}

void before_output(std::function<void()> clear) {
  std::lock_guard lock(mutex);
  clear_bar = std::move(clear);
}

void print(std::string_view raw) {
  const std::string text = input::printable_lines(raw);
  {
    std::lock_guard lock(mutex);
    if (clear_bar) {
      clear_bar();
    }
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(std::string("standard output: ") + std::strerror(errno));
  }
}

}  // namespace heddle::cli
