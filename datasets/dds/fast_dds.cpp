// A participant of Fast DDS 2 or 3 (PARALLAX_FAST_DDS). Messages are bytes that the caller has encoded.
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#if PARALLAX_FAST_DDS == 2
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#else
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.hpp>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.hpp>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "datasets/live/dds_participant.h"
#include "datasets/system/module.h"
#include "parallax/error.h"

namespace parallax {
namespace {

namespace dds = eprosima::fastdds::dds;
namespace rtps = eprosima::fastdds::rtps;
#if PARALLAX_FAST_DDS == 2
namespace common = eprosima::fastrtps::rtps;
using eprosima::fastrtps::Duration_t;
constexpr auto kOk = eprosima::fastrtps::types::ReturnCode_t::RETCODE_OK;
#else
namespace common = rtps;
using dds::Duration_t;
constexpr auto kOk = dds::RETCODE_OK;
#endif
using common::GUID_t;
using common::SerializedPayload_t;

// A few clouds of a large picture. The library takes all of it at once.
constexpr std::uint32_t kSharedMemory_bytes = 32 << 20;
constexpr std::uint32_t kFirstPayload_bytes = 1024;  // grows with the messages
const Duration_t kLongestFlush(0, 300'000'000);

DdsGuid GuidOf(const GUID_t& guid) {
  DdsGuid bytes{};
  static_assert(sizeof(guid.guidPrefix.value) + sizeof(guid.entityId.value) == sizeof(DdsGuid));
  std::memcpy(bytes.data(), guid.guidPrefix.value, sizeof(guid.guidPrefix.value));
  std::memcpy(bytes.data() + sizeof(guid.guidPrefix.value), guid.entityId.value, sizeof(guid.entityId.value));
  return bytes;
}

// Written samples are spans, read ones vectors.
class BytesType final : public dds::TopicDataType {
 public:
#if PARALLAX_FAST_DDS == 2
  explicit BytesType(const std::string& name) {
    setName(name.c_str());
    m_typeSize = kFirstPayload_bytes;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }
  bool serialize(void* data, SerializedPayload_t* payload) override { return Copy(data, *payload); }
  bool deserialize(SerializedPayload_t* payload, void* data) override { return Copy(*payload, data); }
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override {
    return [data] { return SizeOf(data); };
  }
  void* createData() override { return new std::vector<std::uint8_t>; }
  void deleteData(void* data) override { delete static_cast<std::vector<std::uint8_t>*>(data); }
  bool getKey(void*, common::InstanceHandle_t*, bool) override { return false; }
#else
  explicit BytesType(const std::string& name) {
    set_name(name);
    max_serialized_type_size = kFirstPayload_bytes;
  }
  bool serialize(const void* data, SerializedPayload_t& payload, dds::DataRepresentationId_t) override {
    return Copy(data, payload);
  }
  bool deserialize(SerializedPayload_t& payload, void* data) override { return Copy(payload, data); }
  std::uint32_t calculate_serialized_size(const void* data, dds::DataRepresentationId_t) override {
    return SizeOf(data);
  }
  void* create_data() override { return new std::vector<std::uint8_t>; }
  void delete_data(void* data) override { delete static_cast<std::vector<std::uint8_t>*>(data); }
  bool compute_key(SerializedPayload_t&, common::InstanceHandle_t&, bool) override { return false; }
  bool compute_key(const void*, common::InstanceHandle_t&, bool) override { return false; }
#endif

 private:
  static std::uint32_t SizeOf(const void* data) {
    return static_cast<std::uint32_t>(static_cast<const std::span<const std::uint8_t>*>(data)->size());
  }
  static bool Copy(const void* data, SerializedPayload_t& payload) {
    const auto& message = *static_cast<const std::span<const std::uint8_t>*>(data);
    if (message.size() > payload.max_size) return false;
    std::memcpy(payload.data, message.data(), message.size());
    payload.length = static_cast<std::uint32_t>(message.size());
    payload.encapsulation = CDR_LE;
    return true;
  }
  static bool Copy(const SerializedPayload_t& payload, void* data) {
    static_cast<std::vector<std::uint8_t>*>(data)->assign(payload.data, payload.data + payload.length);
    return true;
  }
};

// Reader's and writer's QoS name the same policies.
template <typename Qos>
void SetQos(const DdsTopic& topic, Qos& qos) {
  qos.reliability().kind =
      topic.is_reliable ? dds::RELIABLE_RELIABILITY_QOS : dds::BEST_EFFORT_RELIABILITY_QOS;
  qos.durability().kind =
      topic.keeps_last ? dds::TRANSIENT_LOCAL_DURABILITY_QOS : dds::VOLATILE_DURABILITY_QOS;
  qos.history().kind = dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = topic.depth;
  qos.data_sharing().off();
  qos.endpoint().history_memory_policy = common::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.user_data().data_vec({topic.user_data.begin(), topic.user_data.end()});
}

class Participant;

class Reader final : public DdsReader, public dds::DataReaderListener {
 public:
  Reader(std::shared_ptr<Participant> participant, const DdsTopic& topic,
         std::function<void(std::vector<std::uint8_t>)> take);
  ~Reader() override;
  DdsGuid guid() const override { return GuidOf(reader_->guid()); }
  std::size_t num_lost() const override { return num_lost_; }

  void on_data_available(dds::DataReader* reader) override {
    std::vector<std::uint8_t> message;
    dds::SampleInfo info;
    while (reader->take_next_sample(&message, &info) == kOk) {
      if (!info.valid_data) continue;
      has_read_ = true;
      take_(std::move(message));
      message.clear();
    }
  }
  // Messages that were sent before this reader existed are not lost ones.
  void on_sample_lost(dds::DataReader*, const dds::SampleLostStatus& status) override {
    if (has_read_) num_lost_ += static_cast<std::size_t>(std::max(status.total_count_change, 0));
  }

 private:
  const std::shared_ptr<Participant> participant_;
  const std::function<void(std::vector<std::uint8_t>)> take_;
  std::atomic<std::size_t> num_lost_ = 0;
  std::atomic<bool> has_read_ = false;
  dds::Topic* topic_ = nullptr;
  dds::DataReader* reader_ = nullptr;
};

class Writer final : public DdsWriter {
 public:
  Writer(std::shared_ptr<Participant> participant, const DdsTopic& topic);
  ~Writer() override;
  DdsGuid guid() const override { return GuidOf(writer_->guid()); }
  bool HasReaders() const override {
    dds::PublicationMatchedStatus status;
    return writer_->get_publication_matched_status(status) == kOk && status.current_count > 0;
  }
  void Write(std::span<const std::uint8_t> message) override { writer_->write(&message); }

 private:
  const std::shared_ptr<Participant> participant_;
  dds::Topic* topic_ = nullptr;
  dds::DataWriter* writer_ = nullptr;
};

class Participant final : public DdsParticipant,
                          public dds::DomainParticipantListener,
                          public std::enable_shared_from_this<Participant> {
 public:
  explicit Participant(const DdsSettings& settings) {
    dds::Log::ClearConsumers();  // our own errors report it
    auto* factory = dds::DomainParticipantFactory::get_instance();
    dds::DomainParticipantQos qos = dds::PARTICIPANT_QOS_DEFAULT;
    if (settings.profiles_file.empty()) {
      qos.transport().use_builtin_transports = false;
      const auto shared = std::make_shared<rtps::SharedMemTransportDescriptor>();
      shared->segment_size(kSharedMemory_bytes);
      const auto udp = std::make_shared<rtps::UDPv4TransportDescriptor>();
      udp->receiveBufferSize = settings.receive_bytes;
      if (settings.only_this_host) udp->interfaceWhiteList.emplace_back("127.0.0.1");
      qos.transport().user_transports = {shared, udp};
    } else {
      if (factory->load_XML_profiles_file(settings.profiles_file) != kOk) {
        throw Error(settings.profiles_file +
                    ": Fast DDS cannot read profiles from it: correct it, or unset "
                    "FASTDDS_DEFAULT_PROFILES_FILE and FASTRTPS_DEFAULT_PROFILES_FILE");
      }
      factory->get_default_participant_qos(qos);
    }
    qos.user_data().data_vec({settings.user_data.begin(), settings.user_data.end()});
    participant_ = factory->create_participant(static_cast<std::uint32_t>(settings.domain), qos, this,
                                               dds::StatusMask::none());
    if (participant_ == nullptr) {
      throw Error("DDS cannot take part in domain " + std::to_string(settings.domain) +
                  ": are 120 processes in it already, or does the system lack a network?");
    }
    publisher_ = participant_->create_publisher(dds::PUBLISHER_QOS_DEFAULT);
    subscriber_ = participant_->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT);
  }
  ~Participant() override {
    participant_->delete_contained_entities();
    dds::DomainParticipantFactory::get_instance()->delete_participant(participant_);
  }
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  DdsGuid guid() const override { return GuidOf(participant_->guid()); }
  std::unique_ptr<DdsReader> Read(const DdsTopic& topic,
                                  std::function<void(std::vector<std::uint8_t>)> take) override {
    return std::make_unique<Reader>(shared_from_this(), topic, std::move(take));
  }
  std::unique_ptr<DdsWriter> Write(const DdsTopic& topic) override {
    return std::make_unique<Writer>(shared_from_this(), topic);
  }
  std::vector<std::string> TypesOf(const std::string& topic_name) const override {
    return Seen([&](const Remote& remote) { return remote.topic == topic_name ? &remote.type : nullptr; });
  }
  std::vector<std::string> TopicsOf(const std::string& type) const override {
    return Seen([&](const Remote& remote) { return remote.type == type ? &remote.topic : nullptr; });
  }

  // A topic has one type, and may be used by a reader and a writer.
  dds::Topic* Use(const DdsTopic& topic) {
    const std::scoped_lock lock(topics_mutex_);
    auto& [used, count] = topics_[{topic.name, topic.type}];
    if (count == 0) {
      dds::TypeSupport(new BytesType(topic.type)).register_type(participant_);
      used = participant_->create_topic(topic.name, topic.type, dds::TOPIC_QOS_DEFAULT);
    }
    if (used == nullptr) throw Error("DDS refuses the topic " + topic.name + " of type " + topic.type);
    ++count;
    return used;
  }
  void Release(dds::Topic* topic) {
    const std::scoped_lock lock(topics_mutex_);
    const auto found = std::ranges::find_if(topics_, [&](const auto& t) { return t.second.first == topic; });
    if (found == topics_.end() || --found->second.second > 0) return;
    participant_->delete_topic(topic);
    topics_.erase(found);
  }
  dds::Publisher* publisher() const { return publisher_; }
  dds::Subscriber* subscriber() const { return subscriber_; }

#if PARALLAX_FAST_DDS == 2
  void on_publisher_discovery(dds::DomainParticipant*, common::WriterDiscoveryInfo&& found) override {
    Note(found.info.guid(), found.status == common::WriterDiscoveryInfo::REMOVED_WRITER,
         {found.info.topicName().to_string(), found.info.typeName().to_string()});
  }
#else
  void on_data_writer_discovery(dds::DomainParticipant*, rtps::WriterDiscoveryStatus status,
                                const dds::PublicationBuiltinTopicData& found, bool&) override {
    Note(found.guid, status == rtps::WriterDiscoveryStatus::REMOVED_WRITER,
         {found.topic_name.to_string(), found.type_name.to_string()});
  }
#endif

 private:
  struct Remote {
    std::string topic, type;
  };
  // Remembers a writer that was found, or forgets one that is gone.
  void Note(const GUID_t& guid, bool is_gone, Remote remote) {
    if (participant_ == nullptr || guid.guidPrefix == participant_->guid().guidPrefix)
      return;  // this participant
    const std::scoped_lock lock(remotes_mutex_);
    if (is_gone) {
      remotes_.erase(guid);
    } else {
      remotes_[guid] = std::move(remote);
    }
  }
  template <typename Pick>
  std::vector<std::string> Seen(const Pick& pick) const {
    std::vector<std::string> seen;
    const std::scoped_lock lock(remotes_mutex_);
    for (const auto& [guid, remote] : remotes_) {
      const std::string* picked = pick(remote);
      if (picked != nullptr && std::ranges::find(seen, *picked) == seen.end()) seen.push_back(*picked);
    }
    return seen;
  }

  dds::DomainParticipant* participant_ = nullptr;
  dds::Publisher* publisher_ = nullptr;
  dds::Subscriber* subscriber_ = nullptr;
  std::mutex topics_mutex_;
  std::map<std::pair<std::string, std::string>, std::pair<dds::Topic*, int>> topics_;
  mutable std::mutex remotes_mutex_;
  std::map<GUID_t, Remote> remotes_;  // writers of others
};

Reader::Reader(std::shared_ptr<Participant> participant, const DdsTopic& topic,
               std::function<void(std::vector<std::uint8_t>)> take)
    : participant_(std::move(participant)), take_(std::move(take)), topic_(participant_->Use(topic)) {
  dds::DataReaderQos qos = dds::DATAREADER_QOS_DEFAULT;
  SetQos(topic, qos);
  reader_ = participant_->subscriber()->create_datareader(topic_, qos, nullptr);
  if (reader_ == nullptr) {
    participant_->Release(topic_);
    throw Error("DDS cannot read the topic " + topic.name);
  }
  reader_->set_listener(this, dds::StatusMask::data_available() << dds::StatusMask::sample_lost());
}

Reader::~Reader() {
  reader_->set_listener(nullptr);
  participant_->subscriber()->delete_datareader(reader_);
  participant_->Release(topic_);
}

Writer::Writer(std::shared_ptr<Participant> participant, const DdsTopic& topic)
    : participant_(std::move(participant)), topic_(participant_->Use(topic)) {
  dds::DataWriterQos qos = dds::DATAWRITER_QOS_DEFAULT;
  SetQos(topic, qos);
  qos.publish_mode().kind = dds::ASYNCHRONOUS_PUBLISH_MODE;  // large messages go in pieces
  writer_ = participant_->publisher()->create_datawriter(topic_, qos);
  if (writer_ == nullptr) {
    participant_->Release(topic_);
    throw Error("DDS cannot write the topic " + topic.name);
  }
}

Writer::~Writer() {
  writer_->wait_for_acknowledgments(kLongestFlush);
  participant_->publisher()->delete_datawriter(writer_);
  participant_->Release(topic_);
}

}  // namespace
}  // namespace parallax

extern "C" {

__attribute__((visibility("default"))) const char* ParallaxModuleVersion() { return PARALLAX_VERSION; }

__attribute__((visibility("default"))) std::shared_ptr<parallax::DdsParticipant>* ParallaxDdsParticipant(
    const parallax::DdsSettings& settings) {
  return new std::shared_ptr<parallax::DdsParticipant>(std::make_shared<parallax::Participant>(settings));
}
}
