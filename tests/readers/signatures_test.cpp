// SPDX-License-Identifier: Apache-2.0
// Each known error text is found in its own examples, and not in what only looks like it.
#include <doctest/doctest.h>

#include "examples.hpp"
#include "reader.hpp"

using namespace gpudoctor;

TEST_CASE("every signature finds its examples") {
  const Node& document = test::documents().at("signatures.toml");
  const Signatures signatures(document);
  const auto found = [&](const std::string& text, const std::string& name) {
    Facts facts;
    read_paste(text, "example", signatures, facts);
    return facts.find("symptom", name) != nullptr;
  };
  for (const auto& row : document.find("signature")->items) {
    INFO("signatures.toml:" << row.line << " " << row.get("name"));
    for (const auto& text : row.list("fires")) CHECK_MESSAGE(found(text, row.get("name")), text);
    for (const auto& text : row.list("quiet")) CHECK_MESSAGE(!found(text, row.get("name")), text);
  }
}

TEST_CASE("every statement is heard in its examples") {
  const Node& document = test::documents().at("signatures.toml");
  for (const auto& row : document.find("statement")->items) {
    Node alone = document;
    std::erase_if(alone.fields, [](const auto& field) { return field.first == "signature" || field.first == "statement"; });
    Node list;
    list.form = Node::Form::list, list.items = {row};
    alone.fields.emplace_back("statement", list);
    const Signatures signatures(alone);
    const auto heard = [&](const std::string& text) {
      Facts facts;
      read_paste(text, "example", signatures, facts);
      for (const auto& [key, form] : row.find("asserts")->fields)
        for (const Entity* entity : facts.of(key.substr(0, key.find('.'))))
          if (entity->has(key.substr(key.find('.') + 1))) return true;
      return false;
    };
    INFO("signatures.toml:" << row.line << " " << row.get("name"));
    for (const auto& text : row.list("fires")) CHECK_MESSAGE(heard(text), text);
    for (const auto& text : row.list("quiet")) CHECK_MESSAGE(!heard(text), text);
  }
}

TEST_CASE("an error text that is wrapped, quoted and coloured is the same text") {
  const Signatures signatures(test::documents().at("signatures.toml"));
  Facts facts;
  read_paste("> \x1b[31mFailed to initialize NVML: Driver/library\r\n> version   mismatch\x1b[0m\r\n> NVML library version: 535.183\r\n", "ticket", signatures, facts);
  const Entity* symptom = facts.find("symptom", "nvml-mismatch");
  REQUIRE(symptom);
  CHECK(symptom->find("text")->witnesses.front().source == "ticket:1 (error text)");
  CHECK(facts.find("driver")->get("nvml_version") == "535.183");
}
