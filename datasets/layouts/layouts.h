// The recognised data-set layouts, with one reader in each file.
#pragma once

#include <filesystem>
#include <string_view>

#include "datasets/layouts/frame_list.h"

namespace parallax {

// Each lists the frames of its layout in a folder given at any sensible level; empty = not this layout.
// forced: the user has named the layout, so tests that only tell it from similar ones do not count.
using FindFrames = FrameRecipes (*)(const std::filesystem::path& folder, bool forced);

FrameRecipes FindKitti2012(const std::filesystem::path& folder, bool forced);
FrameRecipes FindKitti2015(const std::filesystem::path& folder, bool forced);
FrameRecipes FindKittiOdometry(const std::filesystem::path& folder, bool forced);
FrameRecipes FindKittiRaw(const std::filesystem::path& folder, bool forced);
FrameRecipes FindMiddleburyV3(const std::filesystem::path& folder, bool forced);
FrameRecipes FindMiddleburyClassic(const std::filesystem::path& folder, bool forced);
FrameRecipes FindEth3d(const std::filesystem::path& folder, bool forced);
FrameRecipes FindEuroc(const std::filesystem::path& folder, bool forced);

struct Layout {
  SourceKind kind;
  std::string_view looked_for;  // its characteristic files, for the message when nothing is found
  FindFrames find;
};

inline constexpr Layout kLayouts[] = {
    {SourceKind::kKitti2012, "[training/]image_0 or colored_0 with *_10.png", FindKitti2012},
    {SourceKind::kKitti2015, "[training/]image_2 and image_3 with *_10.png", FindKitti2015},
    {SourceKind::kKittiOdometry, "[[dataset/]sequences/XX/]image_0 or image_2 and times.txt",
     FindKittiOdometry},
    {SourceKind::kKittiRaw, "[[DATE/]DRIVE_sync/ or DRIVE_extract/]image_00/data or image_02/data",
     FindKittiRaw},
    {SourceKind::kMiddleburyV3, "[SCENE/]im0, im1 and calib.txt with ndisp and vmin", FindMiddleburyV3},
    {SourceKind::kMiddleburyClassic, "[SCENE/]im2 and im6, view1 and view5, or scene1.row3.col3 and col4",
     FindMiddleburyClassic},
    {SourceKind::kEth3d, "[SCENE/]im0, im1 and calib.txt without vmin", FindEth3d},
    {SourceKind::kEuroc, "[[SEQUENCE/]mav0/]cam0 and cam1 with sensor.yaml and data", FindEuroc},
};

}  // namespace parallax
