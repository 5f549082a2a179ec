// Where and how urgently the threads of a program run.
#pragma once

#include <string>

namespace parallax::app {

// Keeps this thread, and those that it starts from now on, to these cores, such as "2,4-7" (empty = as it is),
// with a real-time priority of 1 to 99 (SCHED_FIFO; 0 = none). Throws InvalidArgument for a text that is no list
// and for cores that the system does not let this program use, Error where it refuses the priority.
void Schedule(const std::string& cores, int priority);

// Takes the real-time priority from this thread again.
void BecomeOrdinary();

}  // namespace parallax::app
