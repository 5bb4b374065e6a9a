// SPDX-License-Identifier: Apache-2.0
// What is wanted beside a torch, and what a framework asks of the machine: the rows of framework.toml, one demand after
// the other. A demand that a row does not state is not held against it; a row that states none is unknown.
#include "beside.hpp"

#include <algorithm>

#include "arch_reach.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

std::string first_of(const std::string& range) { return range.substr(0, range.find('-')); }
std::string last_of(const std::string& range) { return range.substr(range.find('-') == std::string::npos ? 0 : range.find('-') + 1); }

bool less(const Version& a, const Version& b) { return compare(a, b) == Order::less; }

/// "0.7.1" of the open range "0.7.1-".
std::string label(const std::string& versions) { return versions.size() > 1 && versions.ends_with("-") ? versions.substr(0, versions.size() - 1) : versions; }

Beside no(const Row& row, std::string why, std::string fact = {}, std::string where = {}, Bar bar = Bar::package) {
  const auto versions = label(row.get("versions"));
  const auto name = row.get("framework") + (versions == "-" ? "" : " " + versions);
  return {Fits::no, {}, name + " " + std::move(why), std::move(fact), where.empty() ? "framework.toml, " + name : std::move(where), true, bar};
}
Beside unknown(std::string why) { return {Fits::unknown, {}, std::move(why), {}, {}, true, Bar::package}; }
Beside yes(std::string spec = {}) { return {Fits::yes, std::move(spec), {}, {}, {}, true, Bar::package}; }

/// The nearest row of [[platform]]: later ones are nearer.
Row platform_of(const Matrix& matrix, const std::string& name, const std::string& version) {
  Row found;
  for (const auto& row : matrix.rows("framework", "platform"))
    if (row.get("framework") == name && row.verified() && in_range(row.get("versions"), version)) found = row;
  return found;
}

/// The CUDA of a package's wheels, where a row without torch says it for that release.
std::string wheel_cuda(const Matrix& matrix, const std::string& name, const std::string& release) {
  std::string cuda;
  for (const auto& row : matrix.rows("framework", "release"))
    if (row.get("framework") == name && !row.node->find("torch") && row.node->find("cuda") && row.verified() && in_range(row.get("versions"), release)) cuda = row.get("cuda");
  return cuda;
}

/// bitsandbytes: the code of the library for one CUDA, by its own list.
Beside library_reaches(const Matrix& matrix, const Needs& needs, const Row& row, const Version& cuda) {
  const auto release = last_of(row.get("versions"));
  for (const auto& list : matrix.rows("framework", "archs")) {
    if (list.get("framework") != row.get("framework") || !in_range(list.get("versions"), release)) continue;
    const bool here = list.get("on").empty() ? needs.platform != "linux-aarch64" : list.get("on") == needs.platform;
    if (!here || (!list.get("cuda").empty() && !in_range(list.get("cuda"), cuda.first(2)))) continue;
    for (const auto& card : needs.cards) {
      if (!card.capability.valid()) continue;
      const auto range = list.get("range");
      const bool reached = range.empty() ? reach_of(arch_words(list.get("archs")), card.capability, cuda, {}) == "runs" : in_range(range, card.capability.text());
      if (!reached && list.get("note").empty()) return no(row, "has no code for compute capability " + card.capability.text() + " in its library for CUDA " + cuda.first(2), card.shown);
    }
    return yes();
  }
  return yes();
}

Beside cuda_goes(const Matrix& matrix, const Needs& needs, const Row& row, const Stack& stack) {
  if (stack.tag.starts_with("rocm")) {
    const auto listed = row.list("rocm");
    if (std::find(listed.begin(), listed.end(), stack.tag) != listed.end() || std::find(listed.begin(), listed.end(), stack.tag.substr(4)) != listed.end()) return yes();
    return unknown("whether " + row.get("framework") + " " + row.get("versions") + " has a build for " + stack.tag);
  }
  const Node* libraries = row.node->find("libraries");
  if (libraries) {
    const auto list = row.list("libraries");
    const auto minor = stack.cuda.first(2);
    const bool exact = std::find(list.begin(), list.end(), minor) != list.end();
    const bool near = row.get("nearest") == "true" && std::any_of(list.begin(), list.end(), [&](const auto& one) { return Version(one).major() == stack.cuda.major() && !less(Version(minor), Version(one)); });
    return exact || near ? library_reaches(matrix, needs, row, stack.cuda) : no(row, "has no library for CUDA " + minor, "CUDA " + minor);
  }
  if (row.node->find("torch")) {   // an extension: one major of CUDA
    const auto built = row.get("cuda").empty() ? wheel_cuda(matrix, row.get("framework"), first_of(row.get("versions"))) : row.get("cuda");
    if (built.empty()) return yes();
    if (Version(built).major() != stack.cuda.major()) return no(row, "is built for CUDA " + std::to_string(Version(built).major()), "CUDA " + stack.cuda.first(2));
    return runs(matrix, needs, Version(built)) == Runs::no ? no(row, "is built for CUDA " + built, "driver " + needs.driver.text()) : yes();
  }
  if (stack.bundled) return yes();   // each brings its own
  const bool least = row.node->find("cuda-min") != nullptr;
  const auto wants = row.list(least ? "cuda-min" : "cuda");
  if (wants.empty()) return yes();
  // A lowest CUDA says nothing of the next major; a plugin is for its own.
  if (least && stack.cuda.major() > Version(wants.front()).major() && !row.get("framework").ends_with("-plugin")) return unknown("whether " + row.get("framework") + " " + label(row.get("versions")) + " takes CUDA " + stack.cuda.first(2));
  switch (takes_cuda(wants, stack.cuda)) {
    case Fits::no: return no(row, "wants CUDA " + joined(wants, " or ") + (least ? " or newer" : ""), "CUDA " + stack.cuda.first(2));
    case Fits::unknown: return unknown("whether " + row.get("framework") + " " + row.get("versions") + " takes CUDA " + stack.cuda.first(2));
    case Fits::yes: break;
  }
  if (row.get("pins") == "exact" && stack.cuda.first(2) != Version(wants.front()).first(2))
    return no(row, "pins the wheels of CUDA " + wants.front() + " exactly, and so does this torch its own", "CUDA " + stack.cuda.first(2));
  return yes();
}

/// One cuDNN serves all of an environment: of the same major, and not older than the one that each was built with.
Beside cudnn_goes(const Row& row, const Stack& stack) {
  const auto want = row.get("cudnn").empty() ? row.get("cudnn-min") : row.get("cudnn");
  if (want.empty() || !stack.cudnn.valid() || stack.bundled || row.node->find("torch")) return yes();
  const Version need(want);
  const bool older = need.major() != stack.cudnn.major() || (need.parts().size() > 1 && stack.cudnn.minor() < need.minor());
  if (older) return no(row, "wants cuDNN " + want + " or newer of its major", "cuDNN " + stack.cudnn.first(3));
  return row.get("pins") == "exact" && need.first(2) != stack.cudnn.first(2) ? no(row, "pins cuDNN " + want + " exactly, and so does this torch its own", "cuDNN " + stack.cudnn.first(3)) : yes();
}

Beside torch_goes(const Row& row, const Stack& stack) {
  const auto torches = row.list("torch");
  const bool named = std::any_of(torches.begin(), torches.end(), [&](const auto& one) { return in_range(one, stack.torch); });
  if (!torches.empty() && !named) return no(row, "is for torch " + joined(torches, ", "));
  const auto least = row.get("torch-min");
  if (!least.empty() && less(Version(stack.torch), Version(least))) return no(row, "wants torch " + least + " or newer");
  const auto tags = row.list("tags");
  if (!tags.empty() && stack.tag.starts_with("cu") && !stack.tag.starts_with("cuda") && std::find(tags.begin(), tags.end(), stack.tag) == tags.end()) return no(row, "is built for " + joined(tags, ", "), stack.tag);
  return yes();
}

/// What a row says about a torch, the CUDA or the cuDNN beside it; false where it says nothing.
bool says_something(const Row& row) {
  for (const char* key : {"torch", "torch-min", "cuda", "cuda-min", "cudnn", "cudnn-min", "libraries", "tags", "rocm"})
    if (row.node->find(key)) return true;
  return false;
}

Beside one_row(const Matrix& matrix, const Needs& needs, const Row& row, const Stack& stack) {
  if (!row.verified()) return unknown(row.get("framework") + " " + label(row.get("versions")) + " is not verified in the matrix");
  if (Beside one = torch_goes(row, stack); one.fits != Fits::yes) return one;   // first, as it is seldom met
  if (Beside one = on_machine(matrix, needs, row); one.fits != Fits::yes) return one;
  if (Beside one = cuda_goes(matrix, needs, row, stack); one.fits != Fits::yes) return one;
  if (Beside one = cudnn_goes(row, stack); one.fits != Fits::yes) return one;
  if (!says_something(row)) return unknown("which torch and CUDA " + row.get("framework") + (row.get("versions") == "-" ? "" : " " + row.get("versions")) + " goes with");
  Beside fits = yes();
  fits.sure = row.sure();
  return fits;
}

/// What torch.toml itself pairs with a release: torchvision, torchaudio, triton, NumPy.
Beside by_release(const Matrix& matrix, const Wanted& package, const Stack& stack, bool& known) {
  const auto pair = [&](const std::string& made_for) -> Beside {
    if (made_for.empty()) return unknown("which " + package.name + " goes with torch " + stack.torch);
    if (package.version.empty() || in_range(package.version, made_for) || made_for == package.version) return yes(package.name + "==" + made_for);
    return {Fits::no, {}, "its " + package.name + " is " + made_for, package.name + " " + package.version, "torch.toml, release " + stack.torch, true, Bar::package};
  };
  known = true;
  if (package.name == "torchvision") return pair(stack.vision);
  if (package.name == "torchaudio") return pair(stack.audio);
  if (package.name == "triton") {
    Beside one = pair(stack.triton);
    if (one.fits == Fits::yes) one.spec.clear();   // torch requires it itself
    return one;
  }
  if (package.name == "numpy") {
    for (const auto& row : matrix.rows("torch", "numpy"))
      if (in_range(row.get("torch"), stack.torch)) {
        if (package.version.empty()) return yes("numpy<" + std::to_string(Version(row.get("major")).major() + 1));
        if (Version(package.version).major() > Version(row.get("major")).major()) return {Fits::no, {}, "takes no NumPy after " + row.get("major"), "numpy " + package.version, "torch.toml, numpy", true, Bar::package};
      }
    return yes("numpy" + (package.version.empty() ? "" : "==" + package.version));
  }
  known = false;
  return {};
}

/// A package that has a distribution for each CUDA major: tensorrt==10.15.1 is tensorrt-cu12==10.15.1.*.
std::string by_major(const Matrix& matrix, const std::string& spec, const std::string& name, const Version& cuda) {
  for (const auto& row : matrix.rows("framework", "detect"))
    if (row.get("framework") == name && !row.get("distribution").empty() && cuda.valid()) {
      const auto version = spec.substr(std::min(spec.size(), name.size()));
      return replaced(row.get("distribution"), "{major}", std::to_string(cuda.major())) + version + (version.empty() || version.ends_with("*") || Version(version.substr(2)).parts().size() > 3 ? "" : ".*");
    }
  return spec;
}

/// "jax" stands for its plugins: the one of torch's CUDA major.
Beside jax_beside(const Matrix& matrix, const Needs& needs, const Wanted& package, const Stack& stack) {
  const auto plugin = "jax-cuda" + std::to_string(stack.cuda.major()) + "-plugin";
  Beside first;
  for (const auto& row : rows_of(matrix, {"jax", package.version, false})) {
    const auto release = package.version.empty() ? first_of(row.get("versions")) : package.version;
    const auto plugins = matrix.framework(plugin, release);
    Beside one = plugins.empty() ? no(row, "has no plugin for CUDA " + std::to_string(stack.cuda.major()), "CUDA " + stack.cuda.first(2)) : on_machine(matrix, needs, row);
    if (one.fits == Fits::yes) one = one_row(matrix, needs, plugins.back(), stack);
    if (one.fits == Fits::yes) return one.spec = requirement(matrix, row, "cuda" + std::to_string(stack.cuda.major()), package.version), one;
    if (first.why.empty()) first = one;
  }
  return first.why.empty() ? unknown("jax" + (package.version.empty() ? "" : " " + package.version) + " is not in the matrix") : first;
}

/// The CUDA majors that a row takes; jax by its plugins.
std::vector<unsigned long> majors_of(const Row& row) {
  if (row.get("framework") == "jax") return {12, 13};
  std::vector<unsigned long> majors;
  for (const char* key : {"cuda", "cuda-min", "libraries"})
    for (const auto& want : row.list(key))
      for (auto major = Version(first_of(want)).major(); major <= Version(last_of(want)).major(); ++major) majors.push_back(major);
  return majors;
}

}  // namespace

Beside row_beside(const Matrix& matrix, const Needs& needs, const Row& row, const Stack& stack) { return one_row(matrix, needs, row, stack); }

Fits share(const Row& one, const Row& other) {
  const auto mine = majors_of(one), theirs = majors_of(other);
  if (mine.empty() || theirs.empty()) return Fits::unknown;
  if (std::none_of(mine.begin(), mine.end(), [&](auto major) { return std::find(theirs.begin(), theirs.end(), major) != theirs.end(); })) return Fits::no;
  const auto cudnn = [](const Row& row) { return Version(row.get("cudnn").empty() ? row.get("cudnn-min") : row.get("cudnn")); };
  return cudnn(one).valid() && cudnn(other).valid() && cudnn(one).major() != cudnn(other).major() ? Fits::no : Fits::yes;
}

Fits takes_cuda(const std::vector<std::string>& wants, const Version& cuda) {
  Fits best = Fits::no;
  for (const auto& want : wants) {
    const bool range = want.find('-') != std::string::npos;
    const Version from(first_of(want)), to(last_of(want));
    if (range && in_range(want, cuda.first(2))) return Fits::yes;
    if (range && to.major() == cuda.major() && less(to, Version(cuda.first(2)))) best = Fits::unknown;   // newer than the row
    if (!range && from.major() == cuda.major() && (from.parts().size() < 2 || !less(Version(cuda.first(2)), Version(from.first(2))))) return Fits::yes;
  }
  return best;
}

std::string python_of(const Matrix& matrix, const Row& row) {
  if (!row.get("python").empty() || !row.get("versions").ends_with("-")) return row.get("python");
  std::string python;
  const auto start = Version(first_of(row.get("versions")));
  for (const auto& other : matrix.rows("framework", "release"))
    if (other.get("framework") == row.get("framework") && other.get("versions").ends_with("-") && !other.get("python").empty() && less(Version(first_of(other.get("versions"))), start)) python = other.get("python");
  return python;
}

std::vector<Row> rows_of(const Matrix& matrix, const Wanted& package) {
  std::vector<Row> rows;
  for (const auto& row : matrix.rows("framework", "release")) {
    const auto versions = row.get("versions");
    if (row.get("framework") != package.name || (!package.version.empty() && !in_range(versions, package.version))) continue;
    // Of open ranges that hold a release the last one is the nearest: "0.7.1-" and not "0.4.30-".
    const auto open = [](const Row& one) { return one.get("versions").size() > 1 && one.get("versions").ends_with("-"); };
    if (!package.version.empty() && open(row)) std::erase_if(rows, [&](const Row& other) { return open(other) && !other.node->find("torch") == !row.node->find("torch"); });
    rows.push_back(row);
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

std::string requirement(const Matrix& matrix, const Row& row, const std::string& extra, const std::string& version) {
  const auto name = row.get("framework") + (extra.empty() ? "" : "[" + extra + "]"), versions = row.get("versions");
  if (!version.empty()) return name + "==" + version;
  if (versions.ends_with("-") && versions.size() > 1) {   // up to the next row of this package
    std::string next;
    for (const auto& other : matrix.rows("framework", "release")) {
      const auto start = first_of(other.get("versions"));
      if (other.get("framework") != row.get("framework") || start.empty() || !less(Version(first_of(versions)), Version(start))) continue;
      if (next.empty() || less(Version(start), Version(next))) next = start;
    }
    return name + ">=" + first_of(versions) + (next.empty() ? "" : ",<" + next);
  }
  const auto last = last_of(versions);
  if (last.empty()) return name;
  const bool whole = Version(last).parts().size() > 2 || contains(last, "post");
  return name + "==" + last + (whole ? "" : ".*");
}

Beside on_machine(const Matrix& matrix, const Needs& needs, const Row& row) {
  const auto name = row.get("framework");
  if (!row.verified()) return unknown(name + " " + row.get("versions") + " is not verified in the matrix");
  const auto python = python_of(matrix, row);
  if (!in_range(python, needs.python)) return no(row, "has no build for Python " + Version(needs.python).first(2), "built for " + python, {}, Bar::python);
  const auto last = last_of(row.get("versions"));
  if (const Row platform = platform_of(matrix, name, last.empty() ? first_of(row.get("versions")) : last)) {
    const auto on = platform.list("on");
    const auto where = "framework.toml, platform of " + name;
    if (std::find(on.begin(), on.end(), needs.platform) == on.end()) return no(row, "has no GPU build for " + needs.platform, needs.platform, where, Bar::platform);
    const auto glibc = platform.get("glibc");
    if (needs.system == "linux" && !glibc.empty() && needs.musl) return no(row, "needs glibc " + glibc, "musl", where, Bar::glibc);
    if (needs.system == "linux" && !glibc.empty() && needs.glibc.valid() && less(needs.glibc, Version(glibc))) return no(row, "needs glibc " + glibc, "glibc " + needs.glibc.text(), where, Bar::glibc);
  }
  const auto driver = row.get("driver-min");
  if (!driver.empty() && needs.driver.valid() && less(needs.driver, Version(driver))) return no(row, "needs driver " + driver, "driver " + needs.driver.text(), {}, Bar::driver);
  const auto least = row.get("cc-min"), range = row.get("cc");
  for (const auto& card : needs.cards) {
    if (!card.capability.valid()) continue;
    if (!least.empty() && less(card.capability, Version(least))) return no(row, "starts at compute capability " + least, card.shown, {}, Bar::gpu);
    if (!range.empty() && !in_range(range, card.capability.text())) return no(row, "is for compute capability " + range, card.shown, {}, Bar::gpu);
    const auto archs = arch_words(row.get("archs"));
    if (archs.empty()) continue;
    const auto reach = reach_of(archs, card.capability, Version(row.get("cuda")), level(matrix, needs));
    if (reach != "runs" && reach != "jit") return no(row, "has no code for compute capability " + card.capability.text(), card.shown, {}, Bar::gpu);
  }
  return yes();
}

Beside beside(const Matrix& matrix, const Needs& needs, const Wanted& package, const Stack& stack) {
  bool known = false;
  if (needs.channel == Channel::conda && package.name != "numpy")
    return package.name == "torchvision" || package.name == "torchaudio" ? by_release(matrix, package, stack, known) : unknown("whether conda's builds of torch " + stack.torch + " and " + package.name + " go together");
  if (Beside one = by_release(matrix, package, stack, known); known) return one;
  if (package.name == "jax" && !stack.tag.starts_with("rocm")) return jax_beside(matrix, needs, package, stack);
  Beside refusal, unsaid;
  bool any = false;
  for (const auto& row : rows_of(matrix, package)) {
    // Rows without torch of a package that has rows with it tell the CUDA of its wheels.
    const bool extension = row.node->find("torch") != nullptr;
    if (!extension && package.name == "vllm") continue;
    any = true;
    Beside one = one_row(matrix, needs, row, stack);
    if (one.fits == Fits::yes) return one.spec = by_major(matrix, requirement(matrix, row, package.name == "tensorflow" && !row.get("pins").empty() ? "and-cuda" : "", package.version), package.name, stack.cuda), one;
    if (one.fits == Fits::no && refusal.why.empty()) refusal = one;
    if (one.fits == Fits::unknown && unsaid.why.empty()) unsaid = one;
    // A release for this torch that fails elsewhere tells more than a newer one for another: the nearest miss.
    if (one.fits == Fits::no && contains(refusal.why, "is for torch") && !contains(one.why, "is for torch")) refusal = one;
  }
  if (!any) return unknown(package.name + (package.version.empty() ? "" : " " + package.version) + " is not in the matrix");
  // A release that is not verified may go with it: only where nothing is known at all does that leave it open.
  return refusal.why.empty() ? unsaid : refusal;
}

bool listed(const Matrix& matrix, const std::string& package) {
  for (const char* name : {"torchvision", "torchaudio", "triton", "numpy", "torch"})
    if (package == name) return true;
  const auto rows = matrix.rows("framework", "release");
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.get("framework") == package; });
}

}  // namespace gpudoctor
