// SPDX-License-Identifier: Apache-2.0
// rpm's data base since 4.16: SQLite, with the headers of the packages as blobs, and their names in a table of its own.
#include <sqlite3.h>

#include <memory>

#include "dpkg.hpp"
#include "rpm.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr int most_steps = 20'000;          // of 1000 virtual-machine instructions; 3,000 packages take about 20
constexpr std::size_t most_packages = 400;  // of interest

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

/// The data base may be anybody's: its schema is not trusted, it may not call functions, and it has to come to an end.
Database open(const Descriptor& file, int& steps) {
  sqlite3* raw = nullptr;
  const auto name = "file:/proc/self/fd/" + std::to_string(file.get()) + "?mode=ro&immutable=1";
  const int status = sqlite3_open_v2(name.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw);
  if (status != SQLITE_OK) return nullptr;
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 256 << 20);
  sqlite3_progress_handler(raw, 1000, [](void* count) { return ++*static_cast<int*>(count) > most_steps ? 1 : 0; }, &steps);
  return database;
}

Statement prepare(const Database& database, const char* query) {
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(database.get(), query, -1, &raw, nullptr);
  return Statement(raw);
}

Miss unreadable(const Database& database) { return Miss{Why::malformed, std::string("no data base of rpm: ") + printable(sqlite3_errmsg(database.get()))}; }

/// rpm names that dpkg has not: RPM Fusion's and SUSE's.
bool of_interest(std::string_view name) {
  for (const std::string_view start : {"akmod-nvidia", "kmod-nvidia", "xorg-x11-drv-nvidia", "glibc"})
    if (name.starts_with(start)) return name != "glibc-common" && !name.starts_with("glibc-");
  return package_of_interest(name);
}

void add(const RpmPackage& package, std::vector<std::string>& lines) {
  lines.push_back("package\t" + package.name + "\t" + package.version + "\t" + package.architecture);
  for (const auto& path : dpkg_paths_of_interest(joined(package.files, "\n"))) lines.push_back("file\t" + package.name + "\t" + path);
}

}  // namespace

Result<std::vector<std::string>> rpm_packages_of_interest(const Descriptor& file) {
  int steps = 0;
  const Database database = open(file, steps);
  if (!database) return Miss{Why::malformed, "no SQLite data base"};
  std::vector<sqlite3_int64> wanted;
  const Statement names = prepare(database, "SELECT hnum, key FROM Name ORDER BY key, hnum");
  if (!names) return unreadable(database);
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(names.get())) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(names.get(), 1));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(names.get(), 1));
    if (text && wanted.size() < most_packages && of_interest({text, size})) wanted.push_back(sqlite3_column_int64(names.get(), 0));
  }
  if (status != SQLITE_DONE) return unreadable(database);
  const Statement header = prepare(database, "SELECT blob FROM Packages WHERE hnum = ?1");
  if (!header) return unreadable(database);
  std::vector<std::string> lines;
  for (const auto number : wanted) {
    sqlite3_reset(header.get());
    sqlite3_bind_int64(header.get(), 1, number);
    status = sqlite3_step(header.get());
    if (status == SQLITE_DONE) continue;
    if (status != SQLITE_ROW) return unreadable(database);
    const auto* blob = static_cast<const char*>(sqlite3_column_blob(header.get(), 0));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(header.get(), 0));
    if (const auto package = blob ? parse_rpm_header({blob, size}) : std::nullopt) add(*package, lines);
  }
  return lines;
}

}  // namespace gpudoctor
