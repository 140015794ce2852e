// The databases that the workers of a sweep write, one each, so that none waits for another.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sweep {

// What a result follows from, besides the program's revision. Not the point's number: a sweep file may get
// more points later, and the results there are still count.
struct RunKey {
  std::string config_hash;
  std::string trace;  // the capture's name in the results
  uint32_t launch = 0;
  std::string trace_hash;
  bool sampled = false;  // with --sample

  auto operator<=>(const RunKey&) const = default;
  std::string text() const;  // one word
};

// Stands in a shard's runs.config_text, by RunKey::sampled. The text itself is long and in the merged
// database.
inline constexpr std::string_view kConfigText[] = {"", "--sample"};

struct ShardResult {
  size_t shard = 0;  // index into ShardIndex::files()
  int64_t launch_id = 0;
};

// What is there already. Files without a finished launch (a worker killed at once) count for nothing.
class ShardIndex {
 public:
  // Reads all *.db of `folder`, which need not exist. Results of another revision count as foreign. Throws
  // heddle::Error for files that are no result database of this version.
  ShardIndex(const std::filesystem::path& folder, const std::string& revision);

  // Where several workers have the same result, one of them: they are equal.
  std::optional<ShardResult> find(const RunKey& key) const;
  const std::vector<std::filesystem::path>& files() const { return files_; }
  size_t results() const { return results_.size(); }
  size_t foreign() const { return foreign_; }

 private:
  void read(const std::filesystem::path& file, const std::string& revision);

  std::vector<std::filesystem::path> files_;
  std::map<RunKey, ShardResult> results_;
  size_t foreign_ = 0;
};

}  // namespace heddle::sweep
