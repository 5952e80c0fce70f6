// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page shows C++ names on screens of any width. Tables show the distinguishing part
// of a name on one line. Hovering or selecting by keyboard shows the full name. The
// page shows as many columns as fit.
// DEFINE: %{page} =
// DEFINE: %{names} = "eval:$(grep -v '^//' %S/../Inputs/page-names.js)"
// DEFINE: %{browser} = %python %S/../Inputs/browser.py %t/%{page}
// DEFINE: %{views} = "eval:pageNames.table()" "eval:pageNames.boxes(patchbayPage.flame)" "eval:pageNames.boxes(patchbayPage.timeline)"

// REQUIRES: chromium

// RUN: rm -rf %t && mkdir %t
// RUN: %buildxx %s -o %t/prog %link
// RUN: cd %t && %patchbay record -t function_graph -o all -- ./prog
// RUN: cd %t && %patchbay report --html all.html all && %patchbay report --html diff.html --diff all all
// RUN: cd %t && %patchbay report --json all > json && %python %S/../Inputs/read-page.py all.html check json | FileCheck %s --check-prefix=SAME
// SAME: same

// REDEFINE: %{page} = all.html
// RUN: bash -c '%{browser} --size=360x740 %{names} %{views} text:#left-out' | FileCheck %s --check-prefix=PHONE
// PHONE: ready
// PHONE-NEXT: many names, some shorter, {{few|many}} of several lines: function calls total{{$}}
// The width of boxes depends on durations.
// PHONE-NEXT: {{some|none}} whole, {{some|none}} shorter
// PHONE-NEXT: {{some|none}} whole, {{some|none}} shorter
// PHONE-NEXT: Hidden columns: self, average, p50, p95, p99, max{{$}}
// RUN: bash -c '%{browser} --size=800x900 %{names} %{views} text:#left-out' | FileCheck %s --check-prefix=NARROW
// NARROW: many names, some shorter, {{few|many}} of several lines: function calls total self average {{(p99 )?}}max
// NARROW: Hidden columns: p50, p95{{(, p99)?$}}
// RUN: bash -c '%{browser} --size=1400x900 %{names} %{views} "eval:document.querySelector(\"#columns\").hidden"' | FileCheck %s --check-prefix=ALL
// RUN: bash -c '%{browser} --size=1920x1080 --dark %{names} %{views} "eval:document.querySelector(\"#columns\").hidden"' | FileCheck %s --check-prefix=ALL
// ALL: many names, some shorter, few of several lines: function calls total self average p50 p95 p99 max{{$}}
// ALL-NEXT: some whole, {{some|none}} shorter
// ALL-NEXT: some whole, {{some|none}} shorter
// ALL-NEXT: true

// A user can show all columns. The sort column is never hidden.
// RUN: bash -c '%{browser} --size=360x740 %{names} click:#all-columns "eval:document.querySelectorAll(\"thead th:not([hidden])\").length > 8" text:#all-columns "eval:document.documentElement.scrollWidth" "click:#functions th:nth-child(8) button" click:#all-columns "eval:pageNames.table()"' | FileCheck %s --check-prefix=ASKED
// ASKED: true
// ASKED-NEXT: Fit columns to the page
// ASKED-NEXT: 360
// ASKED-NEXT: {{.*}}: function total p99 ▼{{$}}

// The full name of the selected function is shown. A box has the full name as tooltip.
// RUN: bash -c '%{browser} --size=360x740 %{names} "eval:patchbayPage.choose(patchbayPage.trace.names.findIndex(n => /Cache<std::string, .*>::put/.test(n)))" text:#chosen "text:#of" "eval:document.documentElement.scrollWidth" "eval:pageNames.boxes(patchbayPage.around.callers)" "eval:for (const d of document.querySelectorAll(\"details\")) d.open = true" "eval:document.documentElement.scrollWidth" "text:#caller-rows td" "point:#callers canvas@100,8" "text:#tip .whole"' | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: {{^}}svc::Cache<std::string, {{.*}}>::put({{.*}}){{$}}
// CHOSEN-NEXT: {{^}}svc::Cache<std::string, {{.*}}>::put({{.*}}){{$}}
// CHOSEN-NEXT: {{^}}360{{$}}
// CHOSEN-NEXT: shorter
// CHOSEN: {{^}}360{{$}}
// CHOSEN: {{^}}main{{$}}
// CHOSEN: {{^}}svc::Cache<std::string, {{.*}}>::put({{.*}}){{$}}

// In a comparison, a figure and its change are shown or hidden together.
// REDEFINE: %{page} = diff.html
// RUN: bash -c '%{browser} --size=1400x900 %{names} "eval:pageNames.table()" "eval:pageNames.boxes(patchbayPage.flame)" text:#left-out' | FileCheck %s --check-prefix=DIFF
// DIFF: many names, some shorter, {{few|many}} of several lines: function calls change total change self change {{.*}}p{{$}}
// DIFF-NEXT: some whole, some shorter
// DIFF-NEXT: Hidden columns: p50

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace svc {
template <typename Key, typename Value> struct Cache {
  std::unordered_map<Key, Value> Fast;
  std::map<Key, Value> Sorted;
  std::function<void(const Key &, const Value &)> Seen;
  __attribute__((noinline)) void put(const Key &K, const Value &V) {
    Fast[K] = V;
    Sorted.insert({K, V});
    if (Seen)
      Seen(K, V);
  }
  __attribute__((noinline)) Value get(const Key &K) const {
    auto At = Fast.find(K);
    return At == Fast.end() ? Value() : At->second;
  }
};
} // namespace svc

int main() {
  svc::Cache<std::string, int> Numbers;
  svc::Cache<std::string, std::vector<std::string>> Lists;
  svc::Cache<int, std::string> Texts;
  size_t Sum = 0;
  Numbers.Seen = [&](const std::string &, int N) { Sum += N; };
  Texts.Seen = [&](int, const std::string &Text) { Sum += Text.size(); };
  for (int I = 0; I != 50; ++I) {
    Numbers.put("key " + std::to_string(I), I);
    Lists.put("list " + std::to_string(I), {"a", std::string(I, 'b')});
    Texts.put(I, std::string(I, 'c'));
    Sum += Numbers.get("key 3") + Lists.get("list 4").size() + Texts.get(5).size();
  }
  return Sum == 0;
}
