// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

bool same(std::string_view a, std::string_view b) { return lower(a) == lower(b); }

bool name_has(const Row& row, const std::string& plain) {
  const auto names = row.list("names");
  return std::any_of(names.begin(), names.end(), [&plain](const auto& name) { return plain_gpu_name(name) == plain; });
}

// "a100" names "a100-sxm4-40gb", "rtx 6000" does not name "rtx 6000 ada generation": only a form factor or a size may follow.
bool name_starts(const Row& row, const std::string& plain) {
  const auto names = row.list("names");
  return std::any_of(names.begin(), names.end(), [&plain](const auto& name) {
    const auto other = plain_gpu_name(name);
    return other.size() > plain.size() && other.starts_with(plain) && (other[plain.size()] == '-' || other[plain.size()] == ' ');
  });
}

template <class Match>
Row the_only(const std::vector<Row>& rows, const char* key, Match&& match) {
  Row found;
  for (const auto& row : rows) {
    if (!match(row)) continue;
    if (found && found.get(key) != row.get(key)) return {};   // one name, several chips: only the device id decides
    if (!found) found = row;
  }
  return found;
}

}  // namespace

std::string plain_gpu_name(std::string_view name) {
  std::string plain = lower(trim(name));
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view maker : {"nvidia ", "geforce ", "tesla ", "quadro ", "amd ", "radeon ", "instinct ", "advanced micro devices, inc. "})
      if (plain.starts_with(maker) && plain.size() > maker.size()) plain.erase(0, maker.size()), more = true;
  }
  return plain;
}

std::vector<std::string> arch_words(std::string_view list) {
  std::vector<std::string> result, ptx;
  for (const auto word : words(list)) {
    const auto plus = word.find("+PTX");
    result.push_back("sm_" + sm_digits(word.substr(0, plus)));
    if (plus != std::string_view::npos) ptx.push_back("compute_" + sm_digits(word.substr(0, plus)));
  }
  result.insert(result.end(), ptx.begin(), ptx.end());
  return result;
}

std::string sm_digits(std::string_view cc) {
  std::string digits;
  for (char c : cc)
    if (c != '.') digits += c;
  return digits;
}

std::string cc_of_sm(std::string_view sm) {
  std::string digits;
  for (char c : sm.substr(sm.find('_') + 1))
    if (c >= '0' && c <= '9') digits += c;
  return digits.size() < 2 ? std::string() : digits.substr(0, digits.size() - 1) + "." + digits.back();
}

bool in_range(const std::string& range, const std::string& version) {
  if (version.empty() || range.empty() || range == "-") return true;
  const auto dash = range.find('-');
  const auto from = range.substr(0, dash), to = dash == std::string::npos ? from : range.substr(dash + 1);
  if (!Version(from.empty() ? to : from).valid()) return version == range;   // 0.0.22.post7
  // An end counts as far as it is written: "3.9-3.13" holds 3.13.2.
  const auto within = [&version](const std::string& end) { return Version(Version(version).first(Version(end).parts().size())); };
  return (from.empty() || compare(within(from), Version(from)) != Order::less) && (to.empty() || compare(within(to), Version(to)) != Order::greater);
}

std::vector<Row> Matrix::rows(const std::string& table, const std::string& list) const {
  std::vector<Row> result;
  if (const Node* found = knowledge_.table(table).find(list))
    for (const auto& item : found->items) result.push_back(Row{&item});
  return result;
}

Row Matrix::nvidia_by_id(std::string_view device) const {
  for (const auto& row : rows("gpu", "nvidia"))
    if (same(row.get("id"), device)) return row;
  for (const auto& row : rows("gpu", "old")) {
    const auto ids = row.list("ids");
    if (std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return same(id, device); })) return row;
  }
  return {};
}

Row Matrix::amd_by_id(std::string_view device) const {
  for (const auto& row : rows("gpu", "amd"))
    if (same(row.get("id"), device)) return row;
  return {};
}

/// The same few names are asked for again and again, in a folder of reports as well as on one machine.
Row Matrix::remembered(const std::string& key, std::string_view name, Row (Matrix::*find)(std::string_view) const) const {
  if (by_name_.size() > 10'000) by_name_.clear();
  const auto [at, fresh] = by_name_.try_emplace(key + std::string(name));
  if (fresh) at->second = (this->*find)(name);
  return at->second;
}

Row Matrix::nvidia_by_name(std::string_view name) const { return remembered("nvidia ", name, &Matrix::find_nvidia); }
Row Matrix::amd_by_name(std::string_view name) const { return remembered("amd ", name, &Matrix::find_amd); }

Row Matrix::find_nvidia(std::string_view name) const {
  const auto all = rows("gpu", "nvidia");
  // As a driver prints it; older drivers leave "NVIDIA " out.
  const auto printed = [](std::string_view text) { return lower(text.starts_with("NVIDIA ") ? text.substr(7) : text); };
  const auto exact = [&](const Row& row) {
    const auto names = row.list("names");
    return std::any_of(names.begin(), names.end(), [&](const auto& one) { return printed(one) == printed(name); });
  };
  if (const Row row = the_only(all, "cc", exact)) return row;
  const auto plain = plain_gpu_name(name);
  if (const Row row = the_only(all, "cc", [&](const Row& r) { return name_has(r, plain); })) return row;
  return the_only(all, "cc", [&](const Row& r) { return name_starts(r, plain); });
}

Row Matrix::find_amd(std::string_view name) const {
  const auto all = rows("gpu", "amd");
  std::string plain = plain_gpu_name(name);
  if (const Row row = the_only(all, "gfx", [&](const Row& r) { return name_has(r, plain); })) return row;
  // "Radeon Graphics (Raphael)" and lspci's "Navi 31 [Radeon RX 7900 XT/7900 XTX]": what stands in brackets.
  for (const auto& [open, close] : {std::pair('(', ')'), std::pair('[', ']')}) {
    const auto start = plain.find(open), end = plain.find(close);
    if (start == std::string::npos || end == std::string::npos || end < start) continue;
    const auto inner = plain_gpu_name(plain.substr(start + 1, end - start - 1));
    if (const Row row = the_only(all, "gfx", [&](const Row& r) { return name_has(r, inner); })) return row;
  }
  return {};
}

Row Matrix::capability(std::string_view cc) const {
  for (const auto& row : rows("gpu", "cc"))
    if (row.get("cc") == cc) return row;
  return {};
}

Row Matrix::architecture(std::string_view cc) const {
  for (const auto& row : rows("driver", "arch")) {
    const auto list = row.list("cc");
    if (std::find(list.begin(), list.end(), cc) != list.end()) return row;
  }
  return {};
}

Row Matrix::branch(long number) const {
  for (const auto& row : rows("driver", "branch"))
    if (to_number(row.get("branch")) == number) return row;
  return {};
}

long Matrix::newest_branch() const {
  long newest = 0;
  for (const auto& row : rows("driver", "branch")) newest = std::max(newest, to_number(row.get("branch")));
  return newest;
}

long Matrix::branch_of(const Version& driver, bool windows) const {
  const long number = static_cast<long>(driver.major());
  constexpr long within = 4;   // so far a branch has never counted on further
  long found = number;
  if (windows && !branch(number))
    for (const auto& row : rows("driver", "branch"))
      if (const long listed = to_number(row.get("branch")); listed < number && number - listed <= within) found = listed;
  return found;
}

Row Matrix::first_driver(std::string_view device) const {
  for (const auto& row : rows("driver", "first"))
    if (same(row.get("device"), device)) return row;
  return {};
}

std::string Matrix::first_driver_of(std::string_view device, long branch) const {
  const Row row = device.empty() ? Row() : first_driver(device);
  const Node* firsts = row.verified() && row.node ? row.node->find("first") : nullptr;
  if (!firsts) return {};
  if (const auto first = firsts->get(std::to_string(branch)); !first.empty()) return first;
  // A branch without the device before the newest one that has it; newer branches were not read.
  long newest = 0;
  for (const auto& [name, version] : firsts->fields) newest = std::max(newest, to_number(name));
  return branch < newest ? "none" : "";
}

std::string Matrix::level(long branch) const {
  for (const auto& row : rows("cuda", "level"))
    if (to_number(row.get("branch")) == branch) return row.get("cuda");
  return {};
}

std::string Matrix::floor(const Version& cuda, const std::string& system, bool* sure) const {
  const auto [at, fresh] = floors_.try_emplace(cuda.text() + " " + system);
  if (fresh) at->second = find_floor(cuda, system);
  if (sure) *sure = at->second.sure;
  return at->second.driver;
}

std::string Matrix::own(const Version& cuda, const std::string& system, bool* sure) const {
  const auto [at, fresh] = owns_.try_emplace(cuda.text() + " " + system);
  if (fresh) at->second = find_own(cuda, system);
  if (sure) *sure = at->second.sure;
  return at->second.driver;
}

Matrix::Needed Matrix::find_floor(const Version& cuda, const std::string& system) const {
  const std::string release = cuda.first(2);
  for (const auto& row : rows("cuda", "release"))   // 11.0 and older have floors of their own
    if (const Node* own = row.node->find("floor"); own && row.verified() && Version(row.get("cuda")).first(2) == release) return {own->get(system), row.sure()};
  for (const auto& row : rows("cuda", "major"))
    if (const Node* driver = row.node->find("driver"); driver && row.verified() && row.get("cuda") == std::to_string(cuda.major())) return {driver->get(system), row.sure()};
  return {};
}

Matrix::Needed Matrix::find_own(const Version& cuda, const std::string& system) const {
  Needed lowest;
  for (const auto& row : rows("cuda", "release")) {
    const Node* driver = row.node->find("driver");
    const Version listed(row.get("cuda"));
    if (!driver || driver->get(system).empty() || !row.verified()) continue;
    if (cuda.parts().size() > 2 && compare(listed, cuda) == Order::equal) return {driver->get(system), row.sure()};
    if (listed.first(2) != cuda.first(2)) continue;
    if (lowest.driver.empty() || compare(Version(driver->get(system)), Version(lowest.driver)) == Order::less) lowest = {driver->get(system), row.sure()};
  }
  if (lowest.driver.empty() && system == "linux")
    for (const auto& row : rows("cuda", "level"))
      if (row.get("cuda") == cuda.first(2) && row.verified()) return {row.get("branch"), row.sure()};
  return lowest;
}

std::string Matrix::newest_cuda() const {
  std::string newest;
  for (const auto& row : rows("cuda", "release"))
    if (newest.empty() || compare(Version(newest), Version(row.get("cuda"))) == Order::less) newest = row.get("cuda");
  return newest;
}

Row Matrix::torch(const std::string& release) const {
  for (const auto& row : rows("torch", "release"))
    if (row.get("torch") == release) return row;
  return {};
}

std::vector<Row> Matrix::torches() const { return rows("torch", "release"); }

Row Matrix::variant(const Row& release, const std::string& tag) const {
  if (release)
    if (const Node* variants = release.node->find("variant"))
      for (const auto& item : variants->items)
        if (item.get("tag") == tag) return Row{&item};
  return {};
}

std::string Matrix::newest_torch() const {
  std::string newest;
  for (const auto& row : torches())
    if (row.verified() && (newest.empty() || compare(Version(newest), Version(row.get("torch"))) == Order::less)) newest = row.get("torch");
  return newest;
}

Row Matrix::conda_forge(const Version& release, const Version& cuda) const {
  for (const auto& row : rows("torch", "conda-forge")) {
    const auto range = row.get("torch");
    const auto dash = range.find('-');
    const Version from(range.substr(0, dash)), to(dash == std::string::npos ? range : range.substr(dash + 1));
    if (compare(release, from) == Order::less || compare(release, to) == Order::greater) continue;
    if (Version(row.get("cuda")).first(2) == cuda.first(2)) return row;
  }
  return {};
}

std::vector<Row> Matrix::framework(const std::string& name, const std::string& version) const {
  std::vector<Row> found;
  for (const auto& row : rows("framework", "release")) {
    if (row.get("framework") != name || !in_range(row.get("versions"), version)) continue;
    if (!found.empty() && found.front().get("versions") != row.get("versions")) found.clear();   // a later row is the nearer one
    found.push_back(row);
  }
  return found;
}

Row Matrix::rocm(const std::string& tag) const {
  for (const auto& row : rows("torch", "rocm"))
    if (row.get("tag") == tag) return row;
  return {};
}

std::vector<std::string> Matrix::rocm_targets(const Row& row, const std::string& torch) const {
  auto targets = row.list("gfx");
  if (const Node* lacks = row.node ? row.node->find("lacks") : nullptr)
    for (const auto& missing : lacks->list(Version(torch).first(2))) std::erase(targets, missing);
  return targets;
}

Witness Matrix::witness(const std::string& table, const Row& row) const {
  const Node& document = knowledge_.table(table);
  std::string source;
  const auto keys = row.list("source");
  if (!keys.empty()) {
    const Node* texts = document.find("source");
    source = texts ? texts->get(keys[0], keys[0]) : keys[0];
  }
  return {Rank::table, source + (source.empty() ? "" : ", ") + "matrix of " + document.get("date"), 0, {}};
}

}  // namespace gpudoctor
