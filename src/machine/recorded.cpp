// SPDX-License-Identifier: Apache-2.0
// A machine from a file. In a closed world (written by hand) what is not listed does not exist; in an open one (written by
// `gpudoctor record`) it was not looked at, and absences are listed.
#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>

#include "machines.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

using Lines = std::vector<std::string>;

/// One file: its text, its answers to bounded questions, or why it could not be read.
struct File {
  Result<std::string> text = Miss{Why::not_looked, "the recording holds no text of it"};
  std::map<Inspect, Result<Lines>> answers;
  std::optional<Result<Lines>> unresolved;
};

struct Sections {
  std::map<std::string, File> files;
  std::map<std::string, Result<std::string>> links, real, variables;
  std::map<std::string, Result<std::vector<Entry>>> folders;
  std::map<std::string, Result<Info>> info;
  std::map<std::string, Result<Output>> commands;
};

/// Reads the document; anything that it does not know is an error with its place.
class Loader {
 public:
  Loader(const Node& document, std::string name) : document_(document), name_(std::move(name)) {}

  Sections load() {
    for (const auto& [key, node] : document_.fields) {
      if (key == "recording" || key == "expect") continue;
      if (!node.is_table()) bad(name_, node, "[" + key + "] should be a table");
      for (const auto& [item, value] : node.fields) {
        if (key != "variables" && key != "commands" && !item.starts_with('/')) bad(name_, value, "'" + item + "' is no absolute path");
        if (key == "files") sections_.files.emplace(item, file(value));
        else if (key == "links") sections_.links.emplace(item, text(value));
        else if (key == "real") sections_.real.emplace(item, text(value));
        else if (key == "variables") sections_.variables.emplace(item, text(value));
        else if (key == "folders") sections_.folders.emplace(item, folder(value));
        else if (key == "info") sections_.info.emplace(item, info(value));
        else if (key == "commands") sections_.commands.emplace(item, command(value));
        else bad(name_, node, "a recording has no table [" + key + "]");
      }
    }
    return std::move(sections_);
  }

  template <class Number>
  Number number(const Node& node, std::string_view key, Number otherwise, int base = 10) const {
    const Node* field = node.find(key);
    if (!field) return otherwise;
    const bool as_text = base != 10;   // modes are written "0644"
    Number value{};
    const auto& text = field->text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (field->form != (as_text ? Node::Form::text : Node::Form::number) || error != std::errc() || end != text.data() + text.size())
      bad(name_, *field, "'" + std::string(key) + "' is no such number");
    return value;
  }

  bool flag(const Node& node, std::string_view key) const {
    const Node* field = node.find(key);
    if (field && field->form != Node::Form::flag) bad(name_, *field, "expected true or false");
    return field && field->text == "true";
  }

 private:
  void only(const Node& node, std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : node.fields)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) bad(name_, value, "unknown key '" + key + "'");
  }

  std::optional<Miss> miss(const Node& node) const {
    if (!node.is_table() || !node.find("error")) return std::nullopt;
    only(node, {"error", "says"});
    const auto name = node.get("error");
    const Why why = why_from_word(name);
    if (name != word(why)) bad(name_, node, "unknown error '" + name + "'");
    static const std::map<Why, const char*> usual{{Why::absent, "not there"}, {Why::refused, "permission denied"}, {Why::loop, "a loop of links"},
                                                  {Why::not_regular, "not a regular file"}, {Why::too_large, "too large"}};
    const auto says = usual.find(why);
    return Miss{why, node.get("says", says == usual.end() ? name : says->second)};
  }

  const std::string& plain(const Node& node) const {
    if (node.form != Node::Form::text) bad(name_, node, "expected a text");
    return node.text;
  }

  Result<std::string> text(const Node& node) const {
    if (const auto missed = miss(node)) return *missed;
    return plain(node);
  }

  std::string optional_text(const Node& node, std::string_view key) const {
    const Node* field = node.find(key);
    return field ? plain(*field) : std::string();
  }

  std::string unhex(const Node& node) const {
    std::string bytes;
    const auto& hex = plain(node);
    if (hex.size() % 2 != 0) bad(name_, node, "no hexadecimal text");
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      const auto digits = std::string_view("0123456789abcdef");
      const auto high = digits.find(hex[i]), low = digits.find(hex[i + 1]);
      if (high == std::string_view::npos || low == std::string_view::npos) bad(name_, node, "no hexadecimal text");
      bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
  }

  File file(const Node& node) const {
    File result;
    if (node.form == Node::Form::text) return result.text = node.text, result;
    if (!node.is_table()) bad(name_, node, "expected a text or a table");
    if (const auto missed = miss(node)) return result.text = *missed, result;
    for (const auto& [key, value] : node.fields) {
      if (key == "text") result.text = text(value);
      else if (key == "hex") result.text = unhex(value);
      else if (key == "unresolved") result.unresolved = answer(value);
      else if (const auto what = inspect_from_word(key)) result.answers.emplace(*what, answer(value));
      else bad(name_, value, "unknown key '" + key + "'");
    }
    return result;
  }

  Result<Lines> answer(const Node& node) const {
    if (const auto missed = miss(node)) return *missed;
    Lines result;
    for (const auto& [key, value] : node.fields) result.push_back(key + "=" + plain(value));
    for (const auto& item : node.items) result.push_back(plain(item));
    if (!node.is_table() && !node.is_list()) result = {plain(node)};
    return result;
  }

  Result<std::vector<Entry>> folder(const Node& node) const {
    if (const auto missed = miss(node)) return *missed;
    if (!node.is_list()) bad(name_, node, "expected a list of names");
    std::vector<Entry> entries;
    for (const auto& item : node.items) {
      Entry entry{plain(item), Kind::file};
      if (const auto mark = std::string_view("/@%!").find(item.text.empty() ? 'x' : item.text.back()); mark != std::string_view::npos) {
        constexpr Kind kinds[] = {Kind::folder, Kind::link, Kind::character, Kind::other};
        entry.kind = kinds[mark];
        entry.name.pop_back();
      }
      if (entry.name.empty() || contains(entry.name, "/")) bad(name_, item, "'" + item.text + "' is no name");
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  Result<Info> info(const Node& node) const {
    if (const auto missed = miss(node)) return *missed;
    if (!node.is_table()) bad(name_, node, "expected a table");
    only(node, {"kind", "mode", "owner", "group", "size"});
    static const std::map<std::string, Kind> kinds{{"file", Kind::file}, {"folder", Kind::folder}, {"character", Kind::character},
                                                   {"block", Kind::block}, {"other", Kind::other}};
    const auto kind = kinds.find(node.get("kind", "file"));
    if (kind == kinds.end()) bad(name_, node, "unknown kind '" + node.get("kind") + "'");
    return Info{kind->second, number<std::uint64_t>(node, "size", 0), number<std::uint32_t>(node, "mode", 0644, 8),
                number<std::uint32_t>(node, "owner", 0), number<std::uint32_t>(node, "group", 0)};
  }

  Result<Output> command(const Node& node) const {
    if (const auto missed = miss(node)) return *missed;
    if (!node.is_table()) bad(name_, node, "expected a table");
    only(node, {"exit", "signal", "end", "out", "err", "truncated", "abandoned", "says"});
    Output output;
    output.code = number(node, node.find("signal") ? "signal" : "exit", 0);
    static const std::map<std::string, Output::End> ends{{"exited", Output::End::exited}, {"signalled", Output::End::signalled},
                                                         {"timed-out", Output::End::timed_out}, {"not-started", Output::End::not_started}};
    const auto end = ends.find(node.get("end", node.find("signal") ? "signalled" : "exited"));
    if (end == ends.end()) bad(name_, node, "unknown end '" + node.get("end") + "'");
    output.end = end->second;
    output.out = optional_text(node, "out"), output.err = optional_text(node, "err"), output.says = optional_text(node, "says");
    output.truncated = flag(node, "truncated"), output.abandoned = flag(node, "abandoned");
    return output;
  }

  const Node& document_;
  std::string name_;
  Sections sections_;
};

class Recorded final : public Machine {
 public:
  Recorded(const Node& document, const std::string& name) : sections_(Loader(document, name).load()) {
    const Node& head = *document.find("recording");
    for (const auto& [key, value] : head.fields) {
      static const std::set<std::string> keys{"format", "world", "now", "euid", "running", "folder", "tool", "note"};
      if (!keys.contains(key)) bad(name, value, "unknown key '" + key + "' in [recording]");
    }
    if (head.get("format", "1") != "1") bad(name, head, "this recording has format " + head.get("format") + "; this program reads format 1");
    const auto world = head.get("world", "closed");
    if (world != "closed" && world != "open") bad(name, head, "world should be \"closed\" or \"open\"");
    closed_ = world == "closed";
    const Loader read(head, name);
    running_ = !head.find("running") || read.flag(head, "running");
    user_ = read.number<std::uint32_t>(head, "euid", 1000);
    folder_ = head.get("folder", "/");
    if (!folder_.starts_with('/')) bad(name, *head.find("folder"), "'" + folder_ + "' is no absolute path");
    std::tm time{};
    if (const Node* now = head.find("now"); now && now->form == Node::Form::number) now_ = read.number<std::int64_t>(head, "now", 0);
    else if (now && ::strptime(now->text.c_str(), "%Y-%m-%dT%H:%M:%S", &time)) now_ = ::timegm(&time);
    else if (now) bad(name, *now, "'now' is no time");
    for (const auto& [path, file] : sections_.files) if (!file.text.is_absent()) imply(path, Kind::file);
    for (const auto& [path, target] : sections_.links) if (target) imply(path, Kind::link);
    for (const auto& [path, entries] : sections_.folders) if (entries) imply(path, Kind::folder);
    for (const auto& [path, info] : sections_.info) if (info) imply(path, info->kind);
  }

  World world() const override { return World::recorded; }
  bool running() const override { return running_; }
  bool asks() const override { return false; }

  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    const File* file = nullptr;
    if (const auto missed = find_file(path, file)) return *missed;
    if (file->text && file->text->size() > limit) return Miss{Why::too_large, "larger than " + std::to_string(limit) + " bytes"};
    return file->text;
  }

  Result<std::vector<std::string>> inspect(const std::string& path, Inspect what) const override {
    const File* file = nullptr;
    if (const auto missed = find_file(path, file)) return *missed;
    if (const auto answer = file->answers.find(what); answer != file->answers.end()) return answer->second;
    return holds_no(*file, word(what));
  }

  /// A recording was made with the libraries that lay there.
  Result<std::vector<std::string>> unresolved(const std::string& path, const std::vector<std::string>&) const override {
    const File* file = nullptr;
    if (const auto missed = find_file(path, file)) return *missed;
    if (file->unresolved) return *file->unresolved;
    return holds_no(*file, "unresolved names");
  }

  Result<std::vector<Entry>> list(const std::string& path) const override {
    std::string plain = path;
    if (!sections_.folders.contains(path)) {
      auto resolved = real(path);
      if (!resolved) return resolved.miss();
      plain = *resolved;
    }
    const auto listed = sections_.folders.find(plain);
    if (listed != sections_.folders.end() && !listed->second) return listed->second;
    const auto implied = implied_.find(plain);
    std::map<std::string, Kind> names;
    if (implied != implied_.end()) names = implied->second;
    if (listed != sections_.folders.end()) for (const auto& entry : *listed->second) names[entry.name] = entry.kind;
    if (listed == sections_.folders.end() && implied == implied_.end()) return nowhere(plain);
    std::vector<Entry> entries;
    for (const auto& [name, kind] : names) entries.push_back({name, kind});
    return entries;
  }

  Result<Info> info(const std::string& path) const override {
    if (const auto found = sections_.info.find(path); found != sections_.info.end()) return found->second;
    const auto plain = real(path);
    if (!plain) return plain.miss();
    if (const auto found = sections_.info.find(*plain); found != sections_.info.end()) return found->second;
    if (const auto file = sections_.files.find(*plain); file != sections_.files.end()) {
      if (file->second.text.is_absent()) return file->second.text.miss();
      const bool regular = file->second.text || file->second.text.miss().why != Why::not_regular;
      return Info{regular ? Kind::file : Kind::other, file->second.text ? file->second.text->size() : 0, 0644, 0, 0};
    }
    if (implied_.contains(*plain) || sections_.folders.contains(*plain)) return Info{Kind::folder, 0, 0755, 0, 0};
    return nowhere(*plain);
  }

  Result<std::string> link(const std::string& path) const override {
    if (const auto found = sections_.links.find(path); found != sections_.links.end()) return found->second;
    const auto folder = real(parent(path));
    if (!folder) return folder.miss();
    const auto found = sections_.links.find(join(*folder, base_name(path)));
    return found != sections_.links.end() ? found->second : nowhere(path);
  }

  Result<std::string> real(const std::string& path) const override {
    if (const auto found = sections_.real.find(path); found != sections_.real.end()) return found->second;
    std::vector<std::string> done, todo;
    const auto push = [&todo](std::string_view text) {
      auto parts = split(text, '/');
      for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        if (!part->empty() && *part != ".") todo.emplace_back(*part);
    };
    push(path);
    for (int links = 0; !todo.empty();) {
      const std::string part = std::move(todo.back());
      todo.pop_back();
      if (part == "..") {
        if (!done.empty()) done.pop_back();
        continue;
      }
      done.push_back(part);
      const std::string so_far = "/" + joined(done, "/");
      const auto target = sections_.links.find(so_far);
      if (target == sections_.links.end() || !target->second) continue;
      if (++links > 40) return Miss{Why::loop, "a loop of links"};
      done.pop_back();
      if (target->second->starts_with('/')) done.clear();
      push(*target->second);
    }
    const std::string plain = "/" + joined(done, "/");
    if (there(plain)) return plain;
    return nowhere(plain);
  }

  Result<std::string> variable(const std::string& name) const override {
    if (!running_) return Miss{Why::not_running, "a root has no variables"};
    if (const auto found = sections_.variables.find(name); found != sections_.variables.end()) return found->second;
    return nowhere(name);
  }

  Result<Output> run(const std::vector<std::string>& argv, unsigned) const override {
    if (const auto found = sections_.commands.find(joined(argv, " ")); found != sections_.commands.end()) return found->second;
    return Miss{Why::not_looked, "the recording holds no answer of it"};
  }

  std::string working_folder() const override { return folder_; }
  std::uint32_t user_id() const override { return user_; }
  std::int64_t now() const override { return now_; }

 private:
  Miss holds_no(const File& file, const std::string& what) const {
    if (!file.text && file.text.miss().why != Why::not_looked) return file.text.miss();
    return {closed_ ? Why::malformed : Why::not_looked, "the recording holds no " + what + " of it"};
  }

  Miss nowhere(const std::string&) const {
    return closed_ ? Miss{Why::absent, "not there"} : Miss{Why::not_looked, "not in the recording"};
  }

  bool there(const std::string& path) const {
    return path == "/" || sections_.files.contains(path) || sections_.folders.contains(path) || sections_.info.contains(path) || implied_.contains(path);
  }

  std::optional<Miss> find_file(const std::string& path, const File*& file) const {
    auto found = sections_.files.find(path);
    if (found == sections_.files.end()) {
      const auto plain = real(path);
      if (!plain) return plain.miss();
      found = sections_.files.find(*plain);
      if (found == sections_.files.end()) {
        if (implied_.contains(*plain)) return Miss{Why::not_regular, "a folder, not a file"};
        if (const auto info = sections_.info.find(*plain); info != sections_.info.end() && info->second && info->second->kind != Kind::file)
          return Miss{Why::not_regular, "not a regular file"};
        return nowhere(*plain);
      }
    }
    file = &found->second;
    return std::nullopt;
  }

  void imply(std::string path, Kind kind) {
    while (path != "/") {
      const auto up = parent(path);
      if (up.empty()) return;
      const auto [entry, fresh] = implied_[up].emplace(base_name(path), kind);
      if (!fresh) return;
      path = up, kind = Kind::folder;
    }
  }

  Sections sections_;
  std::map<std::string, std::map<std::string, Kind>> implied_;   // folder → what the listed paths put into it
  bool closed_ = true, running_ = true;
  std::uint32_t user_ = 1000;
  std::int64_t now_ = 0;
  std::string folder_ = "/";
};

}  // namespace

bool is_recording(const Node& document) {
  const Node* head = document.find("recording");
  return head && head->is_table();
}

std::unique_ptr<Machine> open_recording(const Node& document, const std::string& name) {
  if (!is_recording(document)) bad(name, document, "no [recording] table");
  return std::make_unique<Recorded>(document, name);
}

}  // namespace gpudoctor
