#include "calibrate/board_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallax/error.h"
#include "tests/support/moved_board.h"

namespace parallax::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const BoardSpec kBoard = {.columns = 9, .rows = 6, .square_m = 0.04};
constexpr double kFrame_s = 0.033;

RawRig PinholeRig() {
  RawRig rig;
  rig.left = {.width_px = 640, .height_px = 480, .fx_px = 500, .fy_px = 500, .cx_px = 320, .cy_px = 240};
  rig.right = rig.left;
  rig.translation_m = {-0.04, 0, 0};
  return rig;
}

std::vector<SeenCorner> CornersOf(const CameraModel& camera, const BoardPose& pose) {
  const CameraProjection projection(camera);
  std::vector<SeenCorner> corners;
  for (const Vector3& place : kBoard.Corners()) {
    const auto pixel = projection.Project(pose(place));
    if (!pixel || pixel->x < 0 || pixel->y < 0 || pixel->x > camera.width_px - 1 ||
        pixel->y > camera.height_px - 1)
      return {};
    corners.push_back({static_cast<int>(corners.size()), *pixel});
  }
  return corners;
}

// The middle of the board, m, and its turn.
BoardPose PoseAt(const Vector3& middle, const Vector3& turn = {}) {
  BoardPose pose;
  pose.camera_from_board = RotationOf(turn);
  pose.translation_m = middle - pose.camera_from_board * Vector3{0.16, 0.1, 0};
  return pose;
}

// Pairs of a rig one after the other, as a camera of 30 pairs a second takes them.
class Scene {
 public:
  explicit Scene(const RawRig& rig = PinholeRig()) : rig_(rig) {}

  const BoardSight& Show(const BoardPose& pose) {
    BoardView view;
    view.left = CornersOf(rig_.left, pose);
    view.right = CornersOf(rig_.right, InRightCamera(rig_, pose));
    return Show(std::move(view));
  }
  const BoardSight& Show(BoardView view) {
    time_s_ += kFrame_s;
    return session_.Add(std::move(view), 640, 480, time_s_);
  }
  // Held still; whether it was taken.
  bool Hold(const BoardPose& pose) {
    Show(pose);
    return Show(pose).is_taken;
  }
  // Upright boards all over the image.
  void Fill(double distance_m) {
    const double half_width = 0.16 * 500 / distance_m, half_height = 0.1 * 500 / distance_m;
    constexpr int kSteps = 4;
    for (int j = 0; j <= kSteps; ++j) {
      for (int i = 0; i <= kSteps; ++i) {
        const double u = half_width + 5 + (630 - 2 * half_width - 20 / distance_m) * i / kSteps +
                         20 / distance_m,
                     v = half_height + 5 + (470 - 2 * half_height) * j / kSteps;
        Hold(At(u, v, distance_m));
      }
    }
  }
  static BoardPose At(double x_px, double y_px, double distance_m, const Vector3& turn = {}) {
    return PoseAt({(x_px - 320) / 500 * distance_m, (y_px - 240) / 500 * distance_m, distance_m}, turn);
  }

  BoardSession& session() { return session_; }
  void Wait(double time_s) { time_s_ += time_s; }

 private:
  RawRig rig_;
  BoardSession session_{kBoard};
  double time_s_ = 100;
};

TEST(BoardSession, TakesABoardOnceItStandsStill) {
  Scene scene;
  for (int i = 0; i < 10; ++i)  // 0.3 m/s: 160 px/s
    EXPECT_FALSE(scene.Show(PoseAt({0.01 * i, 0, 0.9})).is_taken) << i;
  EXPECT_THAT(scene.session().Advice(), EndsWith(", then hold it still"));
  EXPECT_EQ(scene.session().num_moving(), 10U);
  const BoardSight& sight = scene.Show(PoseAt({0.09, 0.0003, 0.9}));  // a hand shakes
  EXPECT_TRUE(sight.is_still);
  EXPECT_TRUE(sight.is_taken);
  EXPECT_THAT(scene.session().Advice(), Not(HasSubstr("still")));
  EXPECT_FALSE(scene.Show(PoseAt({0.09, 0, 0.9})).is_taken) << "it is there already";
  EXPECT_FALSE(scene.Hold(PoseAt({0.1, 0, 0.9}))) << "hardly elsewhere";
  EXPECT_TRUE(scene.Hold(PoseAt({0.15, 0, 0.9})));
  EXPECT_EQ(scene.session().taken().size(), 2U);
}

TEST(BoardSession, ABoardThatOneCameraSeesMoveIsNotTaken) {
  Scene scene;
  BoardView view;
  view.left = view.right = CornersOf(PinholeRig().left, PoseAt({0, 0, 0.9}));
  scene.Show(view);
  for (SeenCorner& seen : view.right) seen.pixel.y += 5;
  EXPECT_FALSE(scene.Show(view).is_still);
  EXPECT_TRUE(scene.Show(view).is_taken);
}

TEST(BoardSession, PairsThatWereTakenOneByOneNeedNotBeStill) {
  Scene scene;
  scene.Show(PoseAt({0, 0, 0.9}));
  scene.Wait(2);
  EXPECT_TRUE(scene.Show(PoseAt({0.2, 0, 0.9})).is_taken);
}

TEST(BoardSession, WithoutTimesTwoPairsAlikeAreStill) {
  BoardSession session(kBoard);
  const auto show = [&](double x) {
    BoardView view;
    view.left = view.right = CornersOf(PinholeRig().left, PoseAt({x, 0, 0.9}));
    return session.Add(std::move(view), 640, 480, std::nullopt).is_taken;
  };
  EXPECT_FALSE(show(0));
  EXPECT_TRUE(show(0.001));
  EXPECT_FALSE(show(0.1));
  EXPECT_FALSE(show(0.104));
}

TEST(BoardSession, OfChosenPicturesEveryPairIsTaken) {
  BoardSession session(kBoard, BoardSession::Takes::kEveryPair);
  EXPECT_TRUE(session.Add({}, 640, 480, std::nullopt).is_taken);
  EXPECT_TRUE(session.Add({}, 640, 480, std::nullopt).is_taken);
  EXPECT_EQ(session.taken().size(), 2U);
  EXPECT_THROW(session.Add({}, 320, 240, std::nullopt), Error);
}

TEST(BoardSession, SaysWhichCameraDoesNotSeeTheBoard) {
  Scene scene;
  scene.Show(BoardView{});
  EXPECT_EQ(scene.session().Advice(), "show the whole board to both cameras");
  EXPECT_TRUE(std::isnan(scene.session().last().distance_m));
  BoardView view;
  view.left = CornersOf(PinholeRig().left, PoseAt({0, 0, 0.9}));
  EXPECT_FALSE(scene.Show(view).is_taken);
  EXPECT_FALSE(scene.Show(view).is_taken);
  EXPECT_EQ(scene.session().Advice(), "the right camera does not see the whole board");
}

TEST(BoardSession, AsksForThePartOfTheImageThatSawNoBoard) {
  constexpr const char* kNames[] = {"upper left corner", "upper edge", "upper right corner",
                                    "left edge",         "middle",     "right edge",
                                    "lower left corner", "lower edge", "lower right corner"};
  for (std::size_t missing = 0; missing < 9; ++missing) {
    Scene scene;
    for (std::size_t place = 0; place < 9; ++place) {
      if (place == missing) continue;
      EXPECT_TRUE(scene.Hold(Scene::At(96 + 224.0 * static_cast<double>(place % 3),
                                       72 + 168.0 * static_cast<double>(place / 3), 2.2)));
    }
    EXPECT_EQ(scene.session().WantedPlace(), missing);
    EXPECT_EQ(scene.session().Advice(), std::string("move it to the ") + kNames[missing] +
                                            " and tilt its upper side away from the cameras");
    EXPECT_FALSE(scene.session().IsEnough());
  }
}

// A side is tilted away by a turn about x or y.
constexpr std::pair<const char*, Vector3> kTilts[] = {
    {"upper", {-0.35, 0, 0}}, {"left", {0, 0.35, 0}}, {"lower", {0.35, 0, 0}}, {"right", {0, -0.35, 0}}};

TEST(BoardSession, AsksForTiltsThenForAnotherDistance) {
  for (const bool is_far : {true, false}) {
    const double distance_m = is_far ? 0.9 : 0.45;
    Scene scene;
    scene.Fill(distance_m);
    EXPECT_EQ(scene.session().WantedPlace(), std::nullopt);
    double x_px = 245;
    for (const auto& [side, turn] : kTilts) {
      EXPECT_EQ(scene.session().Advice(), std::string("tilt its ") + side + " side away from the cameras");
      EXPECT_TRUE(scene.Hold(Scene::At(x_px += 25, 209, distance_m, turn)));
    }
    EXPECT_EQ(scene.session().Advice(), is_far ? "hold it nearer to the cameras" : "hold it farther away");
    EXPECT_FALSE(scene.session().IsEnough());
    EXPECT_TRUE(scene.Hold(Scene::At(300, 230, is_far ? 0.6 : 0.7)));
    EXPECT_TRUE(scene.session().IsEnough());
    EXPECT_EQ(scene.session().Advice(), "there are enough boards");
  }
}

TEST(BoardSession, AsksForMoreBoardsWhereTheirNumberAloneIsMissing) {
  Scene scene;
  const std::pair<double, double> places[] = {{235, 138}, {445, 138}, {235, 342}, {445, 342}};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(scene.Hold(Scene::At(places[i].first, places[i].second, 0.52, kTilts[i].second)));
  scene.Hold(Scene::At(320, 240, 0.7));
  EXPECT_EQ(scene.session().Advice(), "move it to another place");
  const std::vector<SessionNeed> needs = scene.session().Needs();
  ASSERT_EQ(needs.size(), 4U);
  EXPECT_EQ(needs[0].text, "boards 5 of 12");
  EXPECT_NEAR(needs[0].done_share, 5 / 12.0, 1e-9);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(needs[i].done_share, 1) << needs[i].text;
}

TEST(BoardSession, TiltAndDistanceAreAboutRight) {
  for (const RawRig& rig : {PinholeRig(), WideRig()}) {
    const bool is_bent = rig.left.lens != LensModel::kPinhole;
    Scene scene(rig);
    for (const auto& [side, turn] : kTilts) scene.Hold(PoseAt({0.1 * turn.y, 0.1 * turn.x, 0.6}, turn));
    ASSERT_EQ(scene.session().taken().size(), 4U);
    for (const double distance_m : {0.5, 0.8}) {
      for (const double tilt : {0.0, 0.3, 0.6}) {
        const BoardSight& sight = scene.Show(PoseAt({0, 0, distance_m}, {0.6 * tilt, 0.8 * tilt, 0}));
        EXPECT_NEAR(sight.distance_m, distance_m, (is_bent ? 0.2 : 0.01) * distance_m);
        EXPECT_NEAR(sight.tilt_degrees, tilt * kDegreesPerRadian, is_bent ? 6 : 0.5);
      }
    }
  }
}

// With the corners that are found in images, noise and all.
TEST(BoardSession, TheSameImagesGiveTheSameBoardsAndAdvice) {
  const std::vector<GrayPair> pairs = MovedBoard(4);
  const auto replay = [&] {
    BoardSession session(kBoard);
    std::vector<std::string> told;
    double time_s = 0;
    for (const auto& [left, right] : pairs) {
      const BoardSight& sight = session.Look("pair", left.ConstView(), right.ConstView(), time_s += kFrame_s);
      told.push_back((sight.is_taken ? "taken: " : "") + session.Advice());
    }
    return std::pair(told, session.taken().size());
  };
  const auto first = replay();
  EXPECT_EQ(first.second, 4U);
  EXPECT_EQ(first.first.front(), "show the whole board to both cameras");
  EXPECT_THAT(first.first[1], EndsWith("then hold it still"));
  EXPECT_THAT(first.first[2], StartsWith("taken: "));
  EXPECT_EQ(replay(), first);
}

}  // namespace
}  // namespace parallax::test
