-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- jumps.lua TIMES: errors that leave C functions, and coroutines that are left inside C
-- functions and never resumed. Lua implements both by longjmp() to the interpreter.
local function fail(depth)
  if depth == 0 then error({}) end
  return (fail(depth - 1))
end

local leave = {
  function() fail(3) end,
  function() table.sort({ 3, 1, 2 }, function() fail(1) end) end,
  function() string.gsub("abc", ".", function() fail(2) end) end,
  function() local t = setmetatable({}, { __index = fail }); return t[2] end,
  function() return ("x"):rep(-1) .. nil end,
  function() load("return (")() end,
}

local caught = 0
for i = 1, tonumber(arg[1]) do
  local ok = pcall(leave[i % #leave + 1])
  caught = caught + (ok and 0 or 1)
  local resume = coroutine.wrap(function()
    pcall(table.sort, { 3, 2, 1 }, function(a, b)
      coroutine.yield(a)
      return a < b
    end)
    coroutine.yield(i)
    fail(1)
  end)
  pcall(resume)
  if i % 2 == 0 then pcall(resume) end
end
print(caught .. " errors caught")
