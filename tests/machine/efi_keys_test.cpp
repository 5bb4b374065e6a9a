// SPDX-License-Identifier: Apache-2.0
#include "efi_keys.hpp"

#include <doctest/doctest.h>

using namespace gpudoctor;

namespace {

std::string number(std::size_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

std::string name(const std::string& text) { return std::string("\x06\x03\x55\x04\x03\x0c", 6) + static_cast<char>(text.size()) + text; }

/// One EFI_SIGNATURE_LIST with one X.509 certificate (UEFI specification, 32.4.1).
std::string list(const std::string& certificate) {
  const std::string x509("\xa1\x59\xc0\xa5\xe4\x94\xa7\x4a\x87\xb5\xab\x15\x5c\x2b\xf0\x72", 16);
  return x509 + number(28 + 16 + certificate.size()) + number(0) + number(16 + certificate.size()) + std::string(16, 'o') + certificate;
}

std::string variable(const std::string& lists) { return std::string("\x06\0\0\0", 4) + lists; }

}  // namespace

TEST_CASE("the names of the keys in MokListRT") {
  const auto keys = efi_key_names(variable(list("0..." + name("Debian Secure Boot CA") + "..." + name("Debian Secure Boot CA")) +
                                           list(name("DKMS module signing key"))));
  REQUIRE(keys);
  CHECK(*keys == std::vector<std::string>{"key=Debian Secure Boot CA", "key=DKMS module signing key"});
}

TEST_CASE("no keys, hashes only, and what is no list") {
  REQUIRE(efi_key_names(variable("")));
  CHECK(efi_key_names(variable(""))->empty());
  const std::string hashes = std::string(16, 'h') + number(28 + 48) + number(0) + number(48) + std::string(48, 'x');
  REQUIRE(efi_key_names(variable(hashes)));
  CHECK(efi_key_names(variable(hashes))->empty());
  CHECK_FALSE(efi_key_names("abc"));
  CHECK_FALSE(efi_key_names(variable("short")));
  CHECK_FALSE(efi_key_names(variable(std::string(16, 'h') + number(0xffffffff) + number(0) + number(48))));
  CHECK_FALSE(efi_key_names(variable(std::string(16, 'h') + number(28) + number(0) + number(0))));
}

TEST_CASE("a variable that is cut short anywhere gives keys or a reason") {
  const auto whole = variable(list(name("A key")) + list(name("Another key")));
  for (std::size_t size = 0; size < whole.size(); ++size) (void)efi_key_names(std::string_view(whole).substr(0, size));
  CHECK(common_names("\x06\x03\x55\x04\x03").empty());
  CHECK(common_names(std::string("\x06\x03\x55\x04\x03\x0c\x7f", 7) + "short").empty());
}
