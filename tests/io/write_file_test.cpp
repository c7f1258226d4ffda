#include "graze/io/write_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "graze/base/error.h"

namespace graze {
namespace write_file_test {

namespace fs = std::filesystem;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "graze write_file é XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

std::string refusal(const std::string& path) {
  try {
    write_file(path, "new");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(WriteFile, WritesNewFilesAndReplacesOldOnes) {
  const std::string bytes("a\0b\n", 4);
  write_file(path("page"), bytes);
  EXPECT_EQ(contents("page"), bytes);
  write_file(path("page"), "");
  EXPECT_EQ(contents("page"), "");
  const std::string big(5000000, 'x');
  write_file(path("page"), big);
  EXPECT_EQ(contents("page"), big);
  EXPECT_EQ(files(), 1) << "nothing else is left behind";
}

TEST_F(WriteFile, KeepsThePermissionsOfTheFileItReplaces) {
  write_file(path("page"), "old");
  ASSERT_EQ(::chmod(path("page").c_str(), 0640), 0);
  write_file(path("page"), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path("page").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(WriteFile, FollowsSymbolicLinks) {
  write_file(path("target"), "old");
  fs::create_symlink("target", folder_ / "link");
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents("target"), "new");
}

TEST_F(WriteFile, WritesToDevicesWithoutReplacingThem) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(refusal("/dev/full"), "/dev/full: cannot be written: No space left on device");
}

TEST_F(WriteFile, NamesThePathAndTheReason) {
  EXPECT_EQ(refusal(path("")), path("") + ": cannot be written: Is a directory");
  EXPECT_EQ(refusal(path("no/such/folder")),
            path("no/such/folder") + ": cannot be written: the folder " + path("no/such") + " does not exist");
  EXPECT_EQ(refusal(path(std::string(300, 'x'))),
            path(std::string(300, 'x')) + ": cannot be written: File name too long");
  EXPECT_EQ(refusal(""), ": cannot be written: No such file or directory");
  write_file(path("file"), "");
  EXPECT_EQ(refusal(path("file/x")), path("file/x") + ": cannot be written: " + path("file") + " is not a folder");
}

TEST_F(WriteFile, IsTriedWithoutATrace) {
  check_writable(path("new"));
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  write_file(path("old"), "text");
  check_writable(path("old"));
  EXPECT_EQ(contents("old"), "text");
  EXPECT_EQ(files(), 1);
  check_writable("/dev/null");
  EXPECT_THROW(check_writable(path("")), Error);
  EXPECT_THROW(check_writable(path("no/new")), Error);
}

TEST_F(WriteFile, FoldersAreTriedWithoutATrace) {
  check_folder_writable(path("new"));
  check_folder_writable(path("new/within/new"));
  std::filesystem::create_directory(path("there"));
  check_folder_writable(path("there"));
  EXPECT_TRUE(std::filesystem::is_empty(path("there")));
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  write_file(path("file"), "");
  EXPECT_THROW(check_folder_writable(path("file")), Error);
  EXPECT_THROW(check_folder_writable(path("file/new")), Error);
  EXPECT_THROW(check_folder_writable("/proc/new"), Error);
}

// A limit on the file size simulates a disk that fills up halfway.
TEST_F(WriteFile, LeavesTheOldFileWhereTheNewOneDoesNotFit) {
  write_file(path("page"), "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string refused;
  try {
    write_file(path("page"), std::string(5000, 'x'));
  } catch (const Error& error) {
    refused = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(refused, path("page") + ": cannot be written: File too large");
  EXPECT_EQ(contents("page"), "old");
  EXPECT_EQ(files(), 1);
}

}  // namespace write_file_test
}  // namespace graze
