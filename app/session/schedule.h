// Cores and priority of a program's threads.
#pragma once

#include <string>

namespace parallax::app {

// Restricts this thread, and those that it starts from now on, to some cores, such as "2,4-7" (empty = no change),
// and gives them a real-time priority of 1 to 99 (SCHED_FIFO; 0 = no change). Throws InvalidArgument for an invalid
// list and for cores that this program may not use, and Error if the system refuses the priority.
void Schedule(const std::string& cores, int priority);

// Makes OpenCV's functions run in their caller's thread alone, because the cores are the matcher's. Call it
// before other threads use OpenCV: a change while they do crashes the program.
void RunOpenCvInCallersThread();

// Gives this thread the usual priority again.
void DropRealTimePriority();

}  // namespace parallax::app
