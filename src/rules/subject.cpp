// SPDX-License-Identifier: Apache-2.0
// How entities and sentences read to people.
#include "judge.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string short_path(const std::string& path, const Facts& facts) {
  const Entity* host = facts.find("host");
  const std::string home = host ? host->get("home") : std::string();
  const bool below = home.size() > 1 && path.starts_with(home) && (path.size() == home.size() || path[home.size()] == '/');
  auto text = printable(below ? "~" + path.substr(home.size()) : path);
  for (char& c : text)
    if (c == '\n' || c == '\t') c = '?';   // a folder's name must not make lines of a report
  return text;
}

std::string short_paths(const std::string& paths, const Facts& facts) {
  std::vector<std::string> shown;
  for (const auto path : split(paths, ' ')) shown.push_back(short_path(std::string(path), facts));
  return joined(shown, " ");
}

namespace {

std::string gpu_name(const Entity& gpu) {
  std::string name = gpu.get("name");
  for (const std::string_view brand : {"NVIDIA GeForce ", "NVIDIA ", "AMD Radeon "})
    if (name.starts_with(brand) && name.size() > brand.size()) return name.substr(brand.size());
  return name.empty() ? gpu.get("pci_id") : name;
}

std::string env_name(const Entity& env, const Facts& facts) {
  const std::string path = short_path(env.has("path") ? env.get("path") : env.id().key, facts);
  return env.is("kind", "system") ? "system Python" : path;
}

}  // namespace

std::string shown(const Facts& facts, const Entity& entity) {
  const auto& kind = entity.id().kind;
  const auto up = [&](const char* other) -> std::string {
    const Entity* found = facts.nearest(entity, other);
    return found && found != &entity ? shown(facts, *found) : std::string();
  };
  const auto both = [](std::string a, const char* between, const std::string& b) {
    return a.empty() ? b : b.empty() ? a : a + between + b;
  };
  if (kind == "gpu") return both("GPU " + entity.get("index"), " ", gpu_name(entity));
  if (kind == "env") return env_name(entity, facts);
  if (kind == "torch") return both(both("torch", " ", entity.get("version")), " in ", up("env"));
  if (kind == "torch_on_gpu") return both(up("torch"), ", ", up("gpu"));
  if (kind == "gpu_on_driver") return up("gpu");
  if (kind == "cuda_on_driver") return up(entity.get("consumer").c_str());
  if (kind == "companion") return both(both(entity.get("name"), " ", entity.get("version")), " in ", up("env"));
  if (kind == "extension") return both(entity.get("name"), " in ", up("env"));
  if (kind == "extension_on_torch") return up("extension");
  if (kind == "extension_on_gpu") return both(up("extension"), ", ", up("gpu"));
  if (kind == "framework") return both(both(entity.get("name"), " ", entity.get("version")), " in ", up("env"));
  if (kind == "framework_on_gpu") return both(up("framework"), ", ", up("gpu"));
  if (kind == "need") return both(entity.get("consumer"), " in ", up("env"));
  if (kind == "cudnn_on_gpu") return both(up("library"), ", ", up("gpu"));
  if (kind == "toolkit_on_gpu") return up("gpu");
  if (kind == "toolkit") return both("CUDA " + entity.get("version"), " in ", short_path(entity.id().key, facts));
  if (kind == "library") return both(entity.is("name", "nccl") ? "NCCL" : "cuDNN", " ", both(entity.get("version"), " in ", short_path(entity.id().key, facts)));
  if (kind == "driver_copy") return short_path(entity.id().key, facts);
  if (kind == "libtorch") return both("LibTorch", " ", both(entity.get("version"), " in ", short_path(entity.id().key, facts)));
  if (kind == "link") return both(both(entity.get("soname"), " for ", up("torch")), "", up("libtorch"));
  if (kind == "shadow") return both(up("torch"), "", up("libtorch"));
  if (kind == "program") return short_path(entity.id().key, facts);
  if (kind == "driver") return both("NVIDIA driver", " ", entity.get("version"));
  if (kind == "gpu_event") return up("gpu").empty() ? "GPU at " + entity.get("address") : up("gpu");
  if (kind == "fabric") return "the NVLink fabric";
  if (kind == "kernel") return "kernel " + entity.get("kernel");
  if (kind == "matrix_gap") return entity.get("what");
  if (kind == "compat_on_gpu") return both(up("driver_copy"), ", ", up("gpu"));
  if (kind == "asked") return short_path(entity.id().key, facts);
  if (kind == "variable") return entity.get("name");
  if (kind == "container") return "this container";
  return kind == "host" || kind == "engines" || kind == "rocm" ? "this machine" : entity.shown();
}

std::string filled(const std::string& sentence, const Facts& facts, const Entity& subject) {
  std::string result;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto close = sentence[at] == '{' ? sentence.find('}', at) : std::string::npos;
    if (close == std::string::npos) {
      result += sentence[at++];
      continue;
    }
    std::string key = sentence.substr(at + 1, close - at - 1);
    if (key.find('.') == std::string::npos) key = subject.id().kind + "." + key;
    const Look look = look_up(key, facts, subject);
    std::string text = look.state == State::known ? look.fact->text : look.state == State::absent ? "none" : "unknown";
    const auto* declared = declaration(key);
    if (declared && declared->type == Type::path) text = short_path(text, facts);
    if (declared && declared->type == Type::list && look.fact) text = joined(look.fact->list, declared->key == std::string("torch.archs") ? " " : ", ");
    if (key == "gpu.name" && look.entity && look.state != State::known) text = shown(facts, *look.entity);
    result += printable(text);
    at = close + 1;
  }
  return result;
}

}  // namespace gpudoctor
