#include "collector/trace/coding/session_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <type_traits>

namespace tidemark::trace {
namespace {

using nlohmann::json;

/// One list of keys for both directions: `field(key, member)` is called for each.
template <typename AnySession, typename Field>
void visit_fields(AnySession& session, const Field& field) {
  field("exit_status", session.exit_status);
  field("ended", session.ended);
  field("duration_ns", session.duration_ns);
  field("started_unix_ns", session.started_unix_ns);
  field("host_name", session.host_name);
  field("kernel", session.kernel);
  field("tidemark_version", session.tidemark_version);
  field("model", session.model);
  field("sample_bytes", session.sample_bytes);
  field("blocked_ns", session.blocked_ns);
  field("collector_cpu_ns", session.collector_cpu_ns);
  field("unmatched_releases", session.unmatched_releases);
  field("processes_left", session.loss.processes_left);  // Older than `loss`, so beside it.
  field("heap_invisible", session.heap_invisible);
  field("copies_recorded", session.copies_recorded);
  field("mismatches_complete", session.mismatches_complete);
  field("deep_bound", session.deep_bound);
  field("execs_watched", session.execs_watched);
  field("unread_python", session.unread_python);
}

template <typename AnyLoss, typename Field>
void visit_loss(AnyLoss& loss, const Field& field) {
  field("records_dropped", loss.records_dropped);
  field("events_unwritten", loss.events_unwritten);
  field("blocks_damaged", loss.blocks_damaged);
  field("events_damaged", loss.events_damaged);
  field("bytes_damaged", loss.bytes_damaged);
  field("processes_unrecorded", loss.processes_unrecorded);
  field("threads_unrecorded", loss.threads_unrecorded);
  field("threads_seccomp", loss.threads_seccomp);
  field("threads_address_space", loss.threads_address_space);
  field("threads_too_many", loss.threads_too_many);
  field("stacks_truncated", loss.stacks_truncated);
  field("reads_unseen_bytes", loss.reads_unseen_bytes);
  field("rings_unseen", loss.rings_unseen);
  field("mapped_unseen_bytes", loss.mapped_unseen_bytes);
  field("shared_unseen_bytes", loss.shared_unseen_bytes);
  field("unmapped_unseen_bytes", loss.unmapped_unseen_bytes);
  field("written_unseen_bytes", loss.written_unseen_bytes);
  field("torn", loss.torn);
}

template <typename Value>
bool has_type(const json& value) {
  if constexpr (std::is_same_v<Value, bool>)
    return value.is_boolean();
  else if constexpr (std::is_same_v<Value, std::string>)
    return value.is_string();
  else if constexpr (std::is_unsigned_v<Value>)
    return value.is_number_unsigned();
  else
    return value.is_number_integer();
}

/// Copies the keys of `object` that are there and have the expected type.
auto taking_from(const json& object) {
  return [&object](const char* key, auto& member) {
    using Value = std::remove_reference_t<decltype(member)>;
    const auto found = object.find(key);
    if (found != object.end() && has_type<Value>(*found))
      member = found->template get<Value>();
  };
}

/// The text of each member, by key. Not an nlohmann object, whose destructor allocates and so would
/// terminate the process if memory is short, while a recording must wait for its host.
using Members = std::map<std::string, std::string>;

/// @param value a string, number or boolean.
std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_of(const Members& members) {
  std::string text;
  for (const auto& [key, value] : members)
    text += (text.empty() ? "" : ",") + text_of(json(key)) + ":" + value;
  return "{" + text + "}";
}

/// Leaves out what holds its default: every default is a zero.
auto putting_into(Members& members) {
  return [&members](const char* key, const auto& member) {
    if (member != std::remove_cvref_t<decltype(member)>{})
      members[key] = text_of(json(member));
  };
}

std::string command_text(const std::vector<std::string>& command) {
  std::string list;
  std::size_t left = kMaxCommandBytes;
  for (const auto& argument : command) {
    if (left == 0)
      break;
    list += (list.empty() ? "" : ",") + text_of(json(argument.substr(0, left)));
    left -= std::min(left, argument.size() + 1);
  }
  return "[" + list + "]";
}

std::vector<std::string> command_from_json(const json& object) {
  std::vector<std::string> command;
  const auto found = object.find("command");
  if (found == object.end() || !found->is_array())
    return command;
  for (const auto& argument : *found)
    command.push_back(argument.is_string() ? argument.get<std::string>() : std::string());
  return command;
}

std::string unrecorded_text(const std::vector<Unrecorded>& entries) {
  std::string list;
  for (std::size_t i = 0; i < std::min(entries.size(), kMaxUnrecordedEntries); ++i) {
    const Unrecorded& entry = entries[i];
    Members members;
    const auto put = putting_into(members);
    put("pid", entry.pid);
    put("command", entry.command.substr(0, kMaxUnrecordedCommandBytes));
    members["why"] = text_of(json(word_of(entry.why)));
    members["processes"] = text_of(json(entry.processes));
    put("from_ns", entry.from_ns);
    put("until_ns", entry.until_ns);
    put("most_bytes", entry.most_bytes);
    list += (i == 0 ? "" : ",") + text_of(members);
  }
  return "[" + list + "]";
}

std::vector<Unrecorded> unrecorded_from_json(const json& loss) {
  std::vector<Unrecorded> entries;
  const auto found = loss.find("unrecorded");
  if (found == loss.end() || !found->is_array())
    return entries;
  for (const auto& object : *found) {
    if (!object.is_object() || entries.size() == kMaxUnrecordedEntries)
      continue;
    Unrecorded entry;
    std::string why;
    const auto take = taking_from(object);
    take("pid", entry.pid);
    take("command", entry.command);
    take("why", why);
    take("processes", entry.processes);
    take("from_ns", entry.from_ns);
    take("until_ns", entry.until_ns);
    take("most_bytes", entry.most_bytes);
    entry.why = why_of(why);
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// A sampling distance that no recorder uses would make every estimate from it wrong.
bool is_possible_sampling(const json& object, std::uint64_t sample_bytes) {
  return !object.contains("sample_bytes") ||
         (sample_bytes >= Session::kMinSampleBytes && sample_bytes <= Session::kMaxSampleBytes);
}

std::string unseen_text(const std::vector<UnseenFile>& files) {
  std::string list;
  for (std::size_t i = 0; i < std::min(files.size(), kMaxUnseenFiles); ++i) {
    Members members;
    const auto put = putting_into(members);
    put("path", files[i].path.substr(0, kMaxUnseenPathBytes));
    put("bytes", files[i].bytes);
    put("in_memory", files[i].in_memory);
    list += (i == 0 ? "" : ",") + text_of(members);
  }
  return "[" + list + "]";
}

std::vector<UnseenFile> unseen_from_json(const json& loss) {
  std::vector<UnseenFile> files;
  const auto found = loss.find("mapped_unseen");
  if (found == loss.end() || !found->is_array())
    return files;
  for (const auto& object : *found) {
    if (!object.is_object() || files.size() == kMaxUnseenFiles)
      continue;
    UnseenFile file;
    const auto take = taking_from(object);
    take("path", file.path);
    take("bytes", file.bytes);
    take("in_memory", file.in_memory);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string to_json(const SessionText& text) {
  Members members;
  members["command"] = command_text(text.session.command);
  members["events"] = text_of(json(text.events));
  visit_fields(text.session, putting_into(members));
  Members loss;
  visit_loss(text.session.loss, putting_into(loss));
  if (!text.session.loss.unrecorded.empty())
    loss["unrecorded"] = unrecorded_text(text.session.loss.unrecorded);
  if (!text.session.loss.mapped_unseen.empty())
    loss["mapped_unseen"] = unseen_text(text.session.loss.mapped_unseen);
  if (!loss.empty())
    members["loss"] = text_of(loss);
  return text_of(members);
}

std::optional<SessionText> session_from_json(ByteView bytes) {
  const auto object = json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!object.is_object())
    return std::nullopt;
  SessionText text;
  text.session.command = command_from_json(object);
  taking_from(object)("events", text.events);
  visit_fields(text.session, taking_from(object));
  if (!is_possible_sampling(object, text.session.sample_bytes))
    return std::nullopt;
  const auto loss = object.find("loss");
  if (loss != object.end() && loss->is_object()) {
    visit_loss(text.session.loss, taking_from(*loss));
    text.session.loss.unrecorded = unrecorded_from_json(*loss);
    text.session.loss.mapped_unseen = unseen_from_json(*loss);
  }
  return text;
}

}  // namespace tidemark::trace
