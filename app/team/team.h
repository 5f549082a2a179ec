// Processes that go through the frames of one command together, as mpirun starts them. No MPI type passes
// here; the implementation is a module of its own (app/team/mpi/), loaded where a team is found, because MPI
// would cost every other start of the program its time.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace parallax::app {

class Team {
 public:
  virtual ~Team() = default;  // leaves; waits until all do

  virtual int rank() const = 0;  // from 0
  virtual int size() const = 0;
  // Among those on the same machine.
  virtual int local_rank() const = 0;
  virtual int local_size() const = 0;

  // Of ranks above 0: a message to rank 0, and its answer. For several threads.
  virtual std::string Ask(const std::string& message) = 0;
  // Of rank 0: answers a message, if one has come; else returns false at once. One thread at a time, which is
  // not at work elsewhere here.
  using Answer = std::function<std::string(int rank, const std::string& message)>;
  virtual bool AnswerOne(const Answer& answer) = 0;
};

// The team that this process was started in (mpirun, or srun with PMIx); null where it is alone. Throws Error
// where there is a team and this program was built without MPI. At most once in a process.
std::unique_ptr<Team> JoinTeam();

// True but for ranks above 0, as the environment says: what all would say of a command line, one says.
bool SpeaksForTeam();

}  // namespace parallax::app
