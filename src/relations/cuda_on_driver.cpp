// SPDX-License-Identifier: Apache-2.0
// Whether the driver runs the CUDA of a PyTorch build or of a toolkit. CUDA release notes: at or above the toolkit's own
// driver without limits; at or above the floor of its major with limits (minor-version compatibility); below it not at all.
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

void relate(const Matrix& matrix, Facts& facts, const Entity& consumer, const char* kind, const char* cuda_fact) {
  const Entity* driver = facts.find("driver");
  Entity& pair = facts.at("cuda_on_driver", std::string(kind) + " " + consumer.id().key);
  pair.parent(consumer.id());
  const Version cuda = consumer.version(cuda_fact);
  const Witness& seen = consumer.find(cuda_fact)->witnesses.front();
  pair.known("consumer", kind, seen);
  pair.known("used", std::string(kind) == "toolkit" ? "no" : "yes", seen);
  pair.known("cuda", cuda.text(), seen);
  // In WSL the driver is that of Windows, and its numbers are Windows'.
  const Entity* machine = facts.find("host");
  const auto system = machine && machine->is("wsl", "2") ? std::string("windows") : system_of(facts);
  bool floor_sure = true, own_sure = true;
  const auto floor = matrix.floor(cuda, system, &floor_sure), own = matrix.own(cuda, system, &own_sure);
  const Witness notes{Rank::table, "NVIDIA CUDA Toolkit release notes, matrix of " + matrix.knowledge().date(), 0, {}};
  if (!floor.empty()) pair.known("floor", floor, notes);
  if (!own.empty()) pair.known("own", own, notes);
  bool compat = false;
  Version user;   // of a forward-compatibility libcuda, which stands in for the driver's
  for (const Entity* copy : std::as_const(facts).of("driver_copy"))
    if (copy->is("kind", "compat") && copy->is("first", "yes")) compat = true, user = copy->version("version");
  pair.known("compat", compat ? "yes" : "no", {Rank::measured, "the libcuda that the loader takes", 0, {}});
  // On a Jetson the driver is part of L4T, and CUDA follows JetPack. From JetPack 7 on (L4T 38) its user space is that of
  // servers, and their wheels of its CUDA run there.
  if (const Entity* host = facts.find("host"); host && host->has("jetson")) {
    const bool of_servers = to_number(host->get("l4t_major")) >= 38 && host->is("jetpack_cuda", std::to_string(cuda.major()));
    if (std::string(kind) == "torch" && !consumer.is("origin", "jetson") && !of_servers) return void(pair.unknown("standing", "on a Jetson CUDA follows JetPack, and this build is not for it"));
    return void(pair.known("standing", "full", {Rank::measured, "L4T " + host->get("jetson"), 0, {}}));
  }
  if (!driver || !driver->has("version")) {
    const Fact* version = driver ? driver->find("version") : nullptr;
    if (version && version->state == State::absent) return void(pair.absent("standing", version->witnesses.front()));
    return void(pair.unknown("standing", version && !version->reason.empty() ? version->reason : "the driver's version is unknown"));
  }
  if (floor.empty()) return void(pair.unknown("standing", "CUDA " + cuda.text() + " is not in the matrix of " + matrix.knowledge().date()));
  const Version version = driver->version("version");
  const auto say = [&](const char* word, bool sure = true) {
    pair.known("standing", word, {Rank::measured, notes.source, 0, {}});
    if (!sure) pair.unsure("standing");
  };
  // A branch alone as the toolkit's own driver ("615"): every driver of it will do.
  const bool branch_only = own.find('.') == std::string::npos;
  const Version& level = user.valid() && compare(user, version) == Order::greater ? user : version;
  if (!own.empty() && branch_only && to_number(own) <= static_cast<long>(level.major())) return say("full", own_sure);
  const Order to_own = own.empty() || branch_only ? Order::unknown : compare(level, Version(own));
  if (to_own == Order::greater || to_own == Order::equal) return say("full", own_sure);
  const Order to_floor = compare(version, Version(floor));
  if (to_floor == Order::less) return say(compat ? "limited" : "below-floor", floor_sure);
  if (to_floor == Order::unknown) return void(pair.unknown("standing", "driver " + version.text() + " is not precise enough against " + floor));
  // A release without a driver of its own (Windows from 13.1 on) or newer than the table: by the CUDA that the driver reports.
  const bool below = own.empty() && driver->has("cuda") && compare(Version(driver->version("cuda").first(2)), Version(cuda.first(2))) == Order::less;
  say(own.empty() && !below ? "full" : "limited", floor_sure && own_sure);
}

}  // namespace

void cuda_on_driver(const Matrix& matrix, Facts& facts) {
  for (const Entity* torch : std::as_const(facts).of("torch"))
    if (torch->is("backend", "cuda") && torch->has("cuda")) relate(matrix, facts, *torch, "torch", "cuda");
  for (const Entity* framework : std::as_const(facts).of("framework"))
    if (framework->items("cuda_majors").size() == 1) relate(matrix, facts, *framework, "framework", "cuda_majors");
  for (const Entity* toolkit : std::as_const(facts).of("toolkit"))
    if (toolkit->has("version")) relate(matrix, facts, *toolkit, "toolkit", "version");
  if (facts.was_looked("torch") && facts.was_looked("toolkit")) facts.looked("cuda_on_driver");
  else facts.not_looked("cuda_on_driver", facts.was_looked("torch") ? facts.why_not("toolkit") : facts.why_not("torch"));
}

}  // namespace gpudoctor
