#include "graze/io/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "graze/base/error.h"

namespace graze {
namespace line_reader_test {

using Got = LineReader::Got;

// A pipe whose writing end feeds `bytes` from another thread.
class Pipe {
 public:
  explicit Pipe(std::string bytes) {
    EXPECT_EQ(::pipe(ends_), 0);
    writer_ = std::thread([this, bytes = std::move(bytes)] {
      for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::write(ends_[1], bytes.data() + done, bytes.size() - done);
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
      }
      ::close(ends_[1]);
    });
  }
  ~Pipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  int reading_end() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

// The lines that a reader finds in the bytes; those that are too long appear as "<too long>".
std::vector<std::string> lines_of(const std::string& bytes, std::size_t longest = LineReader::kLongest) {
  const Pipe pipe(bytes);
  LineReader reader(pipe.reading_end(), "a pipe", longest);
  std::vector<std::string> lines;
  std::string line;
  for (Got got; (got = reader.next(line)) != Got::end;) {
    lines.push_back(got == Got::line ? line : "<too long>");
    EXPECT_EQ(reader.number(), lines.size());
    if (got == Got::too_long) {
      EXPECT_EQ(line, "");
    }
  }
  EXPECT_EQ(reader.next(line), Got::end);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, SplitsAtNewlines) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a\nb\n"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\n\n\nb"), (Lines{"a", "", "", "b"}));
  EXPECT_EQ(lines_of("a\r\nb\r"), (Lines{"a\r", "b\r"}));
  EXPECT_EQ(lines_of(std::string("\0\n\0", 3)), (Lines{std::string(1, '\0'), std::string(1, '\0')}));
}

TEST(LineReader, JoinsWhatArrivesInPieces) {
  const std::string big(1000000, 'x');
  EXPECT_EQ(lines_of("a\n" + big + "\nb"), (Lines{"a", big, "b"}));
}

TEST(LineReader, SkipsLinesThatAreTooLong) {
  EXPECT_EQ(lines_of("123\n1234\n12345\n12\n", 4), (Lines{"123", "1234", "<too long>", "12"}));
  const std::string long_one(500000, 'x');
  std::string bytes = long_one;
  bytes += "\nok\n";
  bytes += long_one;
  EXPECT_EQ(lines_of(bytes, 100000), (Lines{"<too long>", "ok", "<too long>"}));
  EXPECT_EQ(lines_of(std::string(100001, 'x'), 100000), Lines{"<too long>"});
  EXPECT_EQ(lines_of(std::string(100000, 'x'), 100000).front().size(), 100000U);
}

TEST(LineReader, RejectsWhatCannotBeRead) {
  std::string line;
  LineReader closed(-1, "nothing");
  EXPECT_THROW(closed.next(line), Error);
  const int folder = ::open("/", O_RDONLY);
  LineReader reader(folder, "/");
  try {
    reader.next(line);
    FAIL() << "a folder has no lines";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/: cannot be read: Is a directory");
  }
  ::close(folder);
}

}  // namespace line_reader_test
}  // namespace graze
