// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the state of libpatchbay in a running process from its memory: modules, sites, and
// the sites' tracers (runtime/core/modules/live_view.h). Does not stop the process, and does
// not trust the data. A site that cannot be read consistently has the state Unreadable.
#pragma once

#include "ProcessMemory.h"
#include "core/modules/live_view.h"

namespace patchbay {

struct MappedImage;

struct LiveTracer {
  uint64_t Handler;
  uint64_t Data;
};

struct LiveSite {
  enum States {
    Disarmed = PATCHBAY_SITE_DISARMED,
    Armed = PATCHBAY_SITE_ARMED,
    Outside = PATCHBAY_SITE_OUTSIDE,
    NoSlot = PATCHBAY_SITE_NO_SLOT,
    Unknown = PATCHBAY_SITE_UNKNOWN,
    Foreign = PATCHBAY_SITE_FOREIGN,
    Changed = PATCHBAY_SITE_CHANGED,
    Unreadable,
  };
  uint64_t Entry;
  States State;
  std::vector<LiveTracer> Tracers; // in the order of their calls
};

struct LiveModule {
  uint64_t At;   // address of its struct pb_module
  uint64_t Base; // run-time address minus ELF address
  uint64_t Records, NumRecords;
  uint64_t Low, High; // range of its text
  uint64_t Stubs;     // address of the first stub; 0: none
  std::string Path;
  std::vector<LiveSite> Sites; // sorted by entry
};

/// A module of another ABI version.
struct OtherModule {
  std::string Path;
  unsigned Version;
};

struct LiveCounters {
  uint64_t Batches = 0, Membarriers = 0, TextWrites = 0;
  uint64_t Left = 0, Timeouts = 0, WaitedFor = 0;
  uint64_t Refused[PATCHBAY_SITE_NR_STATES] = {};
};

class LiveProcess {
public:
  /// Fails if the process's libpatchbay has another version, or if the process
  /// has neither libpatchbay nor a module that was built for it.
  static llvm::Expected<LiveProcess> open(unsigned Pid);
  /// Has the process libpatchbay, which may have changed the modules since loading?
  bool hasRuntime() const { return !Runtimes.empty(); }

  const ProcessMemory &memory() const { return Memory; }
  /// The modules that stayed loaded during the read, with their sites.
  llvm::Expected<std::vector<LiveModule>> modules() const;
  /// The modules of other ABI versions, which libpatchbay ignores.
  std::vector<OtherModule> otherModules() const;
  LiveCounters counters() const;

private:
  /// One copy of libpatchbay in the process.
  struct Runtime {
    struct pb_live Live;
    uint16_t Machine;
  };
  LiveProcess(ProcessMemory Memory) : Memory(std::move(Memory)) {}
  llvm::Error findRuntimes();
  llvm::Error findUnregistered();
  void addUnregistered(const MappedImage &Image, uint64_t NoteDescriptor);
  llvm::Error addRuntime(const MappedImage &Image, uint64_t NoteDescriptor);
  bool readList(const Runtime &R, std::vector<LiveModule> &Found) const;
  bool readOthers(const Runtime &R, std::vector<OtherModule> &Found) const;
  llvm::Expected<std::vector<LiveModule>> list(const Runtime &R) const;
  /// The remaining limits for data from the process.
  struct Budget {
    uint64_t Sites, Tracers;
  };
  llvm::Expected<bool> readSites(const Runtime &R, LiveModule &Module,
                                 Budget &Left) const;
  LiveSite readSite(const Runtime &R, const LiveModule &Module,
                    uint64_t Address, const patchbay_record &Record) const;

  ProcessMemory Memory;
  std::vector<Runtime> Runtimes;
  /// Used without a runtime: the modules of this version, and modules of other versions.
  uint16_t Machine = 0;
  std::vector<LiveModule> Unregistered;
  std::vector<OtherModule> Others;
};

/// Finds modules of other ABI versions in the files that have mapped code, since nothing in
/// memory identifies modules of version 1. Skips files that cannot be read.
std::vector<OtherModule> otherVersionsMapped(const ProcessMemory &Memory);

} // namespace patchbay
