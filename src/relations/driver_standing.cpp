// SPDX-License-Identifier: Apache-2.0
// The driver's three versions → the one that counts, what the matrix says of its branch, and who put the copies there.
#include <algorithm>
#include <set>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

void copy_fact(Entity& to, const char* name, const Fact& from) {
  to.known(name, from.text, from.witnesses.front());
  if (!from.sure) to.unsure(name);
}

void choose_version(Entity& driver) {
  for (const char* name : {"loaded", "on_disk", "libraries", "nvml_library"})
    if (const Fact* fact = driver.find(name); fact && fact->known()) return copy_fact(driver, "version", *fact);
  for (const char* name : {"loaded", "on_disk", "libraries"})
    if (const Fact* fact = driver.find(name); fact && fact->state == State::unknown && !fact->reason.empty())
      return void(driver.unknown("version", fact->reason));
  if (driver.find("libraries") || driver.find("on_disk")) driver.absent("version", {Rank::measured, "no module, no libraries", 0, {}});
}

void by_matrix(const Matrix& matrix, const Facts& facts, Entity& driver) {
  if (!driver.has("version")) {
    const Fact* version = driver.find("version");
    driver.unknown("branch", version && !version->reason.empty() ? version->reason : "there is no driver");
    return;
  }
  const Entity* host = facts.find("host");
  const bool windows = host && (host->is("wsl", "2") || host->is("system", "windows"));   // WSL's driver is that of Windows
  const long number = matrix.branch_of(driver.version("version"), windows);
  const Fact& version = *driver.find("version");
  driver.known("branch", std::to_string(number), {version.witnesses.front().rank, version.witnesses.front().source, 0, {}});
  if (!version.sure) driver.unsure("branch");
  const Row row = matrix.branch(number);
  driver.known("listed", row ? "yes" : "no", {Rank::table, "matrix of " + matrix.knowledge().date(), 0, {}});
  if (!row || !row.verified()) return;
  const Witness witness = matrix.witness("driver", row);
  for (const auto& [fact, key] : {std::pair("cuda", "cuda"), std::pair("branch_type", "type"), std::pair("branch_eol", "eol")}) {
    if (row.get(key).empty()) continue;
    driver.known(fact, row.get(key), witness);
    if (!row.sure()) driver.unsure(fact);
  }
}

/// What the installed package of the module says of kernels, by its full version.
void newest_kernel(const Matrix& matrix, Entity& driver) {
  const auto packages = driver.items("packages");
  for (const auto& row : matrix.rows("driver", "kernel"))
    if (std::find(packages.begin(), packages.end(), row.get("package") + "=" + row.get("version")) != packages.end())
      driver.known("newest_kernel", row.get("package") + " " + row.get("version") + ": Linux " + row.get("kernel"), matrix.witness("driver", row));
}

void installed(Entity& driver) {
  const Fact* packages = driver.find("packages");
  bool any = (packages && packages->known()) || driver.has("nvml_library"), unknown = false;
  std::string reason;
  for (const char* name : {"on_disk", "libraries", "loaded"}) {
    const Fact* fact = driver.find(name);
    any = any || (fact && fact->known());
    if (!fact || fact->state == State::unknown) unknown = true, reason = fact ? fact->reason : "";
  }
  if (any) driver.known("installed", "yes", {Rank::measured, "module, libraries or packages", 0, {}});
  else if (unknown) driver.unknown("installed", reason.empty() ? "not all of its parts were looked for" : reason);
  else driver.known("installed", "no", {Rank::measured, "no module, no libraries, no packages", 0, {}});
}

void copies(Facts& facts) {
  const Entity* driver = facts.find("driver");
  std::set<std::string> owners, versions, folders;
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  for (const Entity* copy : std::as_const(facts).of("driver_copy"))
    if (copy->is("kind", "driver") && copy->is("first", "yes")) folders.insert(folder_of(copy->id().key));
  for (Entity* copy : facts.of("driver_copy")) {
    if (driver && driver->has("loaded") && copy->has("version")) {
      const Order order = compare(driver->version("loaded"), copy->version("version"));
      copy->known("agrees", order == Order::equal ? "yes" : order == Order::unknown ? "unknown" : "no", {Rank::measured, "loaded module", 0, {}});
    } else {
      copy->unknown("agrees", "no module is loaded");
    }
    if (!copy->is("kind", "driver")) continue;
    // Of two installers' copies in one folder the loader reaches only one: both are installed all the same.
    if (copy->has("owner") && !copy->is("owner", "unknown")) owners.insert(copy->get("owner"));
    // A copy beside the one that the loader takes was unpacked over by it: two drivers all the same.
    if (copy->has("version") && (!copy->is("reachable", "no") || folders.contains(folder_of(copy->id().key)))) versions.insert(copy->get("version"));
  }
  if (!facts.was_looked("driver_copy")) return;
  const Witness seen{Rank::measured, "the copies of libcuda", 0, {}};
  Entity& host = facts.at("host");
  if (owners.empty()) host.absent("driver_owners", seen);
  else host.known("driver_owners", std::vector<std::string>(owners.begin(), owners.end()), seen);
  if (versions.empty()) host.absent("driver_versions", seen);
  else host.known("driver_versions", std::vector<std::string>(versions.begin(), versions.end()), seen);
}

void needs_driver(Facts& facts) {
  Entity& host = facts.at("host");
  if (!facts.was_looked("gpu")) return void(host.unknown("needs_driver", facts.why_not("gpu")));
  const Entity* container = facts.find("container");
  bool any = false;
  for (const Entity* gpu : std::as_const(facts).of("gpu")) any = any || (gpu->is("vendor", "nvidia") && !gpu->is("bound", "vfio-pci"));
  const Fact* inside = container ? container->find("inside") : nullptr;
  if (any && inside && inside->state == State::unknown) return void(host.unknown("needs_driver", inside->reason));
  const bool place = !host.is("wsl", "1") && !host.is("wsl", "2") && !(container && container->is("inside", "yes")) && !host.has("jetson");
  host.known("needs_driver", any && place ? "yes" : "no", {Rank::measured, "the PCI bus", 0, {}});
}

void toolkit_releases(Facts& facts) {
  if (!facts.was_looked("toolkit")) return;
  std::set<std::string> releases;
  for (Entity* toolkit : facts.of("toolkit")) {
    if (toolkit->has("version")) {
      const auto witness = toolkit->find("version")->witnesses.front();
      toolkit->known("release", toolkit->version("version").first(2), {witness.rank, witness.source, witness.line, {}});
      toolkit->known("major", std::to_string(toolkit->version("version").major()), {witness.rank, witness.source, witness.line, {}});
    }
    for (const auto& way : toolkit->items("found_by"))
      if (way != "folder" && toolkit->has("release")) releases.insert(toolkit->get("release"));
  }
  const Witness seen{Rank::measured, "PATH, CUDA_HOME, /usr/local/cuda", 0, {}};
  if (releases.empty()) facts.at("host").absent("toolkit_releases", seen);
  else facts.at("host").known("toolkit_releases", std::vector<std::string>(releases.begin(), releases.end()), seen);
}

}  // namespace

void driver_standing(const Matrix& matrix, Facts& facts) {
  needs_driver(facts);
  copies(facts);
  toolkit_releases(facts);
  Entity* driver = facts.find(Id{"driver", ""});
  if (!driver) return;
  choose_version(*driver);
  if (!driver->has("flavour"))
    if (const Fact* on_disk = driver->find("on_disk_flavour"); on_disk && on_disk->known()) copy_fact(*driver, "flavour", *on_disk);
  by_matrix(matrix, facts, *driver);
  newest_kernel(matrix, *driver);
  installed(*driver);
}

}  // namespace gpudoctor
