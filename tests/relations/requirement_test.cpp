// SPDX-License-Identifier: Apache-2.0
// NVIDIA_REQUIRE_CUDA as NVIDIA's container runtime reads it: blanks are "or", commas "and".
#include "requirement.hpp"

#include <doctest/doctest.h>

using namespace gpudoctor;

TEST_CASE("requirements of images") {
  const Offer t4{Version("11.4"), Version("470.256.02"), {"tesla"}, {Version("7.5")}};
  const Offer geforce{Version("12.2"), Version("535.183.01"), {"geforce"}, {Version("8.9")}};
  const auto image = "cuda>=12.4 brand=tesla,driver>=470,driver<471 brand=unknown,driver>=470,driver<471";
  CHECK(satisfied(image, t4) == true);
  CHECK(satisfied(image, geforce) == false);
  CHECK(satisfied("cuda>=12.2", geforce) == true);
  CHECK(satisfied("cuda>=12.4", geforce) == false);
  CHECK(satisfied("driver>=535", geforce) == true);          // a branch holds all its drivers
  CHECK(satisfied("driver<535", geforce) == false);
  CHECK(satisfied("arch>=8.0,cuda>=12.0", geforce) == true);
  CHECK(satisfied("", geforce) == true);
}

TEST_CASE("what is not known decides nothing, unless the rest does") {
  const Offer bare{Version("12.2"), Version("535.183.01"), {""}, {}};
  CHECK(satisfied("brand=tesla,driver>=535", bare) == std::nullopt);
  CHECK(satisfied("brand=tesla,driver>=550", bare) == false);
  CHECK(satisfied("cuda>=12.0 brand=tesla", bare) == true);
  CHECK(satisfied("sugar>=2", bare) == std::nullopt);
  CHECK(satisfied("cuda", bare) == std::nullopt);
  CHECK(satisfied("cuda>=", bare) == std::nullopt);
}
