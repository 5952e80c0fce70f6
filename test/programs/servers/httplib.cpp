// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ server for visits.py: threads, exceptions, and templates of Debian's
// libcpp-httplib-dev. Arguments: PORT and the maximum number of connections.
#include <httplib.h>
#include <map>
#include <string>

static int numberOf(const std::string &Text) {
  try {
    return std::stoi(Text);
  } catch (const std::invalid_argument &) {
    return -1;
  }
}

int main(int Argc, char **Argv) {
  httplib::Server Server;
  // Each connection has a thread.
  if (Argc > 2)
    Server.new_task_queue = [Threads = std::stoul(Argv[2])] {
      return new httplib::ThreadPool(Threads);
    };
  Server.set_keep_alive_max_count(size_t(-1));
  Server.set_keep_alive_timeout(600);
  Server.Get("/number/(.*)", [](const httplib::Request &Request,
                                httplib::Response &Response) {
    std::map<std::string, int> Words;
    for (int I = 0; I != 50; ++I)
      Words[std::to_string(I) + Request.matches[1].str()] = I;
    Response.set_content(std::to_string(numberOf(Request.matches[1])) + " " +
                             std::to_string(Words.size()) + "\n",
                         "text/plain");
  });
  return !Server.listen("127.0.0.1", std::stoi(Argv[1]));
}
