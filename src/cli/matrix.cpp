// SPDX-License-Identifier: Apache-2.0
// `gpudoctor matrix TABLE`: the tables for people, with what of them fits this machine.
#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "matrix_marks.hpp"
#include "pipeline.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

struct Shape {
  std::string table, list;
  std::vector<std::string> columns;   ///< the last one is cut to the width
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"torch", "release", {"torch", "tag", "cuda", "python", "cudnn", "nccl", "archs"}},
      {"cuda", "release", {"cuda", "cudart", "driver", "branch", "floor"}},
      {"driver", "branch", {"branch", "cuda", "type", "first", "last", "eol", "drops-after"}},
      {"gpu", "nvidia", {"id", "chip", "cc", "class", "names"}},
      {"gpu", "amd", {"id", "gfx", "names"}},
      {"cudnn", "release", {"cudnn", "full", "cuda", "cc-min", "driver"}},
      {"nccl", "release", {"nccl", "date", "cuda", "cc-min", "apt-cuda"}},
      {"compiler", "nvcc", {"cuda", "gcc", "clang", "msvc"}},
      {"framework", "release", {"framework", "versions", "python", "cuda", "cudnn", "note"}},
      {"ngc", "image", {"tag", "torch", "cuda", "driver", "python", "note"}},
      {"jetson", "jetpack", {"jetpack", "l4t", "cuda", "cudnn", "python"}},
      {"rocm", "release", {"rocm", "gfx"}},
      {"libtorch", "archive", {"from", "to", "on", "abi", "name"}},
      {"code", "cuda", {"code", "name", "means"}},
      {"xid", "xid", {"xid", "group", "means"}}};
  return all;
}

/// A value in one line: lists by spaces, tables as "linux 525.60.13, windows 527.41".
std::string plain(const Node& node) {
  std::string text = node.text;
  for (const auto& item : node.items) text += (text.empty() ? "" : " ") + plain(item);
  for (const auto& [key, value] : node.fields) text += (text.empty() ? "" : ", ") + key + " " + plain(value);
  return printable(replaced(text, "\n", " "));
}

std::string cell(const std::string& column, const Node& row, const Node* variant, const std::string& platform) {
  const Node* node = variant && variant->find(column) ? variant->find(column) : row.find(column);
  if (!node) return {};
  if (column == "archs" && !node->get(platform).empty()) return node->get(platform);
  if ((column == "driver" || column == "floor") && !node->get("linux").empty()) return node->get("linux");
  if (const Node *min = node->find("min"), *below = node->find("below"), *max = node->find("max"); min || max || below)
    return (min ? min->text : "") + "-" + (max ? max->text : below ? "<" + below->text : "");
  return plain(*node);
}

std::string json_of(const Node& node) {
  if (node.form == Node::Form::number || node.form == Node::Form::flag) return node.text;
  if (!node.is_list() && !node.is_table()) return toml_quote(node.text);
  std::string text;
  for (const auto& item : node.items) text += (text.empty() ? "" : ", ") + json_of(item);
  for (const auto& [key, value] : node.fields) text += (text.empty() ? "" : ", ") + toml_quote(key) + ": " + json_of(value);
  return node.is_list() ? "[" + text + "]" : "{" + text + "}";
}

std::string cut(const std::string& text, std::size_t columns, bool utf8) {
  if (width(text) <= columns) return text;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts && width(result) + 1 >= columns) break;
    result += text[i];
  }
  return result + (utf8 ? "…" : "~");
}

bool of_cuda(const std::string& wanted, const Node& row, const Node* variant) {
  const Node& from = variant ? *variant : row;
  const auto list = from.list("cuda");
  return std::any_of(list.begin(), list.end(), [&](const auto& one) { return one == wanted || one.starts_with(wanted + "."); });
}

class Printer {
 public:
  Printer(const Options& options, const Pipeline& pipeline, Style style)
      : options_(options), pipeline_(pipeline), style_(style), platform_("linux-" + (pipeline.facts().find("host") && pipeline.facts().find("host")->has("arch") ? pipeline.facts().find("host")->get("arch") : "x86_64")) {}

  void list(const Shape& shape, const Node& rows) {
    const Marks marks = marks_for(shape.table, shape.list, pipeline_.matrix(), pipeline_.facts());
    std::vector<std::vector<std::string>> lines;
    std::string json;
    const auto add = [&](const Node& row, const Node* variant) {
      if (!wanted(row, variant)) return;
      const bool marked = marks.marked && marks.marked(row, variant);
      auto& line = lines.emplace_back(std::vector<std::string>{marked ? "*" : " "});
      for (const auto& column : shape.columns) line.push_back(cell(column, row, variant, platform_));
    };
    for (const auto& row : rows.items) {
      const Node* variants = row.find("variant");
      const std::size_t before = lines.size();
      if (!variants) add(row, nullptr);
      else
        for (const auto& variant : variants->items) add(row, &variant);
      if (lines.size() == before) continue;
      any_ = true;
      std::string here;
      for (std::size_t i = before; i < lines.size(); ++i)
        if (lines[i][0] == "*") here += (here.empty() ? "" : ", ") + toml_quote(variants ? lines[i][2] : lines[i][1]);
      json += (json.empty() ? "" : ",\n") + fmt::format("      {{\"here\": [{}], \"row\": {}}}", here, json_of(row));
    }
    if (options_.format == "json") {
      json_ += (json_.empty() ? "" : ",\n") + fmt::format("    {}: {{\"mark\": {}, \"rows\": [\n{}\n    ]}}", toml_quote(shape.list), toml_quote(marks.says), json);
      return;
    }
    table(shape, lines);
    if (!marks.says.empty() && !lines.empty()) text_ += "\n" + marks.says + "\n";
  }

  bool empty() const { return options_.format == "json" ? !any_ : text_.empty(); }
  void say(const std::string& line) { text_ += (text_.empty() ? "" : "\n") + line + "\n"; }

  std::string result(const std::string& table, const Node& document) const {
    if (options_.format == "json")
      return fmt::format("{{\n  \"table\": {}, \"date\": {},\n  \"lists\": {{\n{}\n  }}\n}}\n", toml_quote(table), toml_quote(document.get("date")), json_);
    return text_;
  }

 private:
  bool wanted(const Node& row, const Node* variant) const {
    if (!options_.cuda.empty() && !of_cuda(options_.cuda, row, variant)) return false;
    std::string all;
    for (const auto& [key, value] : row.fields)
      if (key != "variant" && key != "source") all += plain(value) + "\n";
    if (variant) all += plain(*variant);
    all = lower(all);
    return std::all_of(options_.filters.begin(), options_.filters.end(), [&](const auto& word) { return contains(all, lower(word)); });
  }

  void table(const Shape& shape, const std::vector<std::vector<std::string>>& lines) {
    if (lines.empty()) return;
    std::vector<std::size_t> widths(shape.columns.size() + 1, 1);
    for (std::size_t i = 0; i < shape.columns.size(); ++i) {
      widths[i + 1] = width(shape.columns[i]);
      for (const auto& line : lines) widths[i + 1] = std::max(widths[i + 1], std::min<std::size_t>(width(line[i + 1]), 24));
    }
    std::vector<std::string> head{" "};
    head.insert(head.end(), shape.columns.begin(), shape.columns.end());
    text_ += (text_.empty() ? "" : "\n") + row_line(head, widths);
    for (const auto& line : lines) text_ += row_line(line, widths);
  }

  std::string row_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t used = width(line), room = style_.width > used ? style_.width - used : 0;
      if (room < 4) break;
      const bool last = i + 1 == cells.size();
      const auto text = cut(cells[i], last ? room : std::min(widths[i], room), style_.utf8);
      line += text;
      if (!last) line += std::string(std::min(widths[i], room) - width(text), ' ') + (i == 0 ? " " : "  ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  const Options& options_;
  const Pipeline& pipeline_;
  Style style_;
  std::string platform_, text_, json_;
  bool any_ = false;
};

bool is_list(const Node& node) { return node.is_list() && !node.items.empty() && node.items.front().is_table(); }

std::vector<std::string> lists_of(const Node& document) {
  std::vector<std::string> names;
  for (const auto& [key, rows] : document.fields)
    if (is_list(rows)) names.push_back(key);
  return names;
}

/// How a list is shown: as `shapes` says, else by the columns that its rows have, in their order.
Shape shape_of(const std::string& table, const std::string& list, const Node& rows) {
  for (const auto& shape : shapes())
    if (shape.table == table && shape.list == list) return shape;
  Shape shape{table, list, {}};
  for (const auto& row : rows.items)
    for (const auto& [name, value] : row.fields) {
      const bool kept = name != "source" && name != "confidence" && name != "note" && std::find(shape.columns.begin(), shape.columns.end(), name) == shape.columns.end();
      if (kept && shape.columns.size() < 6) shape.columns.push_back(name);
    }
  return shape;
}

/// The lists that are shown without --list: those of `shapes`, else all.
bool main_list(const std::string& table, const std::string& list) {
  const bool shaped = std::any_of(shapes().begin(), shapes().end(), [&](const Shape& shape) { return shape.table == table; });
  return !shaped || std::any_of(shapes().begin(), shapes().end(), [&](const Shape& shape) { return shape.table == table && shape.list == list; });
}

}  // namespace

int run_matrix(const Options& options) {
  Pipeline pipeline(options);
  const auto names = pipeline.knowledge().table_names();
  if (options.table.empty()) {
    for (const auto& name : names) std::cout << name << "\n";
    return 0;
  }
  if (std::find(names.begin(), names.end(), options.table) == names.end()) throw BadInput("'" + options.table + "' is no table: " + joined(names, ", "));
  const Node& document = pipeline.knowledge().table(options.table);
  const auto lists = lists_of(document);
  if (!options.list.empty() && options.list != "all" && std::find(lists.begin(), lists.end(), options.list) == lists.end())
    throw BadInput("'" + options.list + "' is no list of the table " + options.table + ": " + joined(lists, ", ") + ", all");
  if (!options.cuda.empty() && !Version(options.cuda).valid()) throw BadInput("--cuda " + options.cuda + ": no version");
  pipeline.look();
  Printer printer(options, pipeline, style_of(options));
  std::vector<std::string> others;
  const auto wanted = [&](const std::string& list) {
    if (!options.list.empty()) return options.list == "all" || options.list == list;
    return options.format == "json" || main_list(options.table, list);
  };
  for (const auto& shape : shapes())   // in their order
    if (shape.table == options.table && document.find(shape.list) && wanted(shape.list)) printer.list(shape, *document.find(shape.list));
  for (const auto& list : lists) {
    const bool shown = std::any_of(shapes().begin(), shapes().end(), [&](const Shape& shape) { return shape.table == options.table && shape.list == list; });
    if (!wanted(list)) others.push_back(list);
    else if (!shown) printer.list(shape_of(options.table, list, *document.find(list)), *document.find(list));
  }
  if (printer.empty()) {
    auto words = options.filters;
    if (!options.cuda.empty()) words.push_back("--cuda " + options.cuda);
    throw BadInput("no row of the table " + options.table + " holds " + joined(words, ", ") + (others.empty() ? "" : " (other lists of it: --list " + joined(others, ", ") + ")"));
  }
  if (options.format == "text" && options.list.empty() && !others.empty()) printer.say("Also in this table: --list " + joined(others, ", ") + ", all");
  std::cout << printer.result(options.table, document);
  return 0;
}

}  // namespace gpudoctor
