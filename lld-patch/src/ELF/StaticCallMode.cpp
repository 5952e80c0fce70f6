// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StaticCallMode.h"
#include "Config.h"
#include "Driver.h"
#include "llvm/Option/ArgList.h"

using namespace llvm;
using namespace llvm::ELF;
using namespace lld;
using namespace lld::elf;

// Report options that exclude each other or have no effect.
static void checkOptions(Ctx &ctx, const opt::InputArgList &args,
                         const StaticCallMode &mode, bool enabled) {
  const bool relocatable = args.hasArg(OPT_static_calls_relocatable);
  const bool kernel = args.hasArg(OPT_static_calls_kernel);
  const bool isPPC64 = ctx.arg.emachine == EM_PPC64;
  auto warnNoEffect = [&](const char *option, const char *why) {
    Warn(ctx) << option << " has no effect " << why;
  };

  if (mode.sitesOnly && ((enabled && !ctx.arg.relocatable) || relocatable))
    ErrAlways(ctx) << "--static-call-sites is for thunks that the input defines; "
                      "remove it or "
                   << (relocatable ? "--static-calls-relocatable"
                       : kernel    ? "--static-calls-kernel"
                                   : "--static-calls");
  if (mode.sitesOnly &&
      args.hasFlag(OPT_branch_to_branch, OPT_no_branch_to_branch, false))
    warnNoEffect("--branch-to-branch", "with --static-call-sites");
  if (kernel && ctx.arg.relocatable)
    warnNoEffect("--static-calls-kernel", "with -r");
  else if (kernel && !isPPC64)
    ErrAlways(ctx) << "--static-calls-kernel is only supported on PowerPC64 "
                      "targets; where the kernel makes the thunks use "
                      "--static-call-sites";

  if (mode.sameToc && !isPPC64)
    ErrAlways(ctx)
        << "--static-calls-same-toc is only supported on PowerPC64 targets";
  else if (mode.sameToc && ctx.arg.relocatable)
    warnNoEffect("--static-calls-same-toc", "with -r");
  else if (mode.sameToc && kernel)
    warnNoEffect("--static-calls-same-toc", "with --static-calls-kernel");
  else if (mode.sameToc && !enabled)
    warnNoEffect("--static-calls-same-toc", "without --static-calls");
  if (relocatable && !ctx.arg.relocatable)
    warnNoEffect("--static-calls-relocatable", "without -r");
}

// Read the options that set names. Report options without effect, an empty
// prefix (every symbol would match), and equal prefixes (a thunk would be its
// own key).
static void readNames(Ctx &ctx, const opt::InputArgList &args,
                      StaticCallMode &mode, bool makesThunks) {
  auto read = [&](unsigned option, const char *name, StringRef &value,
                  bool hasEffect, const char *without) {
    if (!args.hasArg(option))
      return;
    value = args.getLastArgValue(option);
    if (!hasEffect)
      Warn(ctx) << name << " has no effect without " << without;
  };
  const bool usesNames = makesThunks || mode.sitesOnly;
  const char *without =
      ctx.arg.relocatable ? "--static-calls-relocatable" : "--static-calls";
  read(OPT_static_calls_key_prefix, "--static-calls-key-prefix", mode.keyPrefix,
       usesNames, without);
  read(OPT_static_calls_thunk_prefix, "--static-calls-thunk-prefix",
       mode.thunkPrefix, usesNames, without);
  read(OPT_static_calls_toc_symbol, "--static-calls-toc-symbol", mode.tocSymbol,
       args.hasArg(OPT_static_calls_kernel), "--static-calls-kernel");
  if (mode.keyPrefix.empty() || mode.thunkPrefix.empty() ||
      mode.keyPrefix == mode.thunkPrefix)
    ErrAlways(ctx) << "--static-calls-key-prefix and "
                      "--static-calls-thunk-prefix must differ, and not be "
                      "empty";
}

std::optional<StaticCallMode>
elf::readStaticCallMode(Ctx &ctx, const opt::InputArgList &args) {
  const bool kernel = args.hasArg(OPT_static_calls_kernel);
  const bool enabled =
      args.hasFlag(OPT_static_calls, OPT_no_static_calls, kernel);

  StaticCallMode mode;
  mode.sitesOnly = args.hasArg(OPT_static_call_sites);
  mode.sameToc = args.hasArg(OPT_static_calls_same_toc);
  mode.kernel = kernel || mode.sitesOnly || ctx.arg.relocatable;
  if (mode.sitesOnly)
    mode.option = "--static-call-sites";
  else if (ctx.arg.relocatable)
    mode.option = "--static-calls-relocatable";
  else if (kernel)
    mode.option = "--static-calls-kernel";
  checkOptions(ctx, args, mode, enabled);

  const bool makesThunks =
      ctx.arg.relocatable ? args.hasArg(OPT_static_calls_relocatable) : enabled;
  readNames(ctx, args, mode, makesThunks);
  if (!mode.sitesOnly && !makesThunks)
    return std::nullopt;
  return mode;
}
