-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
-- Runs the script that arg[1] names with the arguments that follow, and counts calls
-- with Lua's own call hook, to check Patchbay's counts. Prints "CALLS NAME" lines to
-- stderr, NAME being the C function in Lua's source.
local names = {
  [string.lower] = "str_lower", [string.gmatch] = "gmatch",
  [string.format] = "str_format", [table.insert] = "tinsert",
  [pairs] = "luaB_pairs", [print] = "luaB_print",
}
local calls = {}
for _, name in pairs(names) do
  calls[name] = 0
end

local script = assert(loadfile(table.remove(arg, 1)))
debug.sethook(function()
  local name = names[debug.getinfo(2, "f").func]
  if name then
    calls[name] = calls[name] + 1
  end
end, "c")
script()
debug.sethook()

for name, n in pairs(calls) do
  io.stderr:write(string.format("%d %s\n", n, name))
end
