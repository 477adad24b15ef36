#include "analyzer/cli/manual/verb_page.hpp"

#include "analyzer/cli/manual/examples.hpp"
#include "analyzer/cli/manual/roff.hpp"
#include "analyzer/cli/manual/surroundings.hpp"

#include <cctype>
#include <span>
#include <sstream>

namespace tidemark::cli {
namespace {

constexpr std::string_view kExitStatus = "Exit status: ";

std::string bold(std::string_view text) {
  return "\\fB" + roff_text(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff_text(text) + "\\fR";
}

std::string without_capital(std::string text) {
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string options_of(const CommandVerb& verb) {
  std::string out = ".SH OPTIONS\n";
  for (const CommandOption& option : verb.options) {
    out += ".TP\n";
    for (const std::string& name : option.names) {
      out += (name == option.names.front() ? "" : ", ") + bold(name);
    }
    out += option.value.empty() ? "\n" : ' ' + italic(option.value) + '\n';
    out += roff_line(option.about + (option.required ? " (required)" : "") +
                     (option.repeated ? " (may be given several times)" : ""));
  }
  return out;
}

std::string arguments_of(const CommandVerb& verb) {
  std::string out;
  for (const CommandArgument& argument : verb.arguments) {
    out += ".TP\n" + italic(argument.name) + '\n' + roff_line(argument.about);
  }
  return out;
}

/// `  pprof       gzip'd heap profile`: a word and what it means.
bool is_entry(const std::string& line) {
  return line.starts_with("  ") && line.size() > 2 && line[2] != ' ' &&
         line.find("  ", 2) != std::string::npos;
}

/// Columns that a person has lined up.
bool is_literal(const std::string& line) {
  return line.find("  ") != std::string::npos;
}

/// The lines below the options: sentences are filled, entries and what is lined up stay so.
class Footer {
 public:
  explicit Footer(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      add(line);
    }
    end_literal();
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add(const std::string& line) {
    if (is_entry(line)) {
      end_literal();
      const std::size_t end = line.find("  ", 2);
      text_ += ".TP\n" + bold(line.substr(2, end - 2)) + '\n' +
               roff_line(line.substr(line.find_first_not_of(' ', end)));
      in_entry_ = true;
    } else if (in_entry_ && line.starts_with("   ")) {
      text_ += roff_line(line.substr(line.find_first_not_of(' ')));
    } else if (is_literal(line)) {
      text_ += (in_literal_ ? "" : ".PP\n.nf\n") + roff_line(line);
      in_literal_ = true;
      in_entry_ = false;
    } else {
      add_sentence(line);
    }
  }

  void add_sentence(const std::string& line) {
    end_literal();
    if (in_entry_) {
      text_ += ".PP\n";
      in_entry_ = false;
    }
    if (line.starts_with(kExitStatus)) {
      text_ += ".SH EXIT STATUS\n" + roff_line(line.substr(kExitStatus.size()));
    } else {
      text_ += roff_line(line);
    }
  }

  void end_literal() {
    text_ += in_literal_ ? ".fi\n" : "";
    in_literal_ = false;
  }

  std::string text_;
  bool in_entry_ = false;
  bool in_literal_ = false;
};

std::string section(std::string_view heading, std::span<const NamedThing> things) {
  std::string out = ".SH " + std::string(heading) + '\n';
  for (const NamedThing& thing : things) {
    out += ".TP\n" + bold(thing.name) + '\n' + roff_line(thing.about);
  }
  return out;
}

std::string examples_of(const CommandVerb& verb) {
  std::string out = ".SH EXAMPLES\n";
  for (const Example& example : kExamples) {
    if (example.verb == verb.name) {
      out += ".PP\n" + roff_line(std::string(example.about) + ':') + ".PP\n.nf\n.RS 4\n" +
             roff_line(example.command) + ".RE\n.fi\n";
    }
  }
  return out;
}

std::string see_also(const CommandTree& tree, std::string_view page) {
  std::string out = ".SH SEE ALSO\n";
  std::string between;
  const auto add = [&](const std::string& name, const char* section) {
    if (name != page) {
      out += between + ".BR " + roff_text(name) + " (" + section + ")";
      between = ",\n";
    }
  };
  add("tidemark", "1");
  for (const CommandVerb& verb : tree.verbs) {
    add("tidemark-" + verb.name, "1");
  }
  add("tidemark-gate", "5");
  add("tidemark-trace", "5");
  return out + '\n';
}

}  // namespace

std::string command_page(const CommandTree& tree, std::string_view version) {
  std::string out =
      page_head("tidemark", "1", "why loading a model takes that much memory", version);
  out += ".SH SYNOPSIS\n" + bold("tidemark") + " [" + italic("OPTIONS") + "] " + italic("VERB") +
         "\n.SH DESCRIPTION\n" + roff_line(tree.command.about) + ".SH VERBS\n";
  for (const CommandVerb& verb : tree.verbs) {
    out += ".TP\n" + bold(verb.name) + '\n' + roff_line(verb.about + ": see") + ".BR " +
           roff_text("tidemark-" + verb.name) + " (1)\n";
  }
  out += options_of(tree.command) + section("ENVIRONMENT", kVariables) + section("FILES", kFiles) +
         ".SH EXAMPLES\n" + Footer(tree.command.footer).text();
  return out + see_also(tree, "tidemark");
}

std::string verb_page(const CommandTree& tree, const CommandVerb& verb, std::string_view version) {
  const std::string name = "tidemark-" + verb.name;
  std::string out = page_head(name, "1", without_capital(verb.about), version);
  out += ".SH SYNOPSIS\n" + bold("tidemark " + verb.name) + " [" + italic("OPTIONS") + "]";
  for (const CommandArgument& argument : verb.arguments) {
    out += ' ' + roff_text(argument.usage);
  }
  out += '\n' + (verb.arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments_of(verb));
  out += options_of(verb);
  if (!verb.footer.empty()) {
    out += verb.footer.starts_with(kExitStatus) ? "" : ".SH NOTES\n";
    out += Footer(verb.footer).text();
  }
  return out + examples_of(verb) + see_also(tree, name);
}

}  // namespace tidemark::cli
