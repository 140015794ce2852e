#include "tests/analysis/sample_store.h"

#include <fstream>
#include <sstream>

#include "analysis/store/sqlite.h"
#include "tests/analysis/sample_records.h"

namespace heddle::analysis {

std::string bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

int64_t query(const std::filesystem::path& file, const std::string& sql) {
  Database db(file, Database::Mode::kRead);
  return db.integer(sql);
}

void write_two(const std::filesystem::path& file, const StoreOptions& options, double wall_seconds) {
  ResultStore store(file, sample_run(), options);
  for (uint32_t i = 1; i <= 2; ++i) {
    LaunchRecord r = sample_launch("vecadd", i, i);
    r.host.wall_seconds = wall_seconds;
    store.add(r);
  }
}

}  // namespace heddle::analysis
