// A team of MPI's processes. Rank 0 answers, the others ask; every message and answer is a string.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "app/team/mpi/mpi_module.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr int kAsk = 1, kAnswer = 2;  // tags

// Open MPI waits by turning in circles, which takes a core from those who match.
constexpr std::chrono::microseconds kShortestWait{20}, kLongestWait{200};

void Send(const std::string& text, int rank, int tag) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, tag, MPI_COMM_WORLD);
}

// The next message with that tag, if it is there. rank: of whom, or MPI_ANY_SOURCE; who it was.
bool Receive(int& rank, int tag, std::string& text) {
  int is_there = 0, length = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(rank, tag, MPI_COMM_WORLD, &is_there, &message, &status);
  if (is_there == 0) return false;
  MPI_Get_count(&status, MPI_CHAR, &length);
  text.resize(static_cast<std::size_t>(length));
  MPI_Mrecv(text.data(), length, MPI_CHAR, &message, &status);
  rank = status.MPI_SOURCE;
  return true;
}

class MpiTeam final : public Team {
 public:
  MpiTeam() {
    // The team needs no display, and a display that disappears would end the process.
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    // Containers do not allow processes to read each other's memory, and the messages are short.
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
      throw Error("MPI cannot be initialised: start the program with this machine's mpirun");
    if (provided < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw Error(
          "this MPI does not support threads: use an Open MPI built with thread support, such as Debian's");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank_);
    MPI_Comm_size(machine, &local_size_);
    MPI_Comm_free(&machine);
  }
  ~MpiTeam() override { MPI_Finalize(); }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  int local_size() const override { return local_size_; }

  // Answers come in the order of the questions, so threads need not wait for each other's: a GPU's frames end
  // faster than rank 0 answers one at a time.
  std::string Ask(const std::string& message) override {
    std::unique_lock lock(mutex_);
    Send(message, 0, kAsk);
    const std::size_t number = num_asked_++;
    for (auto wait = kShortestWait;; wait = std::min(2 * wait, kLongestWait)) {
      std::string answer;
      int leader = 0;
      while (Receive(leader, kAnswer, answer)) answers_.emplace(num_answered_++, std::move(answer));
      if (auto mine = answers_.extract(number)) return std::move(mine.mapped());
      lock.unlock();
      std::this_thread::sleep_for(wait);
      lock.lock();
    }
  }

  bool AnswerOne(const Answer& answer) override {
    std::string message;
    int rank = MPI_ANY_SOURCE;
    if (!Receive(rank, kAsk, message)) return false;
    Send(answer(rank, message), rank, kAnswer);
    return true;
  }

 private:
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::mutex mutex_;  // of what follows, and of MPI
  std::size_t num_asked_ = 0, num_answered_ = 0;
  std::map<std::size_t, std::string> answers_;  // to questions of threads that have not looked yet
};

}  // namespace
}  // namespace parallax::app

const char* ParallaxModuleVersion() { return PARALLAX_VERSION; }
parallax::app::Team* ParallaxJoinMpi() { return new parallax::app::MpiTeam; }
