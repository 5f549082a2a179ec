// A folder of results, used by one program at a time. Its journal (journal.tsv) records the input and the
// parameters of every file. Results of different inputs are never mixed, and incomplete results are made
// again.
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

// The treatment of existing results.
struct UsedFolder {
  bool resume = false;     // the run continues with them
  bool overwrite = false;  // they are removed first; neither flag: the folder is refused
  bool has_resume = true;  // the command has --resume
};
// Declares --overwrite.
CLI::Option* AddOverwriteOption(CLI::App& command, UsedFolder& used);

// Where results lie below the folder: files with this ending in this folder count as results.
struct ResultPlace {
  std::string folder, ending;
};
// Whether a path below the folder is directly in one of these places.
bool IsInPlaces(const std::vector<ResultPlace>& places, const std::filesystem::path& file);

// A file of a result: its path below the folder and its state when it was written.
struct ResultFile {
  std::string path;
  FileContent content;
};

// What the journal records about one finished result.
struct FinishedResult {
  std::string origin;                                        // of its input, as the source states it
  std::vector<std::pair<std::string, std::string>> made_of;  // keys and values
  std::vector<ResultFile> files;
  std::vector<std::string> absent;  // requested files that it does not have

  std::string_view Get(std::string_view key) const;
  // Whether that path is one of its files, or known to be absent.
  bool Covers(std::string_view path) const;
};

// Keeps the journal of a folder: in this process (ResultFolder), or through another one. Thread-safe.
class ResultKeeper {
 public:
  virtual ~ResultKeeper() = default;
  // The finished result of that name.
  virtual std::optional<FinishedResult> Find(std::string_view name) const = 0;
  // Adds the record made by StartRecord or FinishRecord.
  virtual void Take(const JournalRecord& record) = 0;
};

// Called before and after a result is written; files are named by their paths below the folder. Start says
// that these files belong to this program. Finish reads them and says that they are complete; missing files
// count as absent. An earlier result with the same made_of keeps its other files.
JournalRecord StartRecord(const std::string& name, const std::vector<std::string>& files);
JournalRecord FinishRecord(const std::filesystem::path& folder, const std::string& name,
                           const std::string& origin,
                           const std::vector<std::pair<std::string, std::string>>& made_of,
                           const std::vector<std::string>& files);
// The record of a result whose files are known, and its inverse: nullopt for a record of another kind.
JournalRecord RecordOf(const std::string& name, const FinishedResult& result);
struct NamedResult {
  std::string name;
  FinishedResult result;
};
std::optional<NamedResult> FinishedResultOf(const JournalRecord& record);
// Whether all files of a result are still in the folder as they were written. Reads the files.
bool IsIntact(const std::filesystem::path& folder, const FinishedResult& result);
// Whether at least one of them is.
bool IsAnyIntact(const std::filesystem::path& folder, const FinishedResult& result);

inline constexpr std::string_view kJournalName = "journal.tsv";  // in the folder
inline constexpr std::string_view kRunRecord = "run";  // kind of the record with what all results have in
                                                       // common

class ResultFolder : public ResultKeeper {
 public:
  // Makes the folder, locks its journal and reads it. Nothing is changed yet. Throws Error if that fails
  // or another program is writing there. Throws InvalidArgument if the folder must not be used: it holds
  // results, or files in the places of results that no journal names.
  ResultFolder(std::filesystem::path folder, std::vector<ResultPlace> places, const UsedFolder& used);

  // What the results share, as Begin recorded it; empty if the run does not continue earlier results.
  const JournalRecord& before() const { return before_; }
  bool goes_on() const { return !before_.kind.empty(); }
  // The results that were finished before, by name; not to be called while Take runs.
  const std::map<std::string, FinishedResult, std::less<>>& finished() const { return finished_; }
  // One of them, as it was last written; results finished since then are not kept in memory.
  std::optional<FinishedResult> Find(std::string_view name) const override;
  void Take(const JournalRecord& record) override;
  // Calls watch with every finished result, one at a time: with the earlier ones now, with the others as they
  // finish.
  void Watch(std::function<void(const FinishedResult&)> watch);
  // Called before the first result. Removes results that are to be overwritten and what killed programs left
  // behind. Records in the journal what all results share, unless the run continues.
  void Begin(const JournalRecord& common);

  // Takes the records of StartRecord and FinishRecord of this folder.
  void Start(const std::string& name, const std::vector<std::string>& files) {
    Take(StartRecord(name, files));
  }
  void Finish(const std::string& name, const std::string& origin,
              const std::vector<std::pair<std::string, std::string>>& made_of,
              const std::vector<std::string>& files) {
    Take(FinishRecord(folder_, name, origin, made_of, files));
  }
  // Adds a record of another kind, which this class does not read; thread-safe.
  void Note(const JournalRecord& record) { journal_->Append(record); }
  // See Journal::Hurry.
  void Hurry() { journal_->Hurry(); }

  // Removes incomplete files of killed programs. those_in_use: also what this program's threads are writing.
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
  mutable std::mutex mutex_;                                     // of the fields below, while results are
                                                                 // written
  std::map<std::string, FinishedResult, std::less<>> finished_;  // before
  std::function<void(const FinishedResult&)> watch_;
};

}  // namespace parallax::app
