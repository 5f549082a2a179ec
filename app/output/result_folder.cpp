#include "app/output/result_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "datasets/formats/file_bytes.h"
#include "datasets/system/atomic_file.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

// Kinds of records.
constexpr std::string_view kStart = "start", kFinish = "frame";
// Keys of them.
constexpr std::string_view kResultName = "name", kFile = "file", kAbsent = "absent", kOrigin = "origin";
// Files of the whole run, next to the journal; removed together with the results.
constexpr std::string_view kFilesOfARun[] = {"parameters.yaml", "summary.json"};

std::string FileText(const ResultFile& file) {
  return fmt::format("{} {} {:08x}", file.path, file.content.size_bytes, file.content.crc32);
}

std::optional<ResultFile> ParseFile(std::string_view text) {
  const std::size_t before_crc = text.rfind(' ');
  if (before_crc == std::string_view::npos || before_crc == 0) return std::nullopt;
  const std::size_t before_size = text.rfind(' ', before_crc - 1);
  if (before_size == std::string_view::npos) return std::nullopt;
  const auto size = ParseCount(text.substr(before_size + 1, before_crc - before_size - 1));
  const std::string_view crc = text.substr(before_crc + 1);
  ResultFile file{std::string(text.substr(0, before_size)), {}};
  const auto [end, error] = std::from_chars(crc.data(), crc.data() + crc.size(), file.content.crc32, 16);
  if (!size || error != std::errc() || end != crc.data() + crc.size()) return std::nullopt;
  file.content.size_bytes = *size;
  return file;
}

// A path that a journal may name: below the folder.
bool IsBelow(const fs::path& path) {
  return path.is_relative() && !path.empty() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

// Removes a file below the folder. None of its parent folders may be a link, because a journal written by
// someone else could name files anywhere. Throws Error if the file cannot be removed. Ignores a missing file.
void RemoveBelow(const fs::path& folder, const fs::path& file) {
  auto at = std::make_unique<FileDescriptor>(open(folder.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  for (const fs::path& part : file.parent_path()) {
    if (at->number() < 0) break;
    at = std::make_unique<FileDescriptor>(
        openat(at->number(), part.c_str(), O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (at->number() >= 0 && unlinkat(at->number(), file.filename().c_str(), 0) == 0) return;
  if (errno == ENOENT) return;
  if (errno == ELOOP || errno == ENOTDIR) {
    throw Error(
        fmt::format("{}: is a link, and results are not removed through links: remove it, or name "
                    "another --output",
                    (folder / file.parent_path()).string()));
  }
  throw Error(fmt::format("{}: cannot be removed: {}", (folder / file).string(), std::strerror(errno)));
}

}  // namespace

bool IsInPlaces(const std::vector<ResultPlace>& places, const fs::path& file) {
  const std::string folder = file.parent_path().string(), name = file.filename().string();
  return std::any_of(places.begin(), places.end(), [&](const ResultPlace& place) {
    return place.folder == folder && !name.starts_with('.') && name.ends_with(place.ending);
  });
}

CLI::Option* AddOverwriteOption(CLI::App& command, UsedFolder& used) {
  return command.add_flag("--overwrite", used.overwrite,
                          "Replace results that are in the folder: they are removed first");
}

std::string_view FinishedResult::Get(std::string_view key) const {
  const auto found =
      std::find_if(made_of.begin(), made_of.end(), [&](const auto& field) { return field.first == key; });
  return found == made_of.end() ? std::string_view() : std::string_view(found->second);
}

bool FinishedResult::Covers(std::string_view path) const {
  return std::any_of(files.begin(), files.end(), [&](const ResultFile& file) { return file.path == path; }) ||
         std::find(absent.begin(), absent.end(), path) != absent.end();
}

ResultFolder::ResultFolder(fs::path folder, std::vector<ResultPlace> places, const UsedFolder& used)
    : folder_(std::move(folder)), places_(std::move(places)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw Error(folder_.string() + ": cannot be made: " + error.message() + ": choose another --output");
  if (!fs::exists(fs::symlink_status(folder_ / kJournalName, error))) CheckAllAreNamed();
  journal_.emplace(folder_ / kJournalName);

  std::set<std::string> named;
  for (const JournalRecord& record : journal_->records()) {
    if (record.kind == kRunRecord && before_.kind.empty()) before_ = record;
    if (record.kind == kStart) {
      for (const auto& [key, value] : record.fields) {
        if (key == kFile && IsInPlaces(places_, value)) named.insert(value);
      }
    }
    if (std::optional<NamedResult> finished = FinishedResultOf(record)) {
      for (const ResultFile& file : finished->result.files) {
        if (IsInPlaces(places_, file.path)) named.insert(file.path);
      }
      finished_[finished->name] = std::move(finished->result);
    }
  }
  named_.assign(named.begin(), named.end());
  const auto first = std::find_if(named_.begin(), named_.end(), [&](const std::string& file) {
    return fs::exists(fs::symlink_status(folder_ / file, error));
  });
  const bool holds_results = first != named_.end();
  if (holds_results && !used.resume && !used.overwrite) {
    throw InvalidArgument(fmt::format(
        "{}: holds results already ({}): name another --output, or replace them with --overwrite{}",
        folder_.string(), *first, used.has_resume ? ", or continue with --resume" : ""));
  }
  if (!used.resume) CheckAllAreNamed();
  if (!used.resume || !holds_results) {
    before_ = {};
    finished_.clear();
  }
}

std::set<std::string> ResultFolder::Folders() const {
  std::set<std::string> folders{""};  // parameters.yaml, summary.json
  for (const ResultPlace& place : places_) folders.insert(place.folder);
  return folders;
}

std::vector<fs::path> ResultFolder::FilesInPlaces() const {
  std::vector<fs::path> found;
  for (const std::string& below : Folders()) {
    for (const FolderEntry& entry : ReadFolder(folder_ / below)) {
      fs::path file = fs::path(below) / entry.path.filename();
      if (!entry.IsFolder() && IsInPlaces(places_, file)) found.push_back(std::move(file));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void ResultFolder::CheckAllAreNamed() const {
  for (const fs::path& file : FilesInPlaces()) {
    if (std::binary_search(named_.begin(), named_.end(), file.string())) continue;
    throw InvalidArgument(fmt::format(
        "{}: exists, but no journal ({}) says what made it: move it away, or name another --output",
        (folder_ / file).string(), kJournalName));
  }
}

void ResultFolder::RemoveTemporaryFiles(bool those_in_use) const {
  // Frames are written by who holds the journal, which is this program; files outside their folders may be
  // anybody's.
  for (const std::string& below : Folders()) RemoveAbandoned(folder_ / below, those_in_use && !below.empty());
}

std::optional<FinishedResult> ResultFolder::Find(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = finished_.find(name);
  return found == finished_.end() ? std::nullopt : std::optional(found->second);
}

void ResultFolder::Watch(std::function<void(const FinishedResult&)> watch) {
  const std::scoped_lock lock(mutex_);
  watch_ = std::move(watch);
  for (const auto& [name, result] : finished_) watch_(result);
}

void ResultFolder::Begin(const JournalRecord& common) {
  RemoveTemporaryFiles();
  if (goes_on()) return;
  for (const std::string& file : named_) RemoveBelow(folder_, file);
  if (!named_.empty()) {
    for (const std::string_view file : kFilesOfARun) RemoveBelow(folder_, file);
  }
  named_.clear();
  journal_->Clear();
  JournalRecord record = common;
  record.kind = kRunRecord;
  journal_->Append(record);
}

void ResultFolder::Take(const JournalRecord& record) {
  std::optional<NamedResult> finished = FinishedResultOf(record);
  if (!finished) return journal_->Append(record);
  FinishedResult& result = finished->result;
  {
    const std::scoped_lock lock(mutex_);
    const auto before = finished_.find(finished->name);
    if (before != finished_.end()) {
      if (before->second.made_of == result.made_of) {
        for (const ResultFile& other : before->second.files) {
          if (!result.Covers(other.path)) result.files.push_back(other);
        }
      }
      before->second = result;
    }
    if (watch_) watch_(result);
  }
  journal_->Append(RecordOf(finished->name, result));
}

JournalRecord StartRecord(const std::string& name, const std::vector<std::string>& files) {
  JournalRecord record{std::string(kStart)};
  record.Add(kResultName, name);
  for (const std::string& file : files) record.Add(kFile, file);
  return record;
}

JournalRecord FinishRecord(const fs::path& folder, const std::string& name, const std::string& origin,
                           const std::vector<std::pair<std::string, std::string>>& made_of,
                           const std::vector<std::string>& files) {
  FinishedResult result{origin, made_of, {}, {}};
  for (const std::string& file : files) {
    std::optional<FileContent> content = ContentWritten(folder / file);
    if (!content) content = ContentOf(folder / file);
    if (content) {
      result.files.push_back({file, *content});
    } else {
      result.absent.push_back(file);
    }
  }
  return RecordOf(name, result);
}

JournalRecord RecordOf(const std::string& name, const FinishedResult& result) {
  JournalRecord record{std::string(kFinish)};
  record.Add(kResultName, name).Add(kOrigin, result.origin);
  for (const auto& [key, value] : result.made_of) record.Add(key, value);
  for (const ResultFile& file : result.files) record.Add(kFile, FileText(file));
  for (const std::string& file : result.absent) record.Add(kAbsent, file);
  return record;
}

std::optional<NamedResult> FinishedResultOf(const JournalRecord& record) {
  if (record.kind != kFinish) return std::nullopt;
  NamedResult named;
  for (const auto& [key, value] : record.fields) {
    if (key == kResultName) {
      named.name = value;
    } else if (key == kOrigin) {
      named.result.origin = value;
    } else if (key == kAbsent) {
      named.result.absent.push_back(value);
    } else if (key != kFile) {
      named.result.made_of.emplace_back(key, value);
    } else if (const std::optional<ResultFile> file = ParseFile(value); file && IsBelow(file->path)) {
      named.result.files.push_back(*file);
    }
  }
  return named;
}

bool IsIntact(const fs::path& folder, const FinishedResult& result) {
  return std::all_of(result.files.begin(), result.files.end(),
                     [&](const ResultFile& file) { return ContentOf(folder / file.path) == file.content; });
}

bool IsAnyIntact(const fs::path& folder, const FinishedResult& result) {
  return std::any_of(result.files.begin(), result.files.end(),
                     [&](const ResultFile& file) { return ContentOf(folder / file.path) == file.content; });
}

}  // namespace parallax::app
