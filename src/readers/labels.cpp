// SPDX-License-Identifier: Apache-2.0
// "Label: value" lines: PyTorch's collect_env of all ages, vLLM's and SGLang's variants of it, and what people fill into the
// forms of issue trackers. What a tool prints under its own label counts as a tool's word, the rest as prose.
#include <algorithm>
#include <map>

#include "label_values.hpp"
#include "packages_python.hpp"
#include "reader.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

using Say = void (*)(Said& said, const std::string& value, const Witness& witness);

void say_version(Entity& entity, const char* fact, const std::string& value, const Witness& witness) {
  if (const auto version = leading_version(value); !version.empty()) entity.known(fact, version, witness);
}

void torch_version(Said& said, const std::string& value, const Witness& witness) {
  const auto parts = words(value);
  if (parts.empty()) return;
  auto text = std::string(parts.front());
  if (text.starts_with('v')) text = text.substr(1);
  if (Version(text, Scheme::pep440).valid() && contains(text, ".") && !contains(text, ".x")) said.torch().known("version", text, witness);
}

void torch_cuda(Said& said, const std::string& value, const Witness& witness) {
  if (const auto version = leading_version(value); contains(version, ".")) said.torch().known("cuda", Version(version).first(2), witness);
  else if (lower(value) == "none") said.torch().absent("cuda", witness);
}

void torch_rocm(Said& said, const std::string& value, const Witness& witness) {
  if (const auto version = leading_version(value); contains(version, ".")) said.torch().known("rocm", Version(version).first(2), witness).known("backend", "rocm", witness);
}

void sees_gpu(Said& said, const std::string& value, const Witness& witness) {
  const auto text = lower(value);
  if (text.starts_with("true") || text.starts_with("yes")) said.torch().known("sees_gpu", "yes", witness);
  else if (text.starts_with("false") || text.starts_with("no")) said.torch().known("sees_gpu", "no", witness);
}

void driver(Said& said, const std::string& value, const Witness& witness) { say_version(said.driver(), "loaded", value, witness); }
void driver_cuda(Said& said, const std::string& value, const Witness& witness) {
  if (const auto version = leading_version(value); contains(version, ".")) said.driver().known("cuda", version, witness);
}
void nvcc(Said& said, const std::string& value, const Witness& witness) {
  auto text = std::string_view(value);
  if (const auto at = text.find("release "); at != std::string_view::npos) text = text.substr(at + 8);
  if (const auto build = value.find(", V"); build != std::string::npos) text = std::string_view(value).substr(build + 3);
  if (const auto version = leading_version(text); contains(version, ".")) said.toolkit(version, "path", witness);
}
void toolkit(Said& said, const std::string& value, const Witness& witness) {
  for (const auto part : split(value, ','))
    if (const auto version = leading_version(part); contains(version, ".")) said.toolkit(version, "", witness);
}
void cudnn(Said& said, const std::string& value, const Witness& witness) {
  if (const auto version = leading_version(value); contains(version, ".")) said.library("cudnn", Version(version).first(3), witness);
}
void gcc(Said& said, const std::string& value, const Witness& witness) {
  if (const auto version = gcc_version(value); !version.empty()) said.host().known("gcc", version, witness);
}
void glibc(Said& said, const std::string& value, const Witness& witness) {
  say_version(said.host(), "glibc", value.starts_with("glibc-") ? value.substr(6) : value, witness);
}
void kernel(Said& said, const std::string& value, const Witness& witness) {
  const auto parts = words(value);
  if (parts.empty() || leading_version(parts.front()).empty()) return;
  said.host().known("kernel", std::string(parts.front()), witness);
  if (const auto numbers = find_version(parts.front()); !numbers.empty()) said.host().known("kernel_version", numbers, witness);
}
void arch(Said& said, const std::string& value, const Witness& witness) {
  const auto text = lower(trim(value));
  if (text == "x86_64" || text == "amd64") said.host().known("arch", "x86_64", witness);
  if (text == "aarch64" || text == "arm64") said.host().known("arch", "aarch64", witness);
}
void python(Said& said, const std::string& value, const Witness& witness) { say_version(said.env(), "python", value, witness); }
void gpus(Said& said, const std::string& value, const Witness& witness) {
  for (const auto& name : gpu_names(value)) said.gpu(name, witness.rank == Rank::prose ? "prose" : "collect_env", witness);
}
void capability(Said& said, const std::string& value, const Witness& witness) {
  const auto all = said.facts.of("gpu");
  std::size_t i = 0;
  for (const auto part : split(value, ','))
    if (const auto version = leading_version(trim(part)); contains(version, ".") && i < all.size()) all[i++]->known("compute_capability", version, witness);
}
void container(Said& said, const std::string& value, const Witness& witness) {
  if (const auto text = lower(value); !is_nothing(text) && text != "no") said.container().known("inside", "yes", witness);
}
void nothing(Said&, const std::string&, const Witness&) {}

struct Label {
  const char* reader;   ///< whose line it is; "form" for what a person wrote
  Say say;
};

/// Labels in lower case, as they stand before the colon.
const std::map<std::string_view, Label>& known_labels() {
  static const std::map<std::string_view, Label> all = {
      // PyTorch's collect_env, and vLLM's
      {"pytorch version", {"collect_env", torch_version}},
      {"cuda used to build pytorch", {"collect_env", torch_cuda}},
      {"rocm used to build pytorch", {"collect_env", torch_rocm}},
      {"is debug build", {"collect_env", nothing}},
      {"gcc version", {"collect_env", gcc}},
      {"clang version", {"collect_env", nothing}},
      {"cmake version", {"collect_env", nothing}},
      {"libc version", {"collect_env", glibc}},
      {"python version", {"collect_env", python}},
      {"python platform", {"collect_env", [](Said& said, const std::string& value, const Witness& witness) { say_platform(value, said, witness); }}},
      {"is cuda available", {"collect_env", sees_gpu}},
      {"cuda runtime version", {"collect_env", nvcc}},
      {"cuda_module_loading set to", {"collect_env", nothing}},
      {"nvidia driver version", {"collect_env", driver}},
      {"hip runtime version", {"collect_env", nothing}},
      {"miopen runtime version", {"collect_env", nothing}},
      {"is xnnpack available", {"collect_env", nothing}},
      {"vllm version", {"collect_env", [](Said& said, const std::string& value, const Witness& witness) {
         if (const auto version = leading_version(value); contains(version, ".")) said.package("vllm", version, "pip", witness);
       }}},
      // SGLang's check_env
      {"pytorch", {"check_env", torch_version}},
      {"cuda available", {"check_env", sees_gpu}},
      {"rocm available", {"check_env", [](Said& said, const std::string& value, const Witness& witness) {
         if (lower(value) == "true") said.torch().known("backend", "rocm", witness);
       }}},
      {"nvcc", {"check_env", nvcc}},
      {"cuda driver version", {"check_env", driver}},
      // forms
      {"os", {"form", [](Said& said, const std::string& value, const Witness& witness) { say_system(value, said, witness); }}},
      {"operating system", {"form", [](Said& said, const std::string& value, const Witness& witness) { say_system(value, said, witness); }}},
      {"gpu", {"form", gpus}},
      {"gpus", {"form", gpus}},
      {"gpu model", {"form", gpus}},
      {"graphics card", {"form", gpus}},
      {"compute capability", {"form", capability}},
      {"driver", {"form", driver}},
      {"driver version", {"form", driver}},
      {"nvidia driver", {"form", driver}},
      {"cuda (nvidia-smi)", {"form", driver_cuda}},
      {"torch", {"form", torch_version}},
      {"torch version", {"form", torch_version}},
      {"torch cuda", {"form", torch_cuda}},
      {"python", {"form", python}},
      {"cuda toolkit", {"form", toolkit}},
      {"cudnn", {"form", cudnn}},
      {"gcc", {"form", gcc}},
      {"glibc", {"form", glibc}},
      {"kernel", {"form", kernel}},
      {"architecture", {"form", arch}},
      {"container", {"form", container}},
  };
  return all;
}

}  // namespace

std::optional<Labelled> labelled(std::string_view line) {
  line = trim(line);
  for (const std::string_view mark : {"- ", "* ", "+ ", "\xE2\x80\xA2 "})
    if (line.starts_with(mark)) line = trim(line.substr(mark.size()));
  if (line.starts_with('[') && line.size() > 3 && line[2] == ']') line = trim(line.substr(3));   // "- [x] "
  std::string text;
  for (const char c : line.substr(0, 200))
    if (c != '*' && c != '`') text += c;   // **OS**: and `OS`:
  if (line.size() > 200) text += line.substr(200);
  const auto colon = text.find(": "), equals = text.find(" = "), end = text.ends_with(':') ? text.size() - 1 : std::string::npos;
  const auto at = std::min({colon, equals, end});
  if (at == std::string::npos || at == 0 || at > 60) return std::nullopt;
  const auto rest = std::min(at + (at == equals ? 3 : 1), text.size());
  return Labelled{lower(trim(std::string_view(text).substr(0, at))), std::string(trim(std::string_view(text).substr(rest)))};
}

namespace {

/// "GPU models and configuration:" with the names behind it or one a line below; a GPU of CUDA's order.
std::size_t gpu_models(Paste& paste, std::size_t i, const std::string& value, Said& said) {
  const auto say = [&](std::size_t at, std::string_view text) {
    if (!text.starts_with("GPU ") || !contains(text, ": ")) return false;
    const auto name = trim(text.substr(text.find(": ") + 2));
    if (!is_nothing(name)) said.gpu(name.substr(0, std::min(name.find(" (UUID"), name.size())), "collect_env", paste.witness(at, "collect_env"));
    return true;
  };
  if (!value.empty() && !say(i, value) && !is_nothing(value)) gpus(said, value, paste.witness(i, "collect_env"));
  while (i + 1 < paste.size() && say(i + 1, trim(paste[i + 1].text))) paste.take(++i);
  return i;
}

/// "cuDNN version: Probably one of the following:" with paths below, whose file names tell it.
std::size_t cudnn_files(Paste& paste, std::size_t i, const std::string& value, Said& said) {
  const auto say = [&](std::size_t at, std::string_view text) {
    const auto file = text.find("libcudnn.so.");
    if (file != std::string_view::npos) cudnn(said, std::string(text.substr(file + 12)), paste.witness(at, "collect_env"));
    return contains(text, "cudnn");
  };
  say(i, value);
  while (i + 1 < paste.size() && say(i + 1, trim(paste[i + 1].text))) paste.take(++i);
  return i;
}

/// "NAME=value" of the environment's variables.
bool variable(const Paste& paste, std::size_t i, Said& said) {
  std::string_view line = trim(paste[i].text);
  for (const std::string_view start : {"export ", "set ", "ENV "})
    if (line.starts_with(start)) line = trim(line.substr(start.size()));
  const auto sign = line.find('=');
  if (sign == std::string_view::npos || sign < 3 || sign > 60 || line.substr(sign).starts_with("==")) return false;
  const auto name = line.substr(0, sign);
  if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string_view::npos) return false;
  auto value = trim(line.substr(sign + 1));
  if (value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) value = value.substr(1, value.size() - 2);
  said.variable(name, value, paste.witness(i, "variable"));
  return true;
}

}  // namespace

void read_labels(Paste& paste, Said& said) {
  for (std::size_t i = 0; i < paste.size(); ++i) {
    if (paste.taken(i)) continue;
    if (variable(paste, i, said)) { paste.take(i); continue; }
    std::string_view line = paste[i].text;
    // A terminal that joins the first lines: "Collecting environment information... PyTorch version: 2.4.0".
    if (line.starts_with("Collecting environment information... ")) line = trim(line.substr(38));
    const auto label = labelled(line);
    if (!label) continue;
    if (label->name == "gpu models and configuration") { paste.take(i), i = gpu_models(paste, i, label->value, said); continue; }
    if (label->name == "cudnn version") { paste.take(i), i = cudnn_files(paste, i, label->value, said); continue; }
    const auto found = known_labels().find(label->name);
    if (found == known_labels().end()) continue;
    paste.take(i);
    if (!is_nothing(label->value) || lower(label->value) == "none")
      found->second.say(said, label->value, paste.witness(i, found->second.reader, std::string_view(found->second.reader) == "form" ? Rank::prose : Rank::tool));
  }
}

}  // namespace gpudoctor
