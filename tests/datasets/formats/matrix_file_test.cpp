// Matrices as NumPy and people write them; what is wrong is named with its place.
#include "datasets/formats/matrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "parallax/error.h"
#include "tests/datasets/test_files.h"
#include "tests/support/npy.h"

namespace parallax {
namespace {

using test::Npy;
using test::NpyDictionary;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MatrixFile : public ::testing::Test {
 protected:
  Matrix Read(const std::string& name, const std::string& bytes) const {
    test::WriteText(dir_ / name, bytes);
    return ReadMatrix(dir_ / name);
  }
  // Refused in one line that names the file and says this.
  void ExpectRefused(const std::string& name, const std::string& bytes, const std::string& words) const {
    try {
      Read(name, bytes);
      ADD_FAILURE() << "read: " << words;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_THAT(error.what(), HasSubstr(words));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  TemporaryFolder dir_;
};

TEST_F(MatrixFile, NpyOfBothTypesOrdersAndVersions) {
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  const std::vector<double> doubles = {1, 2, 3, 4, 5, 6};
  for (const char version : {'\1', '\2', '\3'}) {
    const Matrix plain = Read("a.npy", Npy(NpyDictionary("<f4", "(2, 3)"), floats, version));
    EXPECT_EQ(plain.rows, 2);
    EXPECT_EQ(plain.dims, 3);
    EXPECT_EQ(plain.values, floats);
    EXPECT_EQ(Read("a.npy", Npy(NpyDictionary("<f8", "(2, 3)"), doubles, version)).values, floats);
  }
  const Matrix columns = Read("a.npy", Npy(NpyDictionary("<f8", "(2, 3)", "True"), doubles));
  EXPECT_EQ(columns.rows, 2);
  EXPECT_THAT(columns.values, ElementsAre(1, 3, 5, 2, 4, 6));
  // Python 2 wrote long integers with an L; blanks may be missing.
  EXPECT_EQ(Read("a.npy", Npy("{'shape':(6,1),'descr':'<f4','fortran_order':False}", floats)).rows, 6);
  EXPECT_EQ(Read("a.npy", Npy(NpyDictionary("<f4", "(3L, 2L)"), floats)).rows, 3);
  // 1/3 in double precision is rounded to float; what is no number stays.
  const Matrix rounded =
      Read("a.npy", Npy<double>(NpyDictionary("<f8", "(1, 3)"), {1.0 / 3, std::nan(""), -INFINITY}));
  EXPECT_EQ(rounded.values[0], 1.0F / 3);
  EXPECT_TRUE(std::isnan(rounded.values[1]));
  EXPECT_EQ(rounded.values[2], -INFINITY);
}

TEST_F(MatrixFile, NpyThatIsWrongIsRefused) {
  const std::vector<float> six = {1, 2, 3, 4, 5, 6};
  const std::string whole = Npy(NpyDictionary("<f4", "(2, 3)"), six);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    test::WriteText(dir_ / "cut.npy", whole.substr(0, size));
    EXPECT_THROW(ReadMatrix(dir_ / "cut.npy"), Error) << size;
  }
  ExpectRefused("a.npy", whole.substr(0, whole.size() - 1),
                "its header says 2 x 3 numbers of 4 bytes, the file has 23 bytes of them: it is truncated");
  ExpectRefused("a.npy", whole + "1234", "longer than one array");
  ExpectRefused("a.npy", whole.substr(0, 40), "header is cut short");
  ExpectRefused("a.npy", "1 2 3\n4 5 6\n", "is not a NumPy file");
  ExpectRefused("a.npy", Npy(NpyDictionary("<i8", "(2, 3)"), six),
                "contains numbers of type '<i8', expected float32");
  ExpectRefused("a.npy", Npy(NpyDictionary(">f4", "(2, 3)"), six), "type '>f4'");
  ExpectRefused("a.npy", Npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }", six),
                "contains records");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(6,)"), six), "has 1 dimension, expected rows x numbers");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(1, 2, 3)"), six), "has 3 dimensions");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(0, 3)"), std::vector<float>()), "contains no numbers");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(2, -3)"), six), "shape with '-3'");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(2, L)"), six), "shape with 'L'");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(2, 18446744073709551616)"), six), "shape with '1844");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "2"), six), "has no shape");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(2, 3)", "Maybe"), six), "does not state their order");
  ExpectRefused("a.npy", Npy("{'shape': (2, 3)}", six), "the type of its numbers");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(2, 3)"), six, 4), "has version 4");
  // Their product is 0 modulo 2^64.
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(4294967296, 4294967296)"), six), "truncated");
  ExpectRefused("a.npy", Npy(NpyDictionary("<f4", "(9223372036854775807, 2147483647)"), six), "truncated");
  ExpectRefused("a.npy", Npy<double>(NpyDictionary("<f8", "(2, 1)"), {1, 1e39}), "row 1, column 0 is beyond");
}

TEST_F(MatrixFile, TextWithEverySeparator) {
  const Matrix plain = Read("a.txt", "# x y z\n1 2 3\n\n  4\t5   6  \r\n");
  EXPECT_EQ(plain.rows, 2);
  EXPECT_EQ(plain.dims, 3);
  EXPECT_THAT(plain.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Read("a.csv", "1,-2e-1\n +3 , .5").values, ElementsAre(1, -0.2F, 3, 0.5F));
  EXPECT_THAT(Read("a.csv", "1;2\r\n3;4\r\n").values, ElementsAre(1, 2, 3, 4));
  const Matrix column = Read("a.txt", "7\n8\n9\n");
  EXPECT_EQ(column.rows, 3);
  EXPECT_EQ(column.dims, 1);
  EXPECT_TRUE(std::isnan(Read("a.txt", "nan 1\n").values[0]));
  EXPECT_THAT(Read("a.csv", "1,2 # first\n3,4# second\n").values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Read("a.csv",
                   "\xEF\xBB\xBF"
                   "1,2\n")
                  .values,
              ElementsAre(1, 2))
      << "a byte order mark";
}

TEST_F(MatrixFile, TextThatIsWrongIsRefused) {
  ExpectRefused("a.csv", "1,2,3\n\n4,5\n",
                "line 3 has 2 numbers, line 1 has 3: all rows must have the same number");
  ExpectRefused("a.csv", "x,y\n1,2\n", "line 1, value 1: 'x' is not a number: put headings after a #");
  ExpectRefused("a.csv", "1,2\n3,\n", "line 2, value 2: '' is not a number");
  ExpectRefused("a.csv", "1,2\n,3\n", "line 2, value 1: '' is not a number: write nan for a missing value");
  ExpectRefused("a.csv", "1,2\n3,x\n", "line 2, value 2: 'x' is not a number of single precision");
  ExpectRefused("a.csv", "1e400,2\n", "line 1, value 1: '1e400' is not a number of single precision");
  ExpectRefused("a.csv", "1,5;2,5\n", "line 1 contains both , and ; : write numbers with a point");
  ExpectRefused("a.csv", "1,2 3\n", "line 1, value 2: '2 3' is not a number");
  ExpectRefused("a.txt", "1 0x10\n", "value 2: '0x10'");
  ExpectRefused("a.txt", std::string("1 2\0\n", 5), "value 2: '2?' is not a number");
  ExpectRefused("a.txt", "1 1e39\n", "value 2: '1e39' is beyond single precision");
  ExpectRefused("a.txt", "", "contains no numbers");
  ExpectRefused("a.txt", "# nothing\n", "contains no numbers");
  EXPECT_THROW(Read("a.dat", "1 2\n"), InvalidArgument);
  EXPECT_THROW(ReadMatrix(dir_ / "missing.npy"), Error);
}

}  // namespace
}  // namespace parallax
