#include "app/team/team.h"

#include <cstdlib>

#include "app/team/mpi/mpi_module.h"
#include "datasets/system/module.h"

namespace parallax::app {
namespace {

// A variable's number; 0 if it is not set.
int NumberOrZero(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

// mpirun states the number of processes. srun does, but only tasks of --mpi=pmix form a team.
bool IsInTeam() {
  return NumberOrZero("OMPI_COMM_WORLD_SIZE") > 1 ||
         (std::getenv("PMIX_RANK") != nullptr && NumberOrZero("SLURM_STEP_NUM_TASKS") > 1);
}

}  // namespace

std::unique_ptr<Team> JoinTeam() {
  if (!IsInTeam()) return nullptr;
  void* join = FunctionOfModule({"libparallax_mpi.so", "MPI, though several processes were started together",
                                 "libopenmpi3, openmpi-bin",
                                 "configure with -DPARALLAX_MPI=ON (needs libopenmpi-dev), build and "
                                 "install again, or start each process with its own --shard"},
                                "ParallaxJoinMpi");
  return std::unique_ptr<Team>(reinterpret_cast<decltype(&ParallaxJoinMpi)>(join)());
}

bool SpeaksForTeam() {
  return !IsInTeam() || NumberOrZero(std::getenv("OMPI_COMM_WORLD_RANK") != nullptr ? "OMPI_COMM_WORLD_RANK"
                                                                                    : "PMIX_RANK") == 0;
}

}  // namespace parallax::app
