// What the tests of the configuration loader share.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "configs/loader/config.h"
#include "sim/base/error.h"

namespace heddle::config {

// A directory of its own for each test case, removed at the end.
class Scratch {
 public:
  Scratch() {
    static int count = 0;
    const char* base = std::getenv("TEST_TMPDIR");
    path_ = (base ? std::filesystem::path(base) : std::filesystem::temp_directory_path()) /
            ("heddle-configs-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // `name` is relative, e.g. "gpus/mine.textproto".
  std::string write(const std::string& name, std::string_view text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }

  LoadOptions options() const { return with({}); }

  LoadOptions with(std::vector<std::string> overrides) const {
    LoadOptions o;
    o.search = {path_};
    o.overrides = std::move(overrides);
    return o;
  }

 private:
  std::filesystem::path path_;
};

inline LoadOptions overrides(std::vector<std::string> list) {
  LoadOptions o;
  o.overrides = std::move(list);
  return o;
}

inline LoadOptions fidelity(const std::string& name) {
  LoadOptions o;
  o.fidelity = name;
  return o;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The text of a shipped file, from the test's runfiles.
inline std::string shipped(const std::string& name) { return read_file("configs/" + name + ".textproto"); }

// `text` with `from`, which must occur, replaced once.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The message of the Error that `f` throws.
template <typename F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

inline std::string load_error(std::string_view name, const LoadOptions& options) {
  return error_of([&] { load(name, options); });
}

}  // namespace heddle::config
