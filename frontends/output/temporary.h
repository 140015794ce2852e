// A file beside the one that it is to become.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace heddle::output {

class Temporary {
 public:
  // Creates NAME.RANDOM.part, which nobody can foresee or have made before, in the folder of `target`. With
  // `mode`, the permissions of what is replaced; else those of any new file. Throws heddle::Error that names
  // the place `shown`.
  Temporary(std::filesystem::path target, std::filesystem::path shown,
            std::optional<mode_t> mode = std::nullopt);
  // Nothing is left without commit().
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int fd() const { return fd_; }  // open for writing, until commit() or close()
  void close();
  // Moves it to its place. Without `replace`, an error if there is something by now.
  void commit(bool replace);

 private:
  [[noreturn]] void fail(int why) const;

  std::filesystem::path target_, shown_, path_;
  int fd_ = -1;
};

}  // namespace heddle::output
