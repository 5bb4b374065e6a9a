// SPDX-License-Identifier: Apache-2.0
#include "gpudoctor/facts.hpp"

#include <algorithm>
#include <stdexcept>

#include "text.hpp"

namespace gpudoctor {

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t x = i, y = j;
      while (x < a.size() && digit(a[x])) ++x;
      while (y < b.size() && digit(b[y])) ++y;
      auto m = a.substr(i, x - i), n = b.substr(j, y - j);
      m.remove_prefix(std::min(m.find_first_not_of('0'), m.size()));
      n.remove_prefix(std::min(n.find_first_not_of('0'), n.size()));
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
      i = x, j = y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

Fact& Entity::slot(std::string_view fact) {
  const auto found = facts_.find(fact);
  if (found != facts_.end()) return found->second;
  if (!declaration(id_.kind + "." + std::string(fact)))
    throw std::logic_error("undeclared fact " + id_.kind + "." + std::string(fact));
  return facts_.emplace(std::string(fact), Fact{}).first->second;
}

namespace {

void add_witness(Fact& fact, Witness witness) {
  const auto after = std::upper_bound(fact.witnesses.begin(), fact.witnesses.end(), witness,
                                      [](const Witness& a, const Witness& b) { return a.rank < b.rank; });
  fact.witnesses.insert(after, std::move(witness));
}

}  // namespace

Entity& Entity::known(std::string_view name, std::string value, Witness witness) {
  Fact& fact = slot(name);
  witness.value = value;
  const bool better = fact.state != State::known || witness.rank < fact.witnesses.front().rank;
  bool finer = false;
  if (!better && value.size() > fact.text.size() && value.starts_with(fact.text)) {
    const auto* declared = declaration(id_.kind + "." + std::string(name));
    finer = declared->type == Type::version && declared->scheme == Scheme::dotted && value[fact.text.size()] == '.';
  }
  if (better || finer) {
    // A coarser value of a better witness does not take precision away ("580.159" of NVML after 580.159.03 on disk).
    const bool coarser = better && fact.state == State::known && fact.text.starts_with(value + ".");
    if (!coarser) fact.text = std::move(value);
    fact.state = State::known;
    fact.reason.clear();
  }
  if (witness.rank == Rank::prose && fact.witnesses.empty()) fact.sure = false;
  if (witness.rank < Rank::prose && better) fact.sure = true;
  add_witness(fact, std::move(witness));
  return *this;
}

Entity& Entity::known(std::string_view name, std::vector<std::string> items, Witness witness) {
  const Fact* before = find(name);
  const bool better = !before || before->state != State::known || witness.rank < before->witnesses.front().rank;
  known(name, joined(items, " "), std::move(witness));
  if (better) slot(name).list = std::move(items);
  return *this;
}

Entity& Entity::absent(std::string_view name, Witness witness) {
  Fact& fact = slot(name);
  if (fact.state == State::known) return *this;
  fact.state = State::absent;
  fact.reason.clear();
  add_witness(fact, std::move(witness));
  return *this;
}

Entity& Entity::unknown(std::string_view name, std::string reason) {
  Fact& fact = slot(name);
  if (fact.state == State::unknown && fact.reason.empty()) fact.reason = std::move(reason);
  return *this;
}

Entity& Entity::missed(std::string_view name, const Miss& miss, const std::string& source) {
  if (miss.why == Why::absent) return absent(name, {Rank::measured, source, 0, {}});
  return unknown(name, source + ": " + miss.says);
}

Entity& Entity::unsure(std::string_view name) {
  if (find(name)) slot(name).sure = false;
  return *this;
}

Entity& Entity::assume(std::string_view name, std::string value, std::string source) {
  Fact& fact = slot(name);
  fact = Fact{};
  return known(name, std::move(value), {Rank::assumed, std::move(source), 0, {}});
}

const Fact* Entity::find(std::string_view fact) const {
  const auto found = facts_.find(fact);
  return found == facts_.end() ? nullptr : &found->second;
}

bool Entity::has(std::string_view fact) const {
  const Fact* found = find(fact);
  return found && found->state == State::known;
}

std::string Entity::get(std::string_view fact) const { return has(fact) ? find(fact)->text : std::string(); }

std::vector<std::string> Entity::items(std::string_view fact) const {
  return has(fact) ? find(fact)->list : std::vector<std::string>();
}

Version Entity::version(std::string_view fact) const {
  const auto* declared = declaration(id_.kind + "." + std::string(fact));
  return Version(get(fact), declared ? declared->scheme : Scheme::dotted);
}

void Entity::parent(const Id& id) {
  if (std::find(parents_.begin(), parents_.end(), id) == parents_.end()) parents_.push_back(id);
}

bool Facts::Natural::operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }

Entity& Facts::at(const std::string& kind, const std::string& key) {
  auto& entities = kinds_[kind];
  auto found = entities.find(key);
  if (found == entities.end()) found = entities.emplace(key, Entity(Id{kind, key})).first;
  return found->second;
}

const Entity* Facts::find(const std::string& kind, const std::string& key) const {
  const auto entities = kinds_.find(kind);
  if (entities == kinds_.end()) return nullptr;
  const auto found = entities->second.find(key);
  return found == entities->second.end() ? nullptr : &found->second;
}

const Entity* Facts::find(const Id& id) const { return find(id.kind, id.key); }
Entity* Facts::find(const Id& id) { return const_cast<Entity*>(std::as_const(*this).find(id.kind, id.key)); }

std::vector<const Entity*> Facts::of(const std::string& kind) const {
  std::vector<const Entity*> result;
  if (const auto entities = kinds_.find(kind); entities != kinds_.end())
    for (const auto& [key, entity] : entities->second) result.push_back(&entity);
  return result;
}

std::vector<Entity*> Facts::of(const std::string& kind) {
  std::vector<Entity*> result;
  if (const auto entities = kinds_.find(kind); entities != kinds_.end())
    for (auto& [key, entity] : entities->second) result.push_back(&entity);
  return result;
}

void Facts::drop(const Id& id) {
  if (const auto entities = kinds_.find(id.kind); entities != kinds_.end()) entities->second.erase(id.key);
}

void Facts::looked(const std::string& kind) { looked_[kind] = true; }
void Facts::not_looked(const std::string& kind, std::string reason) { not_looked_.emplace(kind, std::move(reason)); }
void Facts::look_anew(const std::string& kind) { not_looked_.erase(kind), looked_[kind] = true; }
bool Facts::was_looked(const std::string& kind) const { return looked_.contains(kind) && !not_looked_.contains(kind); }

std::string Facts::why_not(const std::string& kind) const {
  const auto found = not_looked_.find(kind);
  return found == not_looked_.end() ? "not looked for" : found->second;
}

std::vector<const Entity*> Facts::all() const {
  std::vector<const Entity*> result;
  for (const auto& [kind, entities] : kinds_)
    for (const auto& [key, entity] : entities) result.push_back(&entity);
  return result;
}

namespace {

const Entity* ancestor(const Facts& facts, const Entity& from, const std::string& kind, int depth) {
  if (from.id().kind == kind) return &from;
  for (const auto& id : from.parents())
    if (const Entity* up = facts.find(id); up && depth > 0)
      if (const Entity* found = ancestor(facts, *up, kind, depth - 1)) return found;
  return nullptr;
}

}  // namespace

const Entity* Facts::nearest(const Entity& from, const std::string& kind) const {
  const Entity* found = ancestor(*this, from, kind, 4);
  return found ? found : find(kind, "");   // host, driver, container: the only one of its kind
}

}  // namespace gpudoctor
