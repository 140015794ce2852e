#include "analysis/store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "frontends/input/regular_file.h"
#include "sim/base/error.h"

namespace heddle::analysis {
namespace {

// SQLite's own words, with the operating system's reason where the file system refused.
std::string reason(sqlite3* db, int code) {
  std::string text = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  if ((code & 0xff) == SQLITE_CANTOPEN && db) {
    if (int e = sqlite3_system_errno(db)) {
      text = fmt::format("{} ({})", text, std::generic_category().message(e));
    }
  }
  if ((code & 0xff) == SQLITE_BUSY) {
    text = "the database is locked by another program (waited for it in vain)";
  }
  return text;
}

// Another process commits one launch at a time.
constexpr std::chrono::milliseconds kPatience{4'000};

// Nothing for a file that SQLite can open.
std::string unusable(const std::filesystem::path& file) {
  const std::string why = input::why_not_regular(file);
  return why.empty() || !std::filesystem::exists(file) ? why : why + " (legal: a result database)";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

void Statement::fail(int code) const {
  sqlite3* db = sqlite3_db_handle(stmt_.get());
  std::string what = reason(db, code);
  sqlite3_reset(stmt_.get());
  throw Error(fmt::format("{}: {}", file_, what));
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) {
    fail(code);
  }
}

Statement& Statement::bind(int parameter, int64_t value) {
  check(sqlite3_bind_int64(stmt_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(stmt_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  // An empty view may have a null pointer, which SQLite would take for NULL.
  check(sqlite3_bind_text64(stmt_.get(), parameter, value.empty() ? "" : value.data(), value.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

bool Statement::step() {
  int code = sqlite3_step(stmt_.get());
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code != SQLITE_DONE) {
    fail(code);
  }
  sqlite3_reset(stmt_.get());
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

int Statement::columns() const { return sqlite3_column_count(stmt_.get()); }
int64_t Statement::integer(int column) const { return sqlite3_column_int64(stmt_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(stmt_.get(), column); }
int Statement::type(int column) const { return sqlite3_column_type(stmt_.get(), column); }

std::string Statement::text(int column) const {
  const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(stmt_.get(), column));
  return p ? std::string(p, static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), column))) : std::string();
}

void Database::Close::operator()(sqlite3* db) const { sqlite3_close(db); }

Database::Database(const std::filesystem::path& file, Mode mode) : file_(file.string()) {
  // Also for reading: a reader must be able to undo what a killed writer left half done. SQLite falls back to
  // reading when it may not write.
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | (mode == Mode::kCreate ? SQLITE_OPEN_CREATE : 0);
  if (const std::string why = mode == Mode::kCreate ? "" : unusable(file); !why.empty()) {
    throw Error(fmt::format("{}: {}", file_, why));
  }
  sqlite3* raw = nullptr;
  int code = sqlite3_open_v2(file_.c_str(), &raw, flags, nullptr);
  db_.reset(raw);
  if (code != SQLITE_OK) {
    // SQLite has tried to read what it could not write, and would tell why that failed.
    const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
    if (mode == Mode::kCreate && !std::filesystem::exists(file) && access(folder.c_str(), W_OK) != 0) {
      throw Error(fmt::format("{}: cannot open the database: cannot write to {} ({})", file_, folder,
                              std::generic_category().message(errno)));
    }
    throw Error(fmt::format("{}: cannot open the database: {}", file_, reason(raw, code)));
  }
  set_patience(kPatience);
  if (mode == Mode::kRead) {
    execute("PRAGMA query_only = ON");
  } else if (sqlite3_db_readonly(raw, "main") == 1) {
    throw Error(fmt::format("{}: the file is read-only", file_));
  }
}

void Database::set_patience(std::chrono::milliseconds time) {
  sqlite3_busy_timeout(db_.get(), static_cast<int>(time.count()));
}

void Database::execute(const std::string& sql) {
  if (int code = sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK) {
    throw Error(fmt::format("{}: {}", file_, reason(db_.get(), code)));
  }
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* s = nullptr;
  int code = sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()), &s, nullptr);
  if (code != SQLITE_OK) {
    throw Error(fmt::format("{}: {}", file_, reason(db_.get(), code)));
  }
  return Statement(file_, s);
}

int64_t Database::integer(std::string_view sql) {
  Statement s = prepare(sql);
  return s.step() ? s.integer(0) : 0;
}

int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(db_.get()); }

Transaction::Transaction(Database& db) : db_(db) { db.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (open_) {
    // After some errors (disk full) SQLite has already rolled back; a second ROLLBACK then fails, which is
    // fine.
    sqlite3_exec(db_.db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  db_.execute("COMMIT");
  open_ = false;
}

}  // namespace heddle::analysis
