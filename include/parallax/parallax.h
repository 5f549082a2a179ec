// The library in one header: stereo images in, disparity, depth and clouds out.
//
//   #include <parallax/parallax.h>
//
//   parallax::Matcher matcher("kitti");                      // a preset, parameters or a YAML file
//   const auto rig = parallax::Rig::Load("rig.yaml");        // any calibration
//   const auto left = parallax::BorrowImage(data, width, height, stride_bytes, parallax::PixelType::kGray8);
//   const auto result = matcher.Compute(left, right, rig);   // raw images are rectified
//   const auto cloud = result.Cloud(result.rectified.rig, result.rectified.left);
//
// Every error is an exception: InvalidArgument for invalid requests, Error for failures.
#pragma once

#define PARALLAX_VERSION_MAJOR 0
#define PARALLAX_VERSION_MINOR 2
#define PARALLAX_VERSION_PATCH 0

#include "parallax/cloud.h"
#include "parallax/cloud_measures.h"
#include "parallax/device_images.h"
#include "parallax/disparity_map.h"
#include "parallax/error.h"
#include "parallax/image.h"
#include "parallax/matcher.h"
#include "parallax/pair_queue.h"
#include "parallax/parameters.h"
#include "parallax/rig.h"
