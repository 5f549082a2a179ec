// Whole folders: data sets of every layout, folders of estimates, the journal of a run. The bytes are an
// archive: pieces between 0x1C, each the name of a file, a line break and its content.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/output/journal.h"
#include "app/scores/estimate_files.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "datasets/source.h"
#include "parallax/error.h"
#include "tests/fuzz/target_list.h"
#include "tests/support/calibration_texts.h"

namespace parallax::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr char kBetween = 0x1C;

// One folder for a process, in memory where that can be, emptied for every input.
const fs::path& TheFolder() {
  static const struct Folder {
    Folder() {
      const fs::path memory = "/dev/shm";
      std::error_code error;
      const fs::path base = fs::is_directory(memory, error) ? memory : fs::temp_directory_path();
      std::string name = (base / "parallax_fuzz_XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder " + name);
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    fs::path path;
  } folder;
  return folder.path;
}

// A name that stays in the folder: short, of few parts, none of them "..".
bool IsTame(const fs::path& name) {
  if (name.empty() || name.is_absolute() || name.string().size() > 120) return false;
  int depth = 0;
  for (const fs::path& part : name) {
    if (part == ".." || part.empty() || ++depth > 5) return false;
  }
  return true;
}

// Writes the archive's files, unless they are there from the last call; the folder they are in.
fs::path Unpacked(std::span<const std::uint8_t> bytes) {
  static const fs::path folder = TheFolder() / "input";
  static Bytes last;
  if (!last.empty() && std::ranges::equal(bytes, last)) return folder;
  last.assign(bytes.begin(), bytes.end());
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (int count = 0; !rest.empty() && count < 40; ++count) {
    const std::string_view piece = rest.substr(0, rest.find(kBetween));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    const std::size_t name_end = piece.find('\n');
    if (name_end == std::string_view::npos || piece.substr(0, name_end).find('\0') != std::string_view::npos)
      continue;
    const fs::path name = piece.substr(0, name_end);
    if (!IsTame(name)) continue;
    fs::create_directories((folder / name).parent_path(), error);
    std::ofstream file(folder / name, std::ios::binary);
    file.write(piece.data() + name_end + 1, static_cast<std::streamsize>(piece.size() - name_end - 1));
  }
  return folder;
}

void RequireOneLine(const Error& error) {
  const std::string_view text = error.what();
  Require(!text.empty() && text.find('\n') == std::string_view::npos, "the error is one line");
}

void RequireSound(const StereoFrame& frame) {
  const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
  Require(WidthOf(left) > 0 && HeightOf(left) > 0, "the frame has pixels");
  Require(WidthOf(left) == WidthOf(right) && HeightOf(left) == HeightOf(right),
          "both images are of one size");
  Require(!frame.rig || (frame.rig->fx_px > 0 && frame.rig->baseline_m > 0), "the rig has positive lengths");
  Require(!frame.truth || frame.truth->disparity.width() == WidthOf(left), "the truth fits the image");
  Require(!frame.num_disparities_hint || *frame.num_disparities_hint > 0, "the hint is positive");
}

void FeedDataSet(std::span<const std::uint8_t> bytes) {
  const fs::path folder = Unpacked(bytes);
  try {
    const auto source = OpenSource({folder.string()}, {.kind = "", .with_truth = true});
    for (int i = 0; i < 8 && source->NextName(); ++i) {
      try {
        RequireSound(source->Read());
      } catch (const Error& error) {
        RequireOneLine(error);
      }
    }
    Require(!source->InputFiles().empty(), "a data set reads files");
  } catch (const Error& error) {
    RequireOneLine(error);
  }
}

void FeedEstimates(std::span<const std::uint8_t> bytes) {
  const fs::path folder = Unpacked(bytes);
  for (const Metric metric : {Metric::kKitti2012, Metric::kMiddlebury}) {
    try {
      const app::EstimateFiles estimates(folder, metric);
      for (const char* name : {"000000_10", "Teddy"}) {
        if (const auto file = estimates.Find(name))
          Require(app::ReadEstimate(*file).width() > 0, "an estimate has pixels");
      }
    } catch (const Error& error) {
      RequireOneLine(error);
    }
  }
}

// What is read of a journal is what its lines say, however they were damaged, and a line can be added.
void FeedJournal(std::span<const std::uint8_t> bytes) {
  const fs::path folder = TheFolder() / "journal";
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path file = folder / "journal.tsv";
  {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  std::size_t num_before = 0;
  app::JournalRecord added{"frame"};
  added.Add("name", "a\tb\nc\\d").Add("file", "x");
  {
    app::Journal journal(file);
    num_before = journal.records().size();
    for (const app::JournalRecord& record : journal.records()) {
      app::JournalRecord again;
      Require(app::ParseJournalLine(app::JournalLine(record), again), "a record is a line");
      Require(again.kind == record.kind && again.fields == record.fields, "and reads back the same");
    }
    journal.Append(added);
  }
  const app::Journal journal(file);
  Require(journal.records().size() == num_before + 1, "a line is added behind the whole ones");
  Require(journal.records().back().fields == added.fields, "the line that was added is whole");
}

std::string TextOf(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

std::string Image() {
  HostImage<std::uint8_t> image(6, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) image(x, y) = static_cast<std::uint8_t>(40 * x + y);
  }
  return TextOf(WrittenBytes([&](const auto& path) { WritePng(path, image.ConstView()); }, "i.png"));
}

HostImage<float> Map() { return HostImage<float>(6, 4, 2.5F); }
std::string MapPng() {
  const auto map = Map();
  return TextOf(WrittenBytes([&](const auto& path) { WriteDisparityPng(path, map.ConstView()); }, "m.png"));
}
std::string MapPfm() {
  const auto map = Map();
  return TextOf(WrittenBytes([&](const auto& path) { WritePfm(path, map.ConstView()); }, "m.pfm"));
}

Bytes Archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string text;
  for (const auto& [name, content] : files) text += name + '\n' + content + kBetween;
  return BytesOf(text);
}

const char* const kProjections =
    "P0: 7e2 0 3 0 0 7e2 2 0 0 0 1 0\nP1: 7e2 0 3 -3.7e2 0 7e2 2 0 0 0 1 0\n"
    "P2: 7e2 0 3 0 0 7e2 2 0 0 0 1 0\nP3: 7e2 0 3 -3.7e2 0 7e2 2 0 0 0 1 0\n";
const char* const kMiddlebury =
    "cam0=[100 0 3; 0 100 2; 0 0 1]\ncam1=[100 0 4; 0 100 2; 0 0 "
    "1]\ndoffs=1\nbaseline=170\nwidth=6\nheight=4\n"
    "ndisp=8\n";

std::vector<Bytes> DataSetSeeds() {
  const std::string image = Image(), map = MapPng(), pfm = MapPfm();
  return {
      Archive({{"training/image_0/000000_10.png", image},
               {"training/image_1/000000_10.png", image},
               {"training/disp_occ/000000_10.png", map},
               {"training/disp_noc/000000_10.png", map},
               {"training/calib/000000.txt", kProjections}}),
      Archive({{"image_2/000000_10.png", image},
               {"image_3/000000_10.png", image},
               {"disp_occ_0/000000_10.png", map},
               {"disp_noc_0/000000_10.png", map},
               {"obj_map/000000_10.png", image},
               {"calib_cam_to_cam/000000.txt",
                "P_rect_02: 7 0 4 .5 0 7 2 0 0 0 1 0\nP_rect_03: 7 0 5 -3 0 7 2 0 0 0 1 0\n"}}),
      Archive({{"sequences/00/image_0/000000.png", image},
               {"sequences/00/image_1/000000.png", image},
               {"sequences/00/calib.txt", kProjections},
               {"sequences/00/times.txt", "0.0\n0.1\n"}}),
      Archive({{"d/d_sync/image_00/data/0000000000.png", image},
               {"d/d_sync/image_01/data/0000000000.png", image},
               {"d/d_sync/image_00/timestamps.txt", "2011-09-26 13:02:25.964389445\n"},
               {"d/calib_cam_to_cam.txt",
                "P_rect_00: 7 0 4 0 0 7 2 0 0 0 1 0\nP_rect_01: 7 0 4 -3 0 7 2 0 0 0 1 0\n"}}),
      Archive({{"mav0/cam0/sensor.yaml", test::EurocText(0, 0, 400)},
               {"mav0/cam1/sensor.yaml", test::EurocText(0, 0.1, 410)},
               {"mav0/cam0/data/1403636579763555584.png", image},
               {"mav0/cam1/data/1403636579763555584.png", image}}),
      Archive({{"d/d_extract/image_00/data/0000000000.png", image},
               {"d/d_extract/image_01/data/0000000000.png", image},
               {"d/calib_cam_to_cam.txt", test::kKittiCamToCam}}),
      Archive({{"Teddy/im0.png", image},
               {"Teddy/im1.png", image},
               {"Teddy/disp0GT.pfm", pfm},
               {"Teddy/mask0nocc.png", image},
               {"Teddy/calib.txt", std::string(kMiddlebury) + "vmin=1\nvmax=7\n"}}),
      Archive(
          {{"s/im0.png", image}, {"s/im1.png", image}, {"s/disp0GT.pfm", pfm}, {"s/calib.txt", kMiddlebury}}),
      Archive({{"cones/im2.png", image}, {"cones/im6.png", image}, {"cones/disp2.png", image}}),
      Archive({{"Aloe/view1.png", image}, {"Aloe/view5.png", image}, {"Aloe/dmin.txt", "12\n"}}),
  };
}

std::vector<Bytes> EstimateSeeds() {
  const std::string map = MapPng(), pfm = MapPfm();
  return {Archive({{"000000_10.png", map}, {"pfm/Teddy.pfm", pfm}}),
          Archive({{"disp_0/000000_10.png", map}, {"Teddy/disp0SGM.pfm", pfm}}),
          Archive({{"sgbm_000000_10_a.png", map}, {"x-Teddy.pfm", pfm}})};
}

std::vector<Bytes> JournalSeeds() {
  app::JournalRecord run{"run"}, frame{"frame"};
  run.Add("parallax", "0.1.0").Add("aggregation.p1", "10").Add("--cloud-clean", "16,2");
  frame.Add("name", "000000_10").Add("origin", "a\tb").Add("file", "12 0abc1234 disparity/000000_10.png");
  const std::string lines = app::JournalLine(run) + '\n' + app::JournalLine(frame) + '\n';
  return {BytesOf(lines), BytesOf(lines.substr(0, lines.size() - 9)),
          BytesOf(lines + "deadbeef\tframe\tname=x\n")};
}

}  // namespace

const Target kDataSet{"data_set", FeedDataSet, DataSetSeeds};
const Target kEstimates{"estimates", FeedEstimates, EstimateSeeds};
const Target kJournal{"journal", FeedJournal, JournalSeeds};

}  // namespace parallax::fuzz
