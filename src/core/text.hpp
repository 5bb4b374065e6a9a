// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

/// Small text helpers that every part uses. None of them allocates more than its result.
namespace gpudoctor {

std::string_view trim(std::string_view text);
/// The pieces between separators; empty pieces are kept.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Lines without their ends; "\r\n" and a missing last newline are fine.
std::vector<std::string_view> lines(std::string_view text);
/// The pieces between runs of white space.
std::vector<std::string_view> words(std::string_view text);
// Pieces are views: of a string that ends with the expression they would dangle.
template <std::same_as<std::string> Temporary> void split(Temporary&&, char) = delete;
template <std::same_as<std::string> Temporary> void lines(Temporary&&) = delete;
template <std::same_as<std::string> Temporary> void words(Temporary&&) = delete;
std::string joined(const std::vector<std::string>& items, std::string_view separator);
std::string lower(std::string_view text);
std::string replaced(std::string text, std::string_view what, std::string_view by);
inline bool contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }
/// Cuts bytes that are no printable UTF-8 text: control characters become '?', so that nothing read can steer a terminal.
std::string printable(std::string_view text);
/// Columns of a UTF-8 text on a terminal, counting one for each code point.
std::size_t width(std::string_view text);
/// A whole number, or -1.
long to_number(std::string_view text);
/// PEP 503: lower case, runs of "-", "_" and "." become one "-".
std::string normalized_package(std::string_view name);

}  // namespace gpudoctor
