// SPDX-License-Identifier: GPL-3.0-or-later
// What debug information says about the loops of a program or library that the runtime schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace amp {

// Addresses in the ELF file, which differ from those where it is loaded. END is not included.
struct AddressRange {
  std::uint64_t begin, end;

  bool has(std::uint64_t address) const { return begin <= address && address < end; }
};

struct DebugInfo {
  // Where the code of a line of FILES begins. A line may have many rows.
  struct Row {
    std::uint64_t address;
    unsigned file;
    int line; // 0: code of no line
  };

  // A loop that asks the runtime for its iterations.
  struct Loop {
    std::string function; // with the loop; often the compiler made it of a parallel region
    AddressRange site;    // that the runtime knows: the loop's call, or its function's start
    AddressRange code;    // of the function
    AddressRange head;    // the code before the call, or all code if the function is the loop
    bool is_function;     // whether the function is the loop, of a combined construct
    bool is_alone;        // whether the function has no other loop
    std::vector<AddressRange> inlined; // code of other functions that is inlined in the function
  };

  std::vector<std::string> files; // absolute if the compiler wrote so, without "." and ".."
  std::vector<Row> rows;          // in ascending order of addresses
  std::vector<Loop> loops;
};

// Reads the debug information of the ELF file PATH, from the file or from a separate file on the
// system. Missing information leaves members empty. GCC describes loops from -O1 on.
DebugInfo read_debug_info(const std::string &path);

// The address of the first loaded page in the ELF file PATH. Offsets into a loaded module, as
// dladdr reports them, are relative to it. 0 if the file has none.
std::uint64_t base_address(const std::string &path);

} // namespace amp
