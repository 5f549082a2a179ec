// A folder of results, one program's at a time, with a journal (journal.tsv) that says of every file what it
// was made of: nothing is mixed, and what is half there is done again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/journal.h"
#include "datasets/system/file_identity.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace parallax::app {

// What becomes of results that are there already.
struct UsedFolder {
  bool resume = false;     // they are gone on with
  bool overwrite = false;  // they are removed first; neither: the folder is refused
  bool has_resume = true;  // the command has --resume
};
// Declares --overwrite.
CLI::Option* AddOverwriteOption(CLI::App& command, UsedFolder& used);

// Where results lie below the folder: files with this ending in this folder are taken for some.
struct ResultPlace {
  std::string folder, ending;
};
// Whether a path below the folder is directly in one of them.
bool IsInPlaces(const std::vector<ResultPlace>& places, const std::filesystem::path& file);

// A file of a result, by its path below the folder, as it was when it was written.
struct ResultFile {
  std::string path;
  FileContent content;
};

// What the journal says of one result that was finished.
struct FinishedResult {
  std::string origin;                                        // of its input, as the source tells
  std::vector<std::pair<std::string, std::string>> made_of;  // key and value
  std::vector<ResultFile> files;
  std::vector<std::string> absent;  // files that were asked for and that it does not have

  std::string_view Get(std::string_view key) const;
  // True where that path is one of its files, or known to be absent.
  bool Covers(std::string_view path) const;
};

// Who keeps the journal of a folder: this process (ResultFolder), or another one for it. For several threads.
class ResultKeeper {
 public:
  virtual ~ResultKeeper() = default;
  // The finished result of that name.
  virtual std::optional<FinishedResult> Find(std::string_view name) const = 0;
  // Writes down what StartRecord or FinishRecord says.
  virtual void Take(const JournalRecord& record) = 0;
};

// Round the writing of a result, whose files are named by their paths below the folder. Start says that these
// files are this program's. Finish says that they are whole, and reads them for that; those that are not
// there are absent. A result finished before, of the same made_of, keeps its other files.
JournalRecord StartRecord(const std::string& name, const std::vector<std::string>& files);
JournalRecord FinishRecord(const std::filesystem::path& folder, const std::string& name,
                           const std::string& origin,
                           const std::vector<std::pair<std::string, std::string>>& made_of,
                           const std::vector<std::string>& files);
// The same of a result whose files are known, and back: nullopt for a record of another kind.
JournalRecord RecordOf(const std::string& name, const FinishedResult& result);
struct NamedResult {
  std::string name;
  FinishedResult result;
};
std::optional<NamedResult> FinishedResultOf(const JournalRecord& record);
// True where every file of it, or any, is in the folder as it was written. Reads the files.
bool IsWhole(const std::filesystem::path& folder, const FinishedResult& result);
bool IsAnyWhole(const std::filesystem::path& folder, const FinishedResult& result);

inline constexpr std::string_view kJournalName = "journal.tsv";  // in the folder
inline constexpr std::string_view kRunRecord = "run";  // kind of the record that says what all have in common

class ResultFolder : public ResultKeeper {
 public:
  // Makes the folder, locks its journal and reads it. Nothing is changed yet. Throws Error where that is not
  // possible or another program is writing there, and InvalidArgument where the folder is not to be used:
  // it holds results, or files in the places of results that no journal names.
  ResultFolder(std::filesystem::path folder, std::vector<ResultPlace> places, const UsedFolder& used);

  // What the results there have in common, as Begin wrote it; empty where there are none to go on with.
  const JournalRecord& before() const { return before_; }
  bool goes_on() const { return !before_.kind.empty(); }
  // The results that were finished before, by their names; not to be used beside Take.
  const std::map<std::string, FinishedResult, std::less<>>& finished() const { return finished_; }
  // One of them, as it was written last; what was finished since is not kept in memory.
  std::optional<FinishedResult> Find(std::string_view name) const override;
  void Take(const JournalRecord& record) override;
  // Calls it with every finished result, those from before at once, one at a time.
  void Watch(std::function<void(const FinishedResult&)> watch);
  // Before the first result: removes what is to be overwritten and what killed programs left, and says in
  // the journal what all results have in common, where they are not gone on with.
  void Begin(const JournalRecord& common);

  // StartRecord and FinishRecord of this folder, taken.
  void Start(const std::string& name, const std::vector<std::string>& files) {
    Take(StartRecord(name, files));
  }
  void Finish(const std::string& name, const std::string& origin,
              const std::vector<std::pair<std::string, std::string>>& made_of,
              const std::vector<std::string>& files) {
    Take(FinishRecord(folder_, name, origin, made_of, files));
  }
  // Adds a record of another kind, which this class does not read; for several threads.
  void Note(const JournalRecord& record) { journal_->Append(record); }
  // As Journal::Hurry.
  void Hurry() { journal_->Hurry(); }

  // Removes what killed programs left half written. those_in_use: also what this program's threads are writing.
  void RemoveTemporaryFiles(bool those_in_use = false) const;

 private:
  std::set<std::string> Folders() const;
  std::vector<std::filesystem::path> FilesInPlaces() const;
  void CheckAllAreNamed() const;

  std::filesystem::path folder_;
  std::vector<ResultPlace> places_;
  std::optional<Journal> journal_;
  JournalRecord before_;
  std::vector<std::string> named_;                               // files that the journal names, sorted
  mutable std::mutex mutex_;                                     // of what follows, while results are written
  std::map<std::string, FinishedResult, std::less<>> finished_;  // before
  std::function<void(const FinishedResult&)> watch_;
};

}  // namespace parallax::app
