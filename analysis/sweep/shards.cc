#include "analysis/sweep/shards.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/store/result_store.h"
#include "analysis/store/sqlite.h"
#include "sim/base/error.h"

namespace heddle::sweep {

namespace fs = std::filesystem;
using analysis::Database;
using analysis::Statement;

std::string RunKey::text() const {
  return fmt::format("{}:{}:{}/{}{}", config_hash, trace_hash, trace, launch, sampled ? ":sample" : "");
}

ShardIndex::ShardIndex(const fs::path& folder, const std::string& revision) {
  std::error_code missing;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".db") {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  for (const fs::path& file : found) {
    read(file, revision);
  }
}

void ShardIndex::read(const fs::path& file, const std::string& revision) {
  Database db(file, Database::Mode::kRead);
  if (db.integer("SELECT count(*) FROM sqlite_master") == 0) {
    return;
  }
  analysis::check_version(db);
  files_.push_back(file);
  Statement s = db.prepare(
      "SELECT r.config_hash, l.trace, l.launch, l.trace_hash, r.config_text, l.id, r.revision FROM launches l"
      " JOIN runs r ON r.id = l.run_id ORDER BY l.id");
  while (s.step()) {
    if (s.text(6) != revision) {
      ++foreign_;
      continue;
    }
    RunKey key{s.text(0), s.text(1), static_cast<uint32_t>(s.integer(2)), s.text(3),
               s.text(4) == kConfigText[1]};
    results_.emplace(std::move(key), ShardResult{files_.size() - 1, s.integer(5)});
  }
}

std::optional<ShardResult> ShardIndex::find(const RunKey& key) const {
  auto it = results_.find(key);
  return it == results_.end() ? std::nullopt : std::optional<ShardResult>(it->second);
}

}  // namespace heddle::sweep
