// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoadableLibraries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;
using namespace patchbay;

static constexpr size_t MostFiles = 2000;

static bool isLibraryName(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name.ends_with(".so") || Name.contains(".so.");
}

static std::string folderOf(StringRef Path) {
  SmallString<256> Real;
  if (sys::fs::real_path(Path, Real))
    return "";
  return sys::path::parent_path(Real).str();
}

// Adds the folders of DT_RUNPATH and DT_RPATH. Ignores a damaged file.
static void addRunPaths(const ElfImage &Image, std::vector<std::string> &Folders) {
  for (int64_t Tag : {ELF::DT_RUNPATH, ELF::DT_RPATH}) {
    auto Lists = Image.dynamicStrings(Tag);
    if (!Lists)
      return consumeError(Lists.takeError());
    for (const std::string &List : *Lists)
      for (StringRef Path : split(List, ':'))
        if (Path.consume_front("$ORIGIN") || Path.consume_front("${ORIGIN}"))
          Folders.push_back(folderOf(Image.path()) + Path.str());
        else if (Path.starts_with("/"))
          Folders.push_back(Path.str());
  }
}

static std::vector<std::string> foldersOf(const ElfImage &Program,
                                          ArrayRef<std::string> Needs) {
  std::vector<std::string> Folders;
  if (const char *Given = getenv("LD_LIBRARY_PATH")) {
    SmallVector<StringRef> Paths;
    StringRef(Given).split(Paths, ':', -1, /*KeepEmpty=*/false);
    for (StringRef Path : Paths)
      Folders.push_back(Path.str());
  }
  addRunPaths(Program, Folders);
  for (const std::string &Path : Needs) {
    auto Library = ElfImage::open(Path);
    if (Library)
      addRunPaths(*Library, Folders);
    else
      consumeError(Library.takeError());
  }
  Folders.push_back(folderOf(Program.path()));
  return Folders;
}

// Finds strings among the program's constants that could be arguments of
// dlopen().
static std::vector<std::string> namesIn(const ElfImage &Program) {
  std::vector<std::string> Names;
  auto Sections = Program.sectionsNamed(".rodata");
  if (!Sections) {
    consumeError(Sections.takeError());
    return Names;
  }
  for (const ElfImage::Shdr *Section : *Sections) {
    auto Bytes = Program.elf().getSectionContents(*Section);
    if (!Bytes) {
      consumeError(Bytes.takeError());
      continue;
    }
    for (StringRef Rest = toStringRef(*Bytes); !Rest.empty();) {
      auto [Text, Behind] = Rest.split('\0');
      if (Text.size() < 4096 && isLibraryName(Text) && all_of(Text, isPrint))
        Names.push_back(Text.str());
      Rest = Behind;
    }
  }
  return Names;
}

std::vector<std::string>
patchbay::loadableLibraries(const ElfImage &Program, ArrayRef<std::string> Needs,
                            ArrayRef<std::string> Arguments) {
  std::vector<std::string> Files;
  auto Add = [&](StringRef Path) {
    if (Files.size() < MostFiles && sys::fs::is_regular_file(Path) &&
        !is_contained(Needs, Path) && !is_contained(Files, Path))
      Files.push_back(Path.str());
  };
  for (const std::string &Argument : Arguments)
    if (isLibraryName(Argument))
      Add(Argument);
  std::vector<std::string> Folders = foldersOf(Program, Needs);
  for (const std::string &Name : namesIn(Program))
    if (StringRef(Name).contains('/'))
      Add(Name);
    else
      for (StringRef Folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64",
                               "/usr/local/lib"})
        Add((Folder + "/" + Name).str());
  for (const std::string &Folder : Folders) {
    std::error_code Error;
    for (sys::fs::directory_iterator I(Folder, Error), End; I != End && !Error;
         I.increment(Error))
      if (isLibraryName(I->path()))
        Add(I->path());
  }
  return Files;
}
