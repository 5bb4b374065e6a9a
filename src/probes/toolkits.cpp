// SPDX-License-Identifier: Apache-2.0
// CUDA toolkits: the places where installers put them, and those that PATH, CUDA_HOME and conda's prefixes lead to.
// Several ways to one toolkit are one toolkit: its key is the folder that holds the real bin/nvcc.
#include <algorithm>
#include <map>

#include "all.hpp"
#include "files.hpp"
#include "owners.hpp"
#include "text.hpp"
#include "toolkit.hpp"
#include "toolkit_files.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_toolkits = 64;
constexpr const char* debian_root = "/usr/lib/nvidia-cuda-toolkit";  // its headers and libraries lie in /usr
constexpr const char* debian_home = "/usr/lib/cuda";                 // a hull for programs that want one folder

/// What was found in one folder before it is said.
struct Place {
  std::vector<std::string> by;
  Result<std::string> nvcc = Miss{Why::absent, "not there"};
  bool wrapper = false;  ///< the key is a program that cannot be followed, not a folder
};

class Search {
 public:
  explicit Search(const Machine& machine) : machine_(machine) {}

  /// Returns whether the folder is a toolkit, or why that cannot be told.
  Result<bool> folder(const std::string& path, const char* by) {
    const auto real = machine_.real(path);
    if (!real) return real.miss();
    auto nvcc = find_compiler(machine_, *real + "/bin/nvcc");
    if (nvcc.is_absent() && *real == debian_home)
      nvcc = find_compiler(machine_, std::string(debian_root) + "/bin/nvcc");
    if (nvcc.is_absent() && !has_files(*real)) return false;
    add(nvcc && !nvcc->starts_with(*real + "/") ? parent(parent(*nvcc)) : *real, nvcc, by);
    return true;
  }

  /// The nvcc that PATH leads to. Where another program stands in its place (ccache), the next one on PATH is meant.
  void on_path(const std::string& first) {
    auto nvcc = find_compiler(machine_, first);
    const auto path = machine_.variable("PATH").value_or("");
    if (!nvcc && nvcc.miss().why == Why::malformed)
      for (const auto folder : split(path, ':'))
        if (folder.starts_with('/'))
          if (auto next = find_compiler(machine_, join(folder, "nvcc"))) {
            nvcc = next;
            break;
          }
    if (nvcc) return add(parent(parent(*nvcc)), nvcc, "path");
    if (nvcc.is_absent()) return;
    add(first, nvcc, "path");
    if (const auto place = found_.find(first); place != found_.end()) place->second.wrapper = true;
  }

  const std::map<std::string, Place>& found() const { return found_; }
  bool full() const { return full_; }

 private:
  bool has_files(const std::string& root) const {
    for (const auto* file : {"/version.json", "/version.txt", "/include/cuda.h"})
      if (exists(machine_, root + file)) return true;
    return find_cudart(machine_, toolkit_libraries(root)).path.starts_with(root + "/");
  }

  void add(const std::string& root, const Result<std::string>& nvcc, const char* by) {
    if (found_.size() == most_toolkits && !found_.contains(root)) return void(full_ = true);
    Place& place = found_[root];
    if (place.nvcc.is_absent()) place.nvcc = nvcc;
    if (std::find(place.by.begin(), place.by.end(), by) == place.by.end()) place.by.emplace_back(by);
  }

  const Machine& machine_;
  std::map<std::string, Place> found_;
  bool full_ = false;
};

void look_for_toolkits(const Machine& machine, Facts& facts, Search& search) {
  Entity& host = facts.at("host");
  if (host.has("path_nvcc")) search.on_path(host.get("path_nvcc"));
  if (host.has("cuda_home")) {
    const auto home = host.get("cuda_home");
    const auto leads = search.folder(home, "cuda_home");
    if (leads || leads.is_absent())
      host.known("cuda_home_toolkit", yes_no(leads && *leads), seen(home));
    else
      host.unknown("cuda_home_toolkit", home + ": " + leads.miss().says);
  } else if (const Fact* home = host.find("cuda_home"); home && home->state == State::absent) {
    host.absent("cuda_home_toolkit", seen("CUDA_HOME"));
  } else {
    host.unknown("cuda_home_toolkit", home ? home->reason : not_running);
  }
  (void)search.folder("/usr/local/cuda", "usr-local-cuda");
  std::vector<std::string> missed;
  for (const auto* pattern : {"/usr/local/cuda*", "/opt/cuda*"})
    for (const auto& path : glob(machine, pattern, &missed))
      if (path != "/usr/local/cuda" && !search.full()) (void)search.folder(path, "folder");
  (void)search.folder(debian_root, "folder");
  for (const Entity* env : std::as_const(facts).of("env"))
    if (env->is("kind", "conda") && exists(machine, env->id().key + "/bin/nvcc"))
      (void)search.folder(env->id().key, "folder");
  if (const auto prefix = machine.variable("CONDA_PREFIX"); prefix && exists(machine, *prefix + "/bin/nvcc"))
    (void)search.folder(*prefix, "folder");
  if (search.full()) missed.push_back("only the first " + std::to_string(most_toolkits) + " toolkits were looked at");
  if (missed.empty())
    facts.looked("toolkit");
  else
    facts.not_looked("toolkit", missed.front());
}

std::string layout_of(const Machine& machine, const std::string& root, const std::string& cudart) {
  if (root == debian_root) return "debian";
  if (is_folder(machine, root + "/conda-meta")) return "conda";
  if (root == "/opt/cuda") return "arch";
  if (exists(machine, root + "/version.json") || exists(machine, root + "/version.txt")) return "nvidia";
  // Wheels hold libcudart.so.13 itself; NVIDIA's archives and packages a link of that name to libcudart.so.13.0.96.
  const bool short_name = !cudart.empty() && Version(version_of_file_name(base_name(cudart))).parts().size() < 3;
  return short_name || is_folder(machine, root + "/dist-info") || base_name(parent(root)) == "nvidia" ? "wheel"
                                                                                                      : "nvidia";
}

void say_version(const Machine& machine, Entity& toolkit, const Headers& headers) {
  const auto root = toolkit.id().key;
  std::string reason;
  const auto no = [&](const std::string& path, const Miss& miss) {
    if (miss.why != Why::absent && reason.empty()) reason = path + ": " + miss.says;
  };
  const auto json = root + "/version.json", txt = root + "/version.txt";
  if (const auto text = machine.read(json, 1 << 16); !text)
    no(json, text.miss());
  else if (const auto version = parse_version_json(*text))
    toolkit.known("version", *version, seen(json));
  else
    no(json, {Why::malformed, "not in the expected form"});
  if (const auto text = machine.read(txt, 1 << 16); !text)
    no(txt, text.miss());
  else if (const auto version = parse_version_txt(*text))
    toolkit.known("version", *version, seen(txt));
  else
    no(txt, {Why::malformed, "not in the expected form"});
  for (const auto& folder : headers) {
    const auto path = folder + "/cuda.h";
    const auto macros = header_macros(machine, path);
    if (!macros) {
      no(path, macros.miss());
      continue;
    }
    const auto release = cuda_of_macro(macro(*macros, "CUDA_VERSION"));
    if (release.empty())
      no(path, {Why::malformed, "no CUDA_VERSION in its first part"});
    else
      toolkit.known("version", release, seen(path));
    break;
  }
  if (toolkit.has("cudart") && toolkit.version("cudart").parts().size() > 2)
    toolkit.known("version", toolkit.version("cudart").first(2),
                  seen(toolkit.find("cudart")->witnesses.front().source));
  if (!toolkit.has("version")) {
    if (const Fact* nvcc = toolkit.find("nvcc"); reason.empty() && nvcc) reason = nvcc->reason;
    if (reason.empty()) reason = "none of its files tells it";
    all_unknown(toolkit, {"version", "release", "major"}, reason);
    return;
  }
  const auto version = toolkit.version("version");
  const auto source = toolkit.find("version")->witnesses.front().source;
  toolkit.known("release", version.first(2), seen(source)).known("major", version.first(1), seen(source));
}

void say_nvcc(const Machine& machine, Entity& toolkit, const Result<std::string>& nvcc) {
  const auto path = toolkit.id().key + "/bin/nvcc";
  if (!nvcc) {
    toolkit.missed("nvcc", nvcc.miss(), path);
    return;
  }
  const auto answers = machine.inspect(*nvcc, Inspect::nvcc_release);
  const auto release = answer(answers, "release"), build = answer(answers, "build");
  if (!build.empty())
    toolkit.known("nvcc", build, seen(*nvcc));
  else
    toolkit.unknown("nvcc", *nvcc + ": " + (answers ? "its version is not where it should be" : answers.miss().says));
  if (!release.empty()) toolkit.known("version", release, seen(*nvcc));  // what compiles says it best
}

void say_package(const Owners& owners, Entity& toolkit, const std::vector<std::string>& paths) {
  const Witness data_base{Rank::tool, "the package data base", 0, {}};
  for (const auto& path : paths)
    if (const auto owner = owners.of(path)) {
      toolkit.known("package", *owner, data_base);
      return;
    }
  if (owners.complete())
    toolkit.absent("package", data_base);
  else
    toolkit.unknown("package", owners.why());
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Search search(machine);
  look_for_toolkits(machine, facts, search);
  if (search.found().empty()) return;
  const Owners owners(machine, facts,
                      {"cuda-nvcc-*", "cuda-cudart-*", "cuda-toolkit-*", "nvidia-cuda-toolkit", "cuda"});
  const auto triplet = triplet_of(facts);
  for (const auto& [root, place] : search.found()) {
    Entity& toolkit = facts.at("toolkit", root);
    toolkit.known("found_by", place.by, seen(root));
    if (place.wrapper) {
      all_unknown(toolkit, {"root", "layout", "nvcc", "cudart", "version", "release", "major", "package"},
                  root + ": " + place.nvcc.miss().says);
      continue;
    }
    const bool debian = root == debian_root;
    const auto cudart = find_cudart(machine, debian ? std::vector{"/usr/lib/" + triplet} : toolkit_libraries(root));
    toolkit.known("root", root, seen(root)).known("layout", layout_of(machine, root, cudart.path), seen(root));
    say_nvcc(machine, toolkit, place.nvcc);
    say_cudart(machine, toolkit, cudart);
    say_version(machine, toolkit, debian ? Headers{"/usr/include"} : toolkit_headers(root));
    say_package(owners, toolkit, {place.nvcc.value_or(root), root + "/version.json", cudart.path});
  }
}

}  // namespace

const Probe toolkits = {
    .name = "toolkits",
    .need = Need::files,
    .reads = {"/usr/local/cuda*",
              "/usr/local/cuda*/bin/nvcc",
              "/usr/local/cuda*/version.*",
              "/usr/local/cuda*/include/cuda.h",
              "/usr/local/cuda*/targets/*/lib/libcudart.so*",
              "/usr/local/cuda*/targets/*/include/cuda.h",
              "/usr/local/cuda*/lib*/libcudart.so*",
              "/usr/local/cuda*/dist-info",
              "/usr/local/cuda*/conda-meta",
              "/opt/cuda*",
              "/opt/cuda*/bin/nvcc",
              "/opt/cuda*/version.*",
              "/opt/cuda*/include/cuda.h",
              "/opt/cuda*/targets/*/lib/libcudart.so*",
              "/opt/cuda*/targets/*/include/cuda.h",
              "/opt/cuda*/lib*/libcudart.so*",
              "/opt/cuda*/dist-info",
              "/opt/cuda*/conda-meta",
              "/usr/lib/nvidia-cuda-toolkit",
              "/usr/lib/nvidia-cuda-toolkit/bin/nvcc",
              "/usr/lib/cuda",
              "/usr/lib/cuda/bin/nvcc",
              "/usr/include/cuda.h",
              "/usr/lib/*-linux-gnu/libcudart.so*",
              "/usr/lib/aarch64-linux-gnu",
              "/usr/bin/nvcc",
              "/var/lib/dpkg/info/*.list",
              "$ENV/bin/nvcc",
              "$ENV/include/cuda.h",
              "$ENV/lib/libcudart.so*",
              "$ENV/targets/*",
              "$CUDA_HOME/*",
              "$PATH/nvcc"},
    .run = run,
};

}  // namespace gpudoctor
