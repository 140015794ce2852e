// The little of SQLite's C interface that the result store needs, with owners and exceptions.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::analysis {

// A prepared statement. Parameters and columns count from 1 and 0, as in SQLite.
class Statement {
 public:
  Statement& bind(int parameter, int64_t value);
  Statement& bind(int parameter, uint64_t value) { return bind(parameter, static_cast<int64_t>(value)); }
  Statement& bind(int parameter, uint32_t value) { return bind(parameter, static_cast<int64_t>(value)); }
  Statement& bind(int parameter, int value) { return bind(parameter, static_cast<int64_t>(value)); }
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view value);

  // True while there is a row.
  bool step();
  // Executes a statement that returns no rows and makes it ready for the next use.
  void run();

  int columns() const;
  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  // SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL.
  int type(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  Statement(std::string file, sqlite3_stmt* s) : file_(std::move(file)), stmt_(s) {}
  [[noreturn]] void fail(int code) const;
  void check(int code) const;

  std::string file_;
  std::unique_ptr<sqlite3_stmt, Finalize> stmt_;
};

// An open database file. Every failure is a heddle::Error "FILE: what".
class Database {
 public:
  enum class Mode { kRead, kWrite, kCreate };
  Database(const std::filesystem::path& file, Mode mode);

  // How long to wait for a lock that another program holds; at first four seconds.
  void set_patience(std::chrono::milliseconds time);

  void execute(const std::string& sql);
  Statement prepare(std::string_view sql);
  // The first column of the first row.
  int64_t integer(std::string_view sql);
  int64_t last_insert_id() const;
  const std::string& file() const { return file_; }

 private:
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* db) const;
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> db_;
};

// Takes the write lock; what was not committed is undone at the end of the scope.
class Transaction {
 public:
  explicit Transaction(Database& db);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& db_;
  bool open_ = true;
};

}  // namespace heddle::analysis
