// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes LTO's cache distinguish pass plugins.
//
// --thinlto-cache-dir= keeps the objects that LTO compiles for later links.
// LLVM looks up an object by a hash of the bitcode and of the options
// (computeLTOCacheKey). The hash ignores pass plugins, although a plugin
// changes the object. So a link with a plugin could get objects that were
// compiled without the plugin, or with an older plugin or list of functions.
//
// The hash includes the arguments of -mllvm. So this file adds an argument that
// LLVM never parses: a digest of
//
// - the content of the plugins' files, which changes when a plugin is rebuilt;
// - the plugins' options, because LLVM's hash ignores --plugin-opt=-;
// - the content of the files that Patchbay's own options name;
// - the arguments of the compiler that --thinlto-distributor= starts, because
//   these arguments name the compiler's plugin.
//
// LLVM also caches an object if the compilation reported an error. The link
// fails, but the next link would find the object and succeed, although a plugin
// refused the module or could not read a list of functions. So this file adds
// objects to the cache only while the link has no error.
//
// Links without a plugin use the cache as stock LLD does, with the same keys.
//===----------------------------------------------------------------------===//

#include "LtoCache.h"
#include "Config.h"
#include "Driver.h"
#include "lld/Common/ErrorHandler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA1.h"
#include <dlfcn.h>

using namespace llvm;
using namespace lld;
using namespace lld::elf;

// Whether the compiler that --thinlto-distributor= starts has a plugin.
static bool remoteUsesPlugin(Ctx &ctx) {
  return llvm::any_of(ctx.arg.dtltoCompilerArgs, [](StringRef arg) {
    return arg.starts_with("-fplugin=") || arg.starts_with("-fpass-plugin=");
  });
}

bool elf::usesPassPlugin(Ctx &ctx) {
  return !ctx.arg.passPlugins.empty() || remoteUsesPlugin(ctx);
}

static void addString(SHA1 &hash, StringRef s) {
  hash.update(s);
  hash.update(ArrayRef<uint8_t>{0});
}

// Hash the content of a file, or "none" if the file is missing. The code that
// reads the file reports a missing file.
static void addFile(SHA1 &hash, StringRef path) {
  if (auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false)) {
    addString(hash, utostr((*buffer)->getBufferSize()));
    hash.update((*buffer)->getBuffer());
  } else {
    addString(hash, "none");
  }
}

// Hash the plugin's file. Driver.cpp has loaded the plugin. The dynamic linker
// searches folders for a name without a slash, so dladdr() gives the path of
// the file. LTO reports a plugin that could not be loaded.
static void addPlugin(SHA1 &hash, StringRef name) {
  auto library = sys::DynamicLibrary::getPermanentLibrary(name.str().c_str());
  Dl_info info;
  if (library.isValid() &&
      dladdr(library.getAddressOfSymbol("llvmGetPassPluginInfo"), &info) &&
      info.dli_fname)
    addFile(hash, info.dli_fname);
  else
    addFile(hash, name);
}

// Hash an option, and the file that the option names after an equals sign.
static void addOption(SHA1 &hash, StringRef option) {
  addString(hash, option);
  if (option.contains('='))
    addFile(hash, option.split('=').second);
}

// Warn if another process compiles without the plugin.
static void warnIfCompiledElsewhere(Ctx &ctx) {
  if (ctx.arg.passPlugins.empty())
    return;
  StringRef plugin = ctx.arg.passPlugins.front();
  if (ctx.arg.thinLTOIndexOnly)
    Warn(ctx) << "--load-pass-plugin= has no effect with --thinlto-index-only; "
                 "compile with -fthinlto-index=... -fplugin="
              << plugin;
  else if (!ctx.arg.dtltoDistributor.empty() && !remoteUsesPlugin(ctx))
    Warn(ctx) << "--load-pass-plugin= has no effect on what "
                 "--thinlto-distributor= compiles; add "
                 "--thinlto-remote-compiler-arg=-fplugin="
              << plugin;
}

void elf::addPluginsToLtoCacheKey(Ctx &ctx, const opt::InputArgList &args) {
  warnIfCompiledElsewhere(ctx);
  if (ctx.arg.thinLTOCacheDir.empty() || !usesPassPlugin(ctx))
    return;
  SHA1 hash;
  for (StringRef plugin : ctx.arg.passPlugins)
    addPlugin(hash, plugin);
  for (auto *arg : args.filtered(OPT_mllvm, OPT_plugin_opt_eq_minus)) {
    StringRef option = StringRef(arg->getValue()).ltrim('-');
    if (option.starts_with("patchbay-"))
      addOption(hash, option);
    else
      addString(hash, option);
  }
  for (StringRef arg : ctx.arg.dtltoCompilerArgs)
    addOption(hash, arg);
  ctx.arg.mllvmOpts.push_back(
      ctx.saver.save("patchbay-plugins=" + toHex(hash.final())));
}

namespace {
// Holds an object in memory until it is complete.
class HeldStream final : public CachedFileStream {
public:
  using Buffer = SmallVector<char, 0>;
  HeldStream(Ctx &ctx, std::unique_ptr<Buffer> buffer, AddStreamFn addStream,
             unsigned task, std::string moduleName)
      : CachedFileStream(std::make_unique<raw_svector_ostream>(*buffer)),
        ctx(ctx), buffer(std::move(buffer)), addStream(std::move(addStream)),
        task(task), moduleName(std::move(moduleName)) {}

  Error commit() override {
    if (Error e = CachedFileStream::commit())
      return e;
    // The count includes errors in modules that other threads compile. Dropping
    // a good object only costs time in the next link.
    if (errCount(ctx))
      return Error::success();
    auto stream = addStream(task, moduleName);
    if (!stream)
      return stream.takeError();
    (*stream)->OS->write(buffer->data(), buffer->size());
    return (*stream)->commit();
  }

private:
  Ctx &ctx;
  std::unique_ptr<Buffer> buffer;
  AddStreamFn addStream;
  unsigned task;
  std::string moduleName;
};
} // namespace

FileCache elf::makePluginLtoCache(Ctx &ctx, FileCache cache) {
  if (!cache.isValid() || !usesPassPlugin(ctx))
    return cache;
  std::string path = cache.getCacheDirectoryPath();
  auto lookUp = [&ctx, cache = std::move(cache)](
                    unsigned task, StringRef key,
                    const Twine &moduleName) mutable -> Expected<AddStreamFn> {
    Expected<AddStreamFn> addStream = cache(task, key, moduleName);
    if (!addStream || !*addStream) // an error, or the cache has the object
      return addStream;
    return [&ctx, addStream = std::move(*addStream)](unsigned task,
                                                     const Twine &moduleName)
               -> Expected<std::unique_ptr<CachedFileStream>> {
      return std::make_unique<HeldStream>(
          ctx, std::make_unique<HeldStream::Buffer>(), addStream, task,
          moduleName.str());
    };
  };
  return FileCache(lookUp, path);
}
