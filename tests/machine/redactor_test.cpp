// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "machines.hpp"

using namespace gpudoctor;

namespace {

std::unique_ptr<Machine> alices() {
  return open_recording(parse_toml("[recording]\nformat = 1\n[variables]\nHOME = '/data/alice'\nUSER = 'alice'\n[files]\n'/proc/sys/kernel/hostname' = \"atlas7\\n\"\n", "m"), "m");
}

}  // namespace

TEST_CASE("names of users and hosts become the same pseudonym everywhere") {
  Redactor redact(*alices());
  const auto text = redact("/home/bob/venv /data/alice/x on atlas7, then /home/bob/y and malice");
  CHECK(text.find("bob") == std::string::npos);
  CHECK(text.find("atlas7") == std::string::npos);
  CHECK(text.find("/data/alice") == std::string::npos);
  CHECK(text.find("malice") != std::string::npos);
  const auto first = text.substr(6, text.find('/', 6) - 6);
  CHECK(text.find("/home/" + first + "/y") != std::string::npos);
}

TEST_CASE("UUIDs are replaced, versions and hashes are not") {
  Redactor redact(*alices());
  const auto text = redact("GPU-1a2b3c4d-1111-2222-3333-444455556666 MIG-1a2b3c4d-1111-2222-3333-444455556666 11.11.3.6 deadbeef-cafe");
  CHECK(text == "GPU-00000000-0000-0000-0000-000000000001 MIG-00000000-0000-0000-0000-000000000001 11.11.3.6 deadbeef-cafe");
}
