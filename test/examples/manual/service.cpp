// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The service of the manual's tutorial. Two workers store words of requests. Every 200th
// word makes a worker compact the store; the other worker may then wait for the lock.
//
//     service [REQUESTS]     without REQUESTS it runs until it is killed
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace app {

class Store {
public:
  void add(const std::string &text);

private:
  std::vector<std::string> tokenize(const std::string &text);
  void compact();

  std::mutex lock;
  std::vector<std::string> words;
  unsigned added = 0;
};

__attribute__((noinline)) std::vector<std::string> Store::tokenize(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;)
    found.push_back(word);
  return found;
}

__attribute__((noinline)) void Store::compact() {
  for (int round = 0; round < 200; ++round) {
    std::reverse(words.begin(), words.end());
    std::sort(words.begin(), words.end());
  }
  if (words.size() > 2000)
    words.resize(2000);
}

__attribute__((noinline)) void Store::add(const std::string &text) {
  std::vector<std::string> found = tokenize(text);
  std::lock_guard<std::mutex> guard(lock);
  words.insert(words.end(), found.begin(), found.end());
  if (++added % 200 == 0)
    compact();
}

__attribute__((noinline)) bool handle_request(Store &store, unsigned number, const char *path) {
  store.add("GET " + std::string(path) + " request " + std::to_string(number));
  return number % 7 != 0;
}

} // namespace app

int main(int argc, char **argv) {
  unsigned requests = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : ~0u;
  app::Store store;
  auto work = [&](unsigned first) {
    pthread_setname_np(pthread_self(), first ? "worker-1" : "worker-0");
    for (unsigned number = first; number < requests; number += 2) {
      app::handle_request(store, number, number % 3 ? "/index" : "/search");
      if (argc < 2)
        usleep(1000);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}
