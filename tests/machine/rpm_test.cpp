// SPDX-License-Identifier: Apache-2.0
#include "rpm.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/string_file.hpp>

using namespace gpudoctor;
namespace fs = boost::filesystem;

namespace {

std::string be32(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// A header of rpm: name, version, release, architecture, epoch and two files.
std::string header(const std::string& name) {
  struct Entry { std::size_t tag, type, count; std::string data; };
  const std::string nul(1, '\0');
  const std::vector<Entry> entries{{1000, 6, 1, name + nul}, {1001, 6, 1, "580.95.05" + nul}, {1002, 6, 1, "1.fc42" + nul}, {1022, 6, 1, "x86_64" + nul},
                                   {1117, 8, 2, "libcuda.so.1" + nul + "README" + nul}, {1118, 8, 1, "/usr/lib64/" + nul},
                                   {1003, 4, 1, be32(3)}, {1116, 4, 2, be32(0) + be32(0)}};
  std::string index, data;
  for (const auto& entry : entries) {
    index += be32(entry.tag) + be32(entry.type) + be32(data.size()) + be32(entry.count);
    data += entry.data;
  }
  return be32(entries.size()) + be32(data.size()) + index + data;
}

struct Database {
  fs::path path = fs::temp_directory_path() / fs::unique_path("gpudoctor-rpm-%%%%%%%%");
  ~Database() { fs::remove(path); }
  void run(const std::string& query) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, query.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  }
  Result<std::vector<std::string>> read() { return rpm_packages_of_interest(Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))); }
};

std::string hex(const std::string& bytes) {
  std::string result;
  for (const char c : bytes)
    for (const int shift : {4, 0}) result += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
  return "x'" + result + "'";
}

const std::string tables = "PRAGMA journal_mode = WAL; CREATE TABLE Packages(hnum INTEGER PRIMARY KEY, blob BLOB NOT NULL); CREATE TABLE Name(key TEXT, hnum INTEGER, idx INTEGER);";

}  // namespace

TEST_CASE("a header of rpm") {
  const auto package = parse_rpm_header(header("nvidia-driver-libs"));
  REQUIRE(package);
  CHECK(package->name == "nvidia-driver-libs");
  CHECK(package->version == "3:580.95.05-1.fc42");
  CHECK(package->architecture == "x86_64");
  CHECK(package->files == std::vector<std::string>{"/usr/lib64/libcuda.so.1", "/usr/lib64/README"});
}

TEST_CASE("a header that is cut short or lies is no package, or one with less in it") {
  const auto whole = header("nvidia-driver-libs");
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(parse_rpm_header(std::string_view(whole).substr(0, size)));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = '\xff';
    (void)parse_rpm_header(changed);
  }
  CHECK_FALSE(parse_rpm_header(std::string(64, '\xff')));
}

TEST_CASE("packages of interest in rpm's data base, which is in WAL mode") {
  Database database;
  database.run(tables + "INSERT INTO Packages VALUES(1, " + hex(header("nvidia-driver-libs")) + "), (2, " + hex(header("bash")) + ");"
               "INSERT INTO Name VALUES('nvidia-driver-libs', 1, 0), ('bash', 2, 0), ('kmod-nvidia', 77, 0);");
  const auto lines = database.read();
  REQUIRE(lines);
  CHECK(*lines == std::vector<std::string>{"package\tnvidia-driver-libs\t3:580.95.05-1.fc42\tx86_64", "file\tnvidia-driver-libs\t/usr/lib64/libcuda.so.1"});
}

TEST_CASE("what is no data base of rpm gives a reason") {
  Database database;
  database.run("CREATE TABLE Other(x)");
  CHECK_FALSE(database.read());
  fs::save_string_file(database.path, std::string(5000, 'x'));
  CHECK_FALSE(database.read());
  fs::save_string_file(database.path, "");
  CHECK_FALSE(database.read());
  Database endless;
  endless.run(tables + "DROP TABLE Name; CREATE VIEW Name AS WITH RECURSIVE x(hnum, key) AS (SELECT 1, 'a' UNION ALL SELECT hnum + 1, 'a' FROM x) SELECT * FROM x;");
  CHECK_FALSE(endless.read());
}
