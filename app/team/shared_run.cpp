#include "app/team/shared_run.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "app/options/logging.h"
#include "app/output/error_text.h"
#include "app/output/number_list.h"
#include "config/devices.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// The kinds of messages that SharedRun handles itself; the handler gets all others. Below, the kinds of answers.
constexpr const char *kHello = "hello", *kNext = "next", *kBye = "bye";
constexpr const char *kYes = "yes", *kError = "error", *kOver = "over";
constexpr std::string_view kText = "text", kRangeBegin = "begin", kRangeEnd = "end", kHost = "host",
                           kWasInterrupted = "interrupted";

// How long rank 0 sleeps between looks for a message.
constexpr std::chrono::microseconds kShortestWait{20}, kLongestWait{200};

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

JournalRecord ErrorRecord(const std::string& text) { return JournalRecord{kError}.Add(kText, text); }

// How another rank's settings differ from those of rank 0; empty if they agree.
std::string FirstDifference(const JournalRecord& here, const JournalRecord& there) {
  for (std::size_t i = 0; i < here.fields.size(); ++i) {
    const auto& [key, value] = here.fields[i];
    if (i < there.fields.size() && there.fields[i] == here.fields[i]) continue;
    return fmt::format("{} is {} there and {} on rank 0", key, there.Get(key), value);
  }
  return here.fields.size() == there.fields.size() ? "" : "it has more options";
}

}  // namespace

SharedRun::~SharedRun() {
  if (!leads()) return;
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  if (answering_.joinable()) {
    answering_.join();
  } else {
    AnswerUntilAllHaveLeft();
  }
}

void SharedRun::Lead(const JournalRecord& what, std::optional<std::size_t> total, Handler handler) {
  what_ = what;
  handler_ = std::move(handler);
  dealer_ = std::make_unique<Dealer>(total, static_cast<std::size_t>(team_.size()));
  begun_ = true;
  answering_ = std::thread([this] { AnswerUntilAllHaveLeft(); });
}

void SharedRun::Follow(const JournalRecord& what) {
  JournalRecord hello{kHello, what.fields};
  Tell(hello);
}

FrameRange SharedRun::Next() {
  if (leads()) return dealer_->Next();
  const JournalRecord range = Tell({kNext});
  return {static_cast<std::size_t>(NumberFromText(range.Get(kRangeBegin))),
          static_cast<std::size_t>(NumberFromText(range.Get(kRangeEnd)))};
}

JournalRecord SharedRun::Tell(const JournalRecord& record) {
  JournalRecord answer;
  if (!ParseJournalLine(team_.Ask(JournalLine(record)), answer)) throw Error("rank 0 sent a damaged answer");
  if (answer.kind == kOver) throw TeamEnded();
  if (answer.kind == kError) throw Error(std::string(answer.Get(kText)));
  return answer;
}

void SharedRun::AwaitOthers() {
  answering_.join();
  if (!first_error_.empty()) throw Error(first_error_);
}

void SharedRun::Leave(const std::string& error, bool interrupted) {
  if (std::exchange(has_left_, true)) return;
  JournalRecord bye{kBye};
  bye.Add(kHost, HostName()).Add(kText, error);
  if (interrupted) bye.Add(kWasInterrupted, "1");
  team_.Ask(JournalLine(bye));
}

bool SharedRun::interrupted() const {
  const std::scoped_lock lock(mutex_);
  return interrupted_;
}

void SharedRun::AnswerUntilAllHaveLeft() {
  const auto answer = [this](int rank, const std::string& message) { return Answer(rank, message); };
  auto wait = kShortestWait;
  while (true) {
    {
      const std::scoped_lock lock(mutex_);
      if (num_left_ == team_.size() - 1) return;
    }
    if (team_.AnswerOne(answer)) {
      wait = kShortestWait;
      continue;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(2 * wait, kLongestWait);
  }
}

std::string SharedRun::Answer(int rank, const std::string& message) {
  JournalRecord record;
  try {
    if (!ParseJournalLine(message, record)) throw Error("a damaged message arrived");
    return JournalLine(AnswerRecord(rank, record));
  } catch (const std::exception& error) {
    return JournalLine(ErrorRecord(error.what()));
  }
}

JournalRecord SharedRun::AnswerRecord(int rank, const JournalRecord& record) {
  const auto lose = [&](const std::string& host, const std::string& text) {  // the lock is held
    if (first_error_.empty()) first_error_ = fmt::format("rank {} on {}: {}", rank, host, text);
    dealer_->Stop();
  };
  {
    const std::scoped_lock lock(mutex_);
    if (record.kind == kBye) {
      ++num_left_;
      if (!record.Get(kText).empty()) lose(std::string(record.Get(kHost)), std::string(record.Get(kText)));
      if (!record.Get(kWasInterrupted).empty()) {
        interrupted_ = true;
        dealer_->Stop();
      }
      return {kYes};
    }
    if (over_ || !begun_) return {kOver};
    if (record.kind == kHello) {
      const std::string difference = FirstDifference(what_, record);
      if (difference.empty()) return {kYes};
      lose(std::string(record.Get(kHost)),
           difference + ": start the same program on the same data everywhere");
      return {kOver};
    }
  }
  if (record.kind == kNext) {
    const FrameRange range = dealer_->Next();
    return JournalRecord{kYes}
        .Add(kRangeBegin, std::to_string(range.begin))
        .Add(kRangeEnd, std::to_string(range.end));
  }
  return handler_(record);
}

void RunInTeam(Team* team, const std::function<void(SharedRun*)>& work) {
  if (team == nullptr) return work(nullptr);
  SharedRun shared(*team);
  if (shared.leads()) return work(&shared);
  StopLogging();  // rank 0 says it once
  try {
    work(&shared);
    shared.Leave("", false);
  } catch (const TeamEnded&) {
    shared.Leave("", false);
  } catch (const std::exception& error) {
    shared.Leave(ErrorText(error), false);
  }
}

namespace {

// One rank's share of the devices that were chosen for all ranks of a machine.
std::vector<int> DevicesOfRank(Team& team, const MatchingOptions& options) {
  const std::vector<int> chosen = options.DeviceNumbers(options.backend);
  if (chosen.size() == 1) return {(chosen.front() + team.local_rank()) % NumDevices(options.backend)};
  const auto rank = static_cast<std::size_t>(team.local_rank());
  std::vector<int> of_rank;
  for (std::size_t i = rank; i < chosen.size(); i += static_cast<std::size_t>(team.local_size()))
    of_rank.push_back(chosen[i]);
  if (of_rank.empty()) of_rank.push_back(chosen[rank % chosen.size()]);
  return of_rank;
}

}  // namespace

MatchingOptions ShareOf(Team& team, MatchingOptions options) {
  options.devices = {.numbers = DevicesOfRank(team, options), .all = false};
  options.device = options.devices.numbers.front();
  if (options.num_threads == 0) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    int num_cores = static_cast<int>(std::thread::hardware_concurrency());
    const int num_share = num_cores / team.local_size();
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) num_cores = CPU_COUNT(&allowed);
    options.num_threads = std::max(1, std::min(num_cores, num_share));
  }
  return options;
}

}  // namespace parallax::app
