// What the MPI module exports in addition to its version (datasets/system/module.h).
#pragma once

#include "app/team/team.h"
#include "datasets/system/module.h"

// Joins the team. Never null. Throws parallax::Error.
extern "C" parallax::app::Team* ParallaxJoinMpi();
