// How a team of processes shares the frames of one command: rank 0 hands out ranges of frames on request, keeps the
// journals, adds up and prints; all ranks match.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/options/matching_options.h"
#include "app/output/journal.h"
#include "app/team/frame_deal.h"
#include "app/team/team.h"

namespace parallax::app {

// Thrown in ranks above 0: rank 0 has said what there is to say, and this process ends without a word.
struct TeamEnded {};

class SharedRun {
 public:
  // What rank 0 does with a record that another rank tells; its answer. Called in a thread of its own. What
  // it throws is thrown by that rank's Tell.
  using Handler = std::function<JournalRecord(const JournalRecord& record)>;

  explicit SharedRun(Team& team) : team_(team) {}
  ~SharedRun();  // of rank 0: waits until the others have left, who are told to
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;

  bool leads() const { return team_.rank() == 0; }
  Team& team() { return team_; }

  // Rank 0, once it is ready: begins to answer. what: on which all have to agree; total: frames, where known.
  void Lead(const JournalRecord& what, std::optional<std::size_t> total, Handler handler);
  // The others, before their first frame. Throws TeamEnded where rank 0 does not begin.
  void Follow(const JournalRecord& what);

  // The next frames of this rank.
  FrameRange Next();
  // Of ranks above 0: what rank 0's handler answers. Throws Error with what it threw, TeamEnded where the run
  // is over.
  JournalRecord Tell(const JournalRecord& record);

  // Rank 0: no further frames are dealt.
  void StopDealing() { dealer_->Stop(); }
  // Rank 0: waits until the others are through. Throws Error where one of them failed.
  void AwaitOthers();
  // The others, when they are through; error: why they end before that, empty = they do not.
  void Leave(const std::string& error, bool interrupted);
  // Rank 0: another one was interrupted.
  bool interrupted() const;

 private:
  std::string Answer(int rank, const std::string& message);
  JournalRecord AnswerRecord(int rank, const JournalRecord& record);
  void AnswerUntilAllHaveLeft();

  Team& team_;
  JournalRecord what_;
  Handler handler_;
  std::unique_ptr<Dealer> dealer_ = std::make_unique<Dealer>(0, 1);
  std::thread answering_;
  mutable std::mutex mutex_;  // of what follows
  int num_left_ = 0;
  bool begun_ = false, over_ = false, interrupted_ = false;
  std::string first_error_;
  bool has_left_ = false;  // of this rank, where it is not rank 0
};

// Runs a command's work, which takes the shared run (null where this process is alone), and sees to it that
// all ranks end: an error of rank 0 is thrown here, one of another rank is told to rank 0.
void RunInTeam(Team* team, const std::function<void(SharedRun*)>& work);

// The options of one rank: of the devices of its machine, counted from --device, that of its local rank
// modulo their number; where --device names several, its share of these; without --threads, its share of the
// cores.
MatchingOptions ShareOf(Team& team, MatchingOptions options);

}  // namespace parallax::app
