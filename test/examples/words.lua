-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Prints the ten most frequent words of the file that arg[1] names.
local count = {}
for line in io.lines(arg[1]) do
  for word in line:gmatch("%a+") do
    word = word:lower()
    count[word] = (count[word] or 0) + 1
  end
end

local words = {}
for word in pairs(count) do
  table.insert(words, word)
end
table.sort(words, function(a, b)
  return count[a] > count[b] or count[a] == count[b] and a < b
end)

for i = 1, 10 do
  print(string.format("%6d  %s", count[words[i]], words[i]))
end
