#include "datasets/layouts/frame_list.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace parallax {
namespace {

FrameRecipe Named(std::string name) {
  FrameRecipe recipe;
  recipe.name = std::move(name);
  return recipe;
}

FrameRecipes Made(const std::string& name, std::size_t num_frames) {
  return {num_frames, [name](std::size_t i) { return Named(name + std::to_string(i)); }};
}

TEST(FrameRecipes, ThoseOfOthersComeAfterThem) {
  FrameRecipes recipes;
  EXPECT_TRUE(recipes.empty());
  recipes.Append(Made("a", 2));
  recipes.Append({});
  recipes.Append(std::vector<FrameRecipe>{Named("kept")});
  FrameRecipes two = Made("b", 1);
  two.Append(Made("c", 2));
  recipes.Append(std::move(two));
  std::string names;
  for (std::size_t i = 0; i < recipes.size(); ++i) names += recipes.At(i).name + ' ';
  EXPECT_EQ(names, "a0 a1 kept b0 c0 c1 ");
}

TEST(FrameRecipes, AreMadeWhenTheyAreAskedFor) {
  int num_made = 0;
  const FrameRecipes recipes(1000, [&](std::size_t i) {
    ++num_made;
    return Named(std::to_string(i));
  });
  EXPECT_EQ(num_made, 0);
  EXPECT_EQ(recipes.At(999).name, "999");
  EXPECT_EQ(num_made, 1);
}

}  // namespace
}  // namespace parallax
