#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "apps/shell.h"

namespace graze_test {
namespace ask_test {

class AskCommand : public Shell {};

const std::string kTouching =
    R"({"ask":"collide","a":{"shape":"sphere","radius":1},"b":{"shape":"sphere","radius":1}})";

TEST_F(AskCommand, AnswersEveryLineInOrder) {
  std::string questions, answers;
  for (int i = 0; i < 500; ++i) {
    const std::string id = std::to_string(i);
    questions += R"({"id":)" + id + "," + kTouching.substr(1) + "\n";
    answers += R"({"id":)" + id + R"(,"collide":true})" + "\n";
  }
  const Outcome piped = run("$GRAZE ask", questions);
  EXPECT_EQ(piped.code, 0);
  EXPECT_EQ(piped.out, answers);
  EXPECT_EQ(piped.err, "");
  write("my questions é.jsonl", questions);
  EXPECT_EQ(run("$GRAZE ask 'my questions é.jsonl'").out, answers);
  EXPECT_EQ(run("$GRAZE ask -", questions).out, answers);
}

TEST_F(AskCommand, ContinuesAfterABadLineAndExitsWith3) {
  const Outcome outcome = run("$GRAZE ask", kTouching + "\nbad\n" + kTouching + "\n{\"id\":9}\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4);
  EXPECT_NE(outcome.out.find("{\"id\":9,\"error\":\"ask: missing\"}\n"), std::string::npos);
  EXPECT_EQ(outcome.err, "graze: 2 of 4 questions got an error for an answer; the first is line 2 of standard input\n");
  EXPECT_EQ(run("$GRAZE ask --quiet", "bad\n").err, "");
  EXPECT_EQ(run("$GRAZE --quiet ask", "bad\n").code, 3);
}

TEST_F(AskCommand, SkipsEmptyLinesAndAcceptsAnyLineEnding) {
  const std::string answer = "{\"collide\":true}\n";
  EXPECT_EQ(run("$GRAZE ask", "").out, "");
  EXPECT_EQ(run("$GRAZE ask", "").code, 0);
  EXPECT_EQ(run("$GRAZE ask", "\n\r\n \t \n").out, "");
  EXPECT_EQ(run("$GRAZE ask", kTouching + "\r\n\r\n" + kTouching).out, answer + answer);
}

TEST_F(AskCommand, RejectsLinesThatAreTooLongInBoundedMemory) {
  // 80 MB in one line; the program may use 512 MB of address space, unless a sanitizer needs more.
#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
  const std::string bound;
#else
  const std::string bound = "ulimit -v 524288; ";
#endif
  const Outcome outcome = run(bound + "(head -c 80000000 /dev/zero | tr '\\0' ' '; echo; cat) | $GRAZE ask", kTouching);
  EXPECT_EQ(outcome.out, "{\"error\":\"line: longer than 64 MiB\"}\n{\"collide\":true}\n");
}

TEST_F(AskCommand, SurvivesDeepNestingOnASmallStack) {
  const std::string deep(2000000, '[');
  const Outcome outcome = run("ulimit -s 256; $GRAZE ask", "{\"id\":1,\"a\":" + deep + "\n" + kTouching + "\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.out.find("{\"id\":1,\"error\":"), std::string::npos);
  EXPECT_NE(outcome.out.find("\n{\"collide\":true}\n"), std::string::npos);

  const std::string id = std::string(63, '[') + std::string(63, ']');
  EXPECT_EQ(run("ulimit -s 256; $GRAZE ask", R"({"id":)" + id + "," + kTouching.substr(1)).out,
            R"({"id":)" + id + ",\"collide\":true}\n");
}

TEST_F(AskCommand, SurvivesBinaryGarbage) {
  const Outcome outcome = run("head -c 300000 \"$GRAZE\" | $GRAZE ask");
  EXPECT_EQ(outcome.code, 3);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST_F(AskCommand, SaysWhyAFileCannotBeRead) {
  const Outcome missing = run("$GRAZE ask nowhere.jsonl");
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(missing.err, "graze: nowhere.jsonl: cannot be read: No such file or directory\n");
  const Outcome folder = run("$GRAZE ask .");
  EXPECT_EQ(folder.code, 3);
  EXPECT_EQ(folder.err, "graze: .: cannot be read: Is a directory\n");
  const Outcome closed = run("$GRAZE ask <&-");
  EXPECT_EQ(closed.code, 3);
  EXPECT_EQ(closed.err, "graze: standard input: cannot be read: Bad file descriptor\n");
  if (::geteuid() != 0) {
    write("locked", "");
    EXPECT_EQ(run("chmod 0 locked; $GRAZE ask locked").err, "graze: locked: cannot be read: Permission denied\n");
  }
}

TEST_F(AskCommand, SaysWhyAnswersCannotBeWritten) {
  const Outcome full = run("$GRAZE ask >/dev/full", kTouching);
  EXPECT_EQ(full.code, 3);
  EXPECT_EQ(full.err, "graze: standard output: cannot be written: No space left on device\n");
  const Outcome closed = run("$GRAZE ask >&-", kTouching);
  EXPECT_EQ(closed.code, 3);
  EXPECT_EQ(closed.err, "graze: standard output: cannot be written: Bad file descriptor\n");
}

TEST_F(AskCommand, ExitsQuietlyWhenItsReaderCloses) {
  std::string questions;
  for (int i = 0; i < 20000; ++i) questions += kTouching + "\n";
  const Outcome outcome = run("{ $GRAZE ask; echo $? >code; } | head -1", questions);
  EXPECT_EQ(outcome.out, "{\"collide\":true}\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(read("code"), "141\n") << "ended by SIGPIPE, as cat would be";
}

// A client may wait for each answer before it asks the next question.
TEST_F(AskCommand, AnswersEachQuestionBeforeTheNextOneIsAsked) {
  ASSERT_EQ(std::system(("mkfifo '" + path("to").string() + "' '" + path("from").string() + "'").c_str()), 0);
  const std::string command = "cd '" + folder_.string() + "' && { $GRAZE ask <to >from & }";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const int to = ::open(path("to").c_str(), O_WRONLY);
  const int from = ::open(path("from").c_str(), O_RDONLY);
  ASSERT_GE(to, 0);
  ASSERT_GE(from, 0);
  for (int i = 0; i < 3; ++i) {
    const std::string question = kTouching + "\n";
    ASSERT_EQ(::write(to, question.data(), question.size()), static_cast<ssize_t>(question.size()));
    pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&waiting, 1, 20000), 1) << "no answer to question " << i;
    char buffer[100];
    const ssize_t size = ::read(from, buffer, sizeof buffer);
    EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), "{\"collide\":true}\n");
  }
  ::close(to);
  ::close(from);
}

// Each used to take 2.1 GB, or never ended.
TEST_F(AskCommand, EndlessFilesAreRejectedEarly) {
#if defined(__SANITIZE_ADDRESS__) || defined(__has_feature)
  const std::string bound;
#else
  const std::string bound = "ulimit -v 524288; ";
#endif
  for (const char* kind : {"cloud", "mesh"}) {
    const Outcome outcome =
        run(bound + "timeout 60 $GRAZE ask", std::string(R"({"ask":"collide","a":{"shape":")") + kind +
                                                 R"(","file":"/dev/zero"},"b":{"shape":"sphere","radius":1}})");
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_EQ(outcome.out,
              "{\"error\":\"a.file: /dev/zero: is not a regular file and delivers more than 16 MiB; save it to a file "
              "first\"}\n");
  }
  const Outcome lines = run(bound + "timeout 60 $GRAZE ask /dev/zero");
  EXPECT_EQ(lines.code, 3);
  EXPECT_NE(lines.err.find("has no end within"), std::string::npos) << lines.err;
}

// The client may not be allowed to read the file: an answer shows nothing of a file that is rejected.
TEST_F(AskCommand, AnswersDoNotEchoFiles) {
  const char* const contents[] = {"root:hunter2:19000\n",
                                  "x,y,z,hunter2\n1,2,hunter2,3\n",
                                  "x y z\n1 2 hunter2\n",
                                  "1 2 3\nhunter2 1 2\n",
                                  "v 1 2 hunter2\n",
                                  "f hunter2\n",
                                  "ply\nhunter2\n",
                                  "ply\nformat hunter2 1.0\n",
                                  "FIELDS x y hunter2\n",
                                  "FIELDS x\nSIZE hunter2\n",
                                  "OFF\nhunter2\n",
                                  "solid\nfacet hunter2\n",
                                  "{\"asset\":hunter2}",
                                  "{\"asset\":{\"version\":\"hunter2\"}}",
                                  "<COLLADA><hunter2></COLLADA>",
                                  "hunter2's 'words'\n"};
  std::string questions;
  std::size_t count = 0;
  for (const char* extension : {"", ".csv", ".xyz", ".obj", ".stl", ".off", ".ply", ".pcd", ".las", ".dae", ".gltf"}) {
    for (const char* content : contents) {
      const std::string name = "secret" + std::to_string(count++) + extension;
      write(name, content);
      for (const char* kind : {"cloud", "mesh"}) {
        questions += std::string(R"({"ask":"collide","a":{"shape":")") + kind + R"(","file":")" + name +
                     R"("},"b":{"shape":"sphere","radius":1}})" + "\n";
      }
    }
  }
  const Outcome outcome = run("$GRAZE ask", questions);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 2 * static_cast<std::ptrdiff_t>(count));
  EXPECT_NE(outcome.out.find("a.file: secret0:1: "), std::string::npos);
  EXPECT_EQ(outcome.out.find("hunter2"), std::string::npos) << outcome.out;
}

}  // namespace ask_test
}  // namespace graze_test
