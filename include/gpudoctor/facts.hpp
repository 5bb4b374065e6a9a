// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/result.hpp"
#include "gpudoctor/version.hpp"

namespace gpudoctor {

/// What a fact's text means; it decides how it is compared, redacted and put into a command.
enum class Type {
  version,  ///< ordered by the scheme of its declaration
  word,     ///< one of a closed set of words ("open", "proprietary")
  flag,     ///< "yes" or "no"
  number,   ///< a whole number
  text,     ///< free text, never put into a command
  name,     ///< a product's or package's name
  path,     ///< shown with ~ for the home folder
  address,  ///< a bus address
  list,     ///< several words or versions
};

/// One row of the list of all facts (src/core/declared.cpp), the only place where a fact comes into being.
struct Declaration {
  const char* key;  ///< "kind.fact"
  Type type;
  const char* says;                  ///< one sentence
  Scheme scheme = Scheme::dotted;    ///< for Type::version
};
const std::vector<Declaration>& declarations();
const Declaration* declaration(std::string_view key);

/// How much a witness is worth, best first.
enum class Rank { measured, verdict, tool, assumed, table, prose };
const char* word(Rank rank);

/// Where a value was seen. `source` is a path, a command or a table row; `line` is 0 when it has none.
struct Witness {
  Rank rank = Rank::measured;
  std::string source;
  int line = 0;
  std::string value;  ///< what this witness said; filled in by Entity
};

enum class State { known, absent, unknown };

struct Fact {
  State state = State::unknown;
  std::string text;               ///< the value; for a list, its items joined by spaces
  std::vector<std::string> list;  ///< the items, only for Type::list
  std::string reason;             ///< why it is unknown
  bool sure = true;               ///< false: rests on prose or on a low-confidence row; a verdict becomes "likely"
  std::vector<Witness> witnesses;  ///< best rank first
  bool known() const { return state == State::known; }
};

/// What something is, and which of them: kind "env" and key "/home/x/venv". `shown` is the name for people.
struct Id {
  std::string kind, key;
  auto operator<=>(const Id&) const = default;
};

class Entity {
 public:
  Entity(Id id) : id_(std::move(id)), shown_(id_.key) {}  // NOLINT
  const Id& id() const { return id_; }
  const std::string& shown() const { return shown_; }
  void show_as(std::string text) { shown_ = std::move(text); }

  /// Adds a witness. A better rank wins; of equal ranks the first; a version that only adds precision is taken.
  Entity& known(std::string_view fact, std::string value, Witness witness);
  Entity& known(std::string_view fact, std::vector<std::string> items, Witness witness);
  /// Looked, and it is not there. Does not displace a known value.
  Entity& absent(std::string_view fact, Witness witness);
  Entity& unknown(std::string_view fact, std::string reason);
  /// What a miss means: absent, or unknown with its reason.
  Entity& missed(std::string_view fact, const Miss& miss, const std::string& source);
  /// Marks a fact as resting on something less than certain.
  Entity& unsure(std::string_view fact);
  /// Replaces whatever was seen (--assume-…).
  Entity& assume(std::string_view fact, std::string value, std::string source);

  const Fact* find(std::string_view fact) const;
  /// The text of a known fact, else empty.
  std::string get(std::string_view fact) const;
  std::vector<std::string> items(std::string_view fact) const;
  Version version(std::string_view fact) const;
  bool is(std::string_view fact, std::string_view value) const { return get(fact) == value && has(fact); }
  bool has(std::string_view fact) const;

  const std::map<std::string, Fact, std::less<>>& facts() const { return facts_; }
  void parent(const Id& id);
  const std::vector<Id>& parents() const { return parents_; }

 private:
  Fact& slot(std::string_view fact);
  Id id_;
  std::string shown_;
  std::map<std::string, Fact, std::less<>> facts_;
  std::vector<Id> parents_;
};

/// All that is known about one machine. Entities keep their address; order is by kind, then natural key.
class Facts {
 public:
  /// Finds or creates.
  Entity& at(const std::string& kind, const std::string& key = {});
  const Entity* find(const std::string& kind, const std::string& key = {}) const;
  Entity* find(const Id& id);
  const Entity* find(const Id& id) const;
  /// All of a kind in natural order ("GPU 2" before "GPU 10").
  std::vector<const Entity*> of(const std::string& kind) const;
  std::vector<Entity*> of(const std::string& kind);
  void drop(const Id& id);

  /// Says that all of this kind were looked for: an empty collection is then knowledge.
  void looked(const std::string& kind);
  /// Says why this kind could not be looked for, or not wholly.
  void not_looked(const std::string& kind, std::string reason);
  /// Forgets that a kind could not be looked for (an assumption replaces it).
  void look_anew(const std::string& kind);
  bool was_looked(const std::string& kind) const;
  /// Why a kind was not looked for; "not looked for" when nobody said.
  std::string why_not(const std::string& kind) const;

  std::vector<const Entity*> all() const;

  /// The nearest entity of a kind: the entity itself, one of its ancestors, or the only one of its kind (host, driver …).
  const Entity* nearest(const Entity& from, const std::string& kind) const;

 private:
  struct Natural { bool operator()(const std::string& a, const std::string& b) const; };
  std::map<std::string, std::map<std::string, Entity, Natural>> kinds_;
  std::map<std::string, std::string> not_looked_;
  std::map<std::string, bool> looked_;
};

/// "a2" before "a10".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace gpudoctor
