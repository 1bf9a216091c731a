// The commands of `vedette`. Each adds itself to the parser; what it returns runs it after parsing and gives the exit
// status (0 found or done, 1 not found); Problem is exit status 2.
#pragma once

#include <cstddef>
#include <functional>

namespace CLI {
class App;
}

namespace vedette::cli {

// Widths of the help's two columns and of the text below them.
inline constexpr std::size_t help_names = 28;
inline constexpr std::size_t help_text = 84;
inline constexpr std::size_t help_line = help_names + help_text;

using Command = std::function<int()>;

Command add_find(CLI::App& app);
Command add_detect(CLI::App& app);
Command add_match(CLI::App& app);
Command add_restore(CLI::App& app);
Command add_resize(CLI::App& app);
Command add_backends(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_probe(CLI::App& app);

}  // namespace vedette::cli
