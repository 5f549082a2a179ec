// Processes that share the frames of one command, started by mpirun. No MPI type appears here. The
// implementation is a separate module (app/team/mpi/), loaded only in a team, because MPI would slow every
// other start of the program.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace parallax::app {

class Team {
 public:
  virtual ~Team() = default;  // leaves; waits until all ranks do

  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;
  // Its rank among those on the same machine.
  virtual int local_rank() const = 0;
  virtual int local_size() const = 0;

  // Ranks above 0: sends a message to rank 0 and returns the answer. Thread-safe.
  virtual std::string Ask(const std::string& message) = 0;
  // Makes the answer to a message from a rank.
  using Answer = std::function<std::string(int rank, const std::string& message)>;
  // Rank 0: answers a message if one has arrived; otherwise returns false at once. One thread at a time.
  virtual bool AnswerOne(const Answer& answer) = 0;
};

// The team in which this process was started (mpirun, or srun with PMIx); null if it is alone. Throws Error
// if there is a team but this program was built without MPI. Called at most once in a process.
std::unique_ptr<Team> JoinTeam();

// False for ranks above 0, as the environment states: only rank 0 reports faults of the command line.
bool SpeaksForTeam();

}  // namespace parallax::app
