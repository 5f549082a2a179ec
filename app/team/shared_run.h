// Lets a team of processes share the frames of one command: rank 0 hands out ranges of frames on request,
// keeps the journals, adds up and prints; all ranks match.
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

// Thrown in ranks above 0: rank 0 has reported the error, and this process ends silently.
struct TeamEnded {};

class SharedRun {
 public:
  // Rank 0's handling of a record from another rank, and its answer. Called in its own thread. Its exceptions
  // are thrown by that rank's Tell.
  using Handler = std::function<JournalRecord(const JournalRecord& record)>;

  explicit SharedRun(Team& team) : team_(team) {}
  ~SharedRun();  // on rank 0: tells the others to leave and waits for them
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;

  bool leads() const { return team_.rank() == 0; }
  Team& team() { return team_; }

  // Called on rank 0 when it is ready: begins to answer. what: must be the same on all ranks; total:
  // number of frames, if known.
  void Lead(const JournalRecord& what, std::optional<std::size_t> total, Handler handler);
  // Called on the other ranks before their first frame; waits for rank 0. what: as for Lead. Throws TeamEnded
  // if rank 0 does not begin.
  void Follow(const JournalRecord& what);

  // The next frames of this rank.
  FrameRange Next();
  // Called on ranks above 0: returns the answer of rank 0's handler. Throws Error with its error, TeamEnded
  // if the run is over.
  JournalRecord Tell(const JournalRecord& record);

  // Called on rank 0: deals no further frames.
  void StopDealing() { dealer_->Stop(); }
  // Called on rank 0: waits until the others have finished. Throws Error if one of them failed.
  void AwaitOthers();
  // Called on the other ranks when they have finished. error: why they end early; empty = they do not.
  void Leave(const std::string& error, bool interrupted);
  // On rank 0: whether another rank was interrupted.
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
  mutable std::mutex mutex_;  // of the fields below
  int num_left_ = 0;
  bool begun_ = false, over_ = false, interrupted_ = false;
  std::string first_error_;
  bool has_left_ = false;  // of this rank, if it is not rank 0
};

// Runs a command's work, which takes the shared run (null if this process is alone), and makes sure that all
// ranks end: an error of rank 0 is thrown here, one of another rank is reported to rank 0.
void RunInTeam(Team* team, const std::function<void(SharedRun*)>& work);

// The options of one rank. It gets one of the devices of its machine, counted from --device: the one of its
// local rank modulo their number. Where --device names several, it gets its share of these. Without --threads
// it gets its share of the cores.
MatchingOptions ShareOf(Team& team, MatchingOptions options);

}  // namespace parallax::app
