// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "examples.hpp"
#include "judge.hpp"
#include "local.hpp"
#include "matrix.hpp"
#include "relation.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {
const char* const row_2_99 = "table = 'torch'\n[source]\nmeasured = 'mine'\n[[release]]\ntorch = '2.99.0'\npython = '3.10-3.14'\nsource = 'measured'\n"
                             "[[release.variant]]\ntag = 'cu130'\ncuda = '13.0.2'\narchs.linux-x86_64 = '8.0 9.0'\n";
}

TEST_CASE("a local row is known as a built-in one is, and names its own source") {
  auto documents = test::documents();
  const auto own = test::toml(row_2_99);
  CHECK(verify_local(documents, "a.toml", own).empty());
  CHECK(lay_over(documents, "a.toml", own).rows == 1);
  const Knowledge knowledge(documents);
  const Matrix matrix(knowledge);
  CHECK(contains(matrix.witness("torch", matrix.torch("2.99.0")).source, "mine"));
  CHECK_FALSE(contains(matrix.witness("torch", matrix.torch("2.11.0")).source, "mine"));
  Facts facts = test::facts_of(test::toml("torch = { version = '2.99.0+cu130' }"));
  derive(matrix, facts);
  CHECK_FALSE(test::has(judge(knowledge, facts, {}), "version-newer-than-matrix"));
}

TEST_CASE("a row with the key of a listed one replaces it, its other variants stay") {
  auto documents = test::documents();
  const auto size = documents["tables/torch.toml"].find("release")->items.size();
  lay_over(documents, "a.toml", test::toml("table='torch'\n[[release]]\ntorch='2.11.0'\nglibc='9.9'\nsource='measured'\n[[release.variant]]\ntag='cu130'\ncuda='13.0.9'\n"));
  const Knowledge knowledge(documents);
  const Matrix matrix(knowledge);
  CHECK(documents["tables/torch.toml"].find("release")->items.size() == size);
  const Row row = matrix.torch("2.11.0");
  CHECK(row.get("glibc") == "9.9");
  CHECK(matrix.variant(row, "cu130").get("cuda") == "13.0.9");
  CHECK(matrix.variant(row, "cu126").get("cuda") == "12.6.3");
}

TEST_CASE("a rule and a finding of a site") {
  auto documents = test::documents();
  const auto own = test::toml("[finding.site-old-driver]\nseverity='warning'\ntitle='t'\nsays='s'\nmeans='m'\n[[rule]]\nfinding='site-old-driver'\neach='driver'\nwhen=['branch < 570']\n");
  CHECK(joined(verify_local(documents, "site.toml", own), "\n") == "");
  CHECK(lay_over(documents, "site.toml", own).rules == 1);
  const Knowledge knowledge(documents);
  CHECK(test::has(judge(knowledge, test::derived(test::toml("driver = '535.183.01'")), {}), "site-old-driver"));
}

TEST_CASE("faults of a local file have their place") {
  const auto faults = [](const char* text) { return joined(verify_local(test::documents(), "x.toml", parse_toml(text, "x.toml")), "\n"); };
  CHECK(contains(faults("table = 'torch'\n[[release]]\ntorch = '3'\n"), "x.toml:2:1: a row without its source"));
  CHECK(contains(faults("table = 'torch'\n[[release]]\ntorch = '3'\nsource = 'no'\n"), "source 'no' is not in [source]"));
  CHECK(contains(faults("table = 'torch'\n[[release]]\ntorch = '3'\nsource = 'pypi'\ncolour = 'red'\n"), "x.toml:5:10: unknown key 'colour'"));
  CHECK(contains(faults("table = 'nonsense'\n"), "'nonsense' is no table"));
  CHECK(contains(faults("[[release]]\ntorch = '3'\n"), "rows of a table need a line table = \"NAME\""));
  CHECK(contains(faults("[[rule]]\nfinding = 'no-such'\neach = 'driver'\nwhen = ['branch < 5']\n"), "'no-such' is not in findings.toml"));
}
