// The auction, and the checks before it.
#pragma once

#include "parallax/cloud_measures.h"

namespace parallax {

// Throws InvalidArgument for clouds that are empty, of different size or not finite, and for options out of
// range.
void CheckEmdInput(const EmdPair& pair, const EmdOptions& options);

// The auction on one CPU thread.
EmdResult AuctionEmd(const EmdPair& pair, const EmdOptions& options);

}  // namespace parallax
