// The pages of a run's folder: results beside the images that they were made of.
#include "app/view/output_pages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/view/panes/shown_frame.h"
#include "datasets/source.h"
#include "tests/support/avi_video.h"
#include "tests/support/images.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;

class OutputPagesOfARun : public ::testing::Test {
 protected:
  void Run(std::vector<std::string> source, const char* results = "disparity,validity") {
    source.insert(source.begin(), "run");
    for (const char* more : {"--set", "matching_cost.num_disparities=16", "--write", results, "--output"})
      source.push_back(more);
    source.push_back(out());
    const ProgramResult run = RunParallax(source);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  std::string out() const { return (folder_.path() / "out").string(); }

  TemporaryFolder folder_;
};

TEST_F(OutputPagesOfARun, ShowTheRenderedScene) {
  const std::string scene = "synthetic:planes,width=80,height=60,frames=3";
  Run({scene});
  app::OutputPages pages(out());
  ASSERT_EQ(pages.size(), 3U);
  for (const std::size_t number : {2U, 0U, 1U}) {  // forwards and back
    const app::ViewerFrame page = pages.Read(number);
    EXPECT_EQ(page.status, "");
    ASSERT_FALSE(page.shown->left.Empty()) << number;
    EXPECT_FALSE(page.shown->right.Empty());
    const auto source = OpenSource({scene});
    for (std::size_t i = 0; i < number; ++i) source->Skip();
    const StereoFrame frame = source->Read();
    EXPECT_EQ(page.shown->left(40, 30).r, std::get<HostImage<std::uint8_t>>(frame.left)(40, 30));
  }
}

TEST_F(OutputPagesOfARun, SayWhereFilledPixelsAreNotKnown) {
  Run({"synthetic:planes,width=80,height=60,frames=1"}, "disparity");
  EXPECT_EQ(app::OutputPages(out()).Read(0).status,
            "filled pixels look like measured ones; run --write validity tells them apart");
}

TEST_F(OutputPagesOfARun, ShowTheVideoWhateverItsLayout) {
  std::vector<std::string> pictures;
  for (int i = 0; i < 3; ++i) {
    std::string& picture = pictures.emplace_back();
    for (int y = 0; y < 96; ++y) {
      for (int x = 0; x < 64; ++x)
        picture.append(3, static_cast<char>(NoiseAt(x + (y < 48 ? 4 : 0), y % 48, static_cast<unsigned>(i))));
    }
  }
  const fs::path video = WriteText(folder_.path() / "a b.avi", AviVideo(3, 64, 96, pictures));
  try {
    OpenSource({video.string()});
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  Run({video.string(), "--layout", "top-bottom"});
  app::OutputPages pages(out());
  for (const std::size_t number : {1U, 2U, 0U}) {
    const app::ViewerFrame page = pages.Read(number);
    EXPECT_EQ(page.status, "") << number;
    ASSERT_EQ(page.shown->left.height(), 48);
    EXPECT_EQ(page.shown->left(20, 10).r, NoiseAt(20, 95 % 48 - 10, static_cast<unsigned>(number)));
  }
  fs::remove(video);
  EXPECT_EQ(app::OutputPages(out()).Read(0).status, "the source's images no longer exist");
}

}  // namespace
}  // namespace parallax::test
