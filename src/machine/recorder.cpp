// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/core.h>
#include <set>

#include "kept.hpp"
#include "machines.hpp"
#include "text.hpp"

namespace gpudoctor {

struct Recorder::Log {
  struct Answers {
    std::optional<Result<std::string>> text;
    std::map<Inspect, Result<std::vector<std::string>>> inspections;
    std::optional<Result<std::vector<std::string>>> unresolved;
  };
  std::map<std::string, Answers> files;
  std::map<std::string, Result<std::string>> links, real, variables;
  std::map<std::string, Result<std::vector<Entry>>> folders;
  std::map<std::string, Result<Info>> info;
  std::map<std::string, Result<Output>> commands;
};

Recorder::Recorder(const Machine& machine) : machine_(machine), log_(std::make_unique<Log>()) {}
Recorder::~Recorder() = default;

Machine::World Recorder::world() const { return machine_.world(); }
bool Recorder::running() const { return machine_.running(); }
bool Recorder::asks() const { return machine_.asks(); }
std::string Recorder::working_folder() const { return machine_.working_folder(); }
std::uint32_t Recorder::user_id() const { return machine_.user_id(); }
std::int64_t Recorder::now() const { return machine_.now(); }

Result<std::string> Recorder::read(const std::string& path, std::size_t limit) const {
  auto answer = machine_.read(path, limit);
  log_->files[path].text = answer ? Result<std::string>(kept_of_file(path, *answer)) : answer;
  return answer;
}
Result<std::vector<std::string>> Recorder::inspect(const std::string& path, Inspect what) const {
  auto answer = machine_.inspect(path, what);
  log_->files[path].inspections.insert_or_assign(what, answer);
  return answer;
}
Result<std::vector<std::string>> Recorder::unresolved(const std::string& path,
                                                      const std::vector<std::string>& libraries) const {
  auto answer = machine_.unresolved(path, libraries);
  log_->files[path].unresolved = answer;
  return answer;
}
Result<std::vector<Entry>> Recorder::list(const std::string& path) const {
  auto answer = machine_.list(path);
  log_->folders.insert_or_assign(path, answer);
  return answer;
}
Result<Info> Recorder::info(const std::string& path) const {
  auto answer = machine_.info(path);
  log_->info.insert_or_assign(path, answer);
  return answer;
}
Result<std::string> Recorder::link(const std::string& path) const {
  auto answer = machine_.link(path);
  log_->links.insert_or_assign(path, answer);
  return answer;
}
Result<std::string> Recorder::real(const std::string& path) const {
  auto answer = machine_.real(path);
  log_->real.insert_or_assign(path, answer);
  return answer;
}
Result<std::string> Recorder::variable(const std::string& name) const {
  auto answer = machine_.variable(name);
  log_->variables.insert_or_assign(name, answer);
  return answer;
}
Result<Output> Recorder::run(const std::vector<std::string>& argv, unsigned deadline_ms) const {
  auto answer = machine_.run(argv, deadline_ms);
  auto kept = answer;
  if (kept) kept->out = kept_of_output(argv, kept->out);
  log_->commands.insert_or_assign(joined(argv, " "), std::move(kept));
  return answer;
}

std::vector<std::string> Recorder::asked() const {
  std::vector<std::string> paths;
  const auto take = [&paths](const auto& section) { for (const auto& [path, answer] : section) paths.push_back(path); };
  take(log_->files), take(log_->folders), take(log_->links), take(log_->real), take(log_->info);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

namespace {

std::string error(const Miss& miss) {
  return fmt::format("{{ error = {}, says = {} }}", toml_quote(word(miss.why)), toml_quote(miss.says));
}

bool is_text(std::string_view text) { return printable(replaced(std::string(text), "\r", "")) == replaced(std::string(text), "\r", ""); }

class Writer {
 public:
  explicit Writer(Redactor* redactor) : redactor_(redactor) {}

  std::string quote(const std::string& text) {
    if (!is_text(text)) return toml_quote(printable(text));
    return toml_quote(redactor_ ? (*redactor_)(text) : text);
  }
  std::string list(const std::vector<std::string>& items) {
    std::vector<std::string> quoted;
    for (const auto& item : items) quoted.push_back(quote(item));
    return "[" + joined(quoted, ", ") + "]";
  }
  std::string value(const Result<std::string>& text) { return text ? quote(*text) : error(text.miss()); }
  std::string file_text(const Result<std::string>& text) {
    if (!text || is_text(*text)) return value(text);
    std::string hex = "{ hex = \"";
    for (const char c : *text) hex += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    return hex + "\" }";
  }
  template <class Map, class F>
  void section(const char* name, const Map& map, F&& write) {
    if (map.empty()) return;
    out += fmt::format("\n[{}]\n", name);
    std::set<std::string> written;   // hostile names may look alike once they are safe to print
    for (const auto& [key, answer] : map)
      if (const auto safe = quote(key); written.insert(safe).second) out += safe + " = " + write(answer) + "\n";
  }
  std::string out;

 private:
  Redactor* redactor_;
};

const char* mark(Kind kind) {
  switch (kind) {
    case Kind::folder: return "/";
    case Kind::link: return "@";
    case Kind::character: return "%";
    case Kind::block:
    case Kind::other: return "!";
    default: return "";
  }
}

const char* kind_word(Kind kind) {
  constexpr const char* words[] = {"file", "folder", "link", "character", "block", "other"};
  return words[static_cast<int>(kind)];
}

}  // namespace

std::string Recorder::toml(Redactor* redactor) const {
  Writer writer(redactor);
  writer.out = fmt::format("# A machine as gpudoctor saw it; `gpudoctor check --from FILE` judges it again.\n"
                           "[recording]\nformat = 1\nworld = \"open\"\nrunning = {}\nnow = {}\neuid = {}\nfolder = {}\n",
                           running(), now(), user_id(), writer.quote(working_folder()));
  writer.section("files", log_->files, [&](const Log::Answers& answers) {
    if (answers.inspections.empty() && !answers.unresolved) return writer.file_text(*answers.text);
    std::vector<std::string> parts;
    if (answers.text) parts.push_back("text = " + writer.value(*answers.text));
    for (const auto& [what, answer] : answers.inspections)
      parts.push_back(fmt::format("{} = {}", word(what), answer ? writer.list(*answer) : error(answer.miss())));
    if (const auto& names = answers.unresolved)
      parts.push_back("unresolved = " + (*names ? writer.list(**names) : error(names->miss())));
    return "{ " + joined(parts, ", ") + " }";
  });
  writer.section("links", log_->links, [&](const auto& answer) { return writer.value(answer); });
  writer.section("real", log_->real, [&](const auto& answer) { return writer.value(answer); });
  writer.section("folders", log_->folders, [&](const auto& answer) {
    if (!answer) return error(answer.miss());
    std::vector<std::string> names;
    for (const auto& entry : *answer) names.push_back(entry.name + mark(entry.kind));
    return writer.list(names);
  });
  writer.section("info", log_->info, [&](const auto& answer) {
    if (!answer) return error(answer.miss());
    return fmt::format("{{ kind = \"{}\", size = {}, mode = \"{:04o}\", owner = {}, group = {} }}", kind_word(answer->kind), answer->size,
                       answer->mode, answer->owner, answer->group);
  });
  writer.section("variables", log_->variables, [&](const auto& answer) { return writer.value(answer); });
  writer.section("commands", log_->commands, [&](const auto& answer) {
    if (!answer) return error(answer.miss());
    constexpr const char* ends[] = {"exited", "signalled", "timed-out", "not-started"};
    return fmt::format("{{ end = \"{}\", exit = {}, out = {}, err = {}, truncated = {}, abandoned = {}, says = {} }}",
                       ends[static_cast<int>(answer->end)], answer->code, writer.quote(answer->out), writer.quote(answer->err),
                       answer->truncated, answer->abandoned, writer.quote(answer->says));
  });
  return writer.out;
}

}  // namespace gpudoctor
