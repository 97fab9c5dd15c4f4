// SPDX-License-Identifier: GPL-3.0-or-later
// What debug information says of the loops that a program or library has the runtime schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace amp {

// Addresses as the ELF file has them, which is not where it is loaded; END is not one of them.
struct AddressRange {
  std::uint64_t begin, end;

  bool has(std::uint64_t address) const { return begin <= address && address < end; }
};

struct DebugInfo {
  // Where the code of a line of FILES begins; one line may have many.
  struct Row {
    std::uint64_t address;
    unsigned file;
    int line; // 0: code of no line
  };

  // A loop that asks the runtime for its iterations.
  struct Loop {
    std::string function; // that has it, often one that the compiler made of a parallel region
    AddressRange site;    // by which the runtime knows it: of its call, or its function's start
    AddressRange code;    // of the function
    AddressRange head;    // what leads to the call, or all code if the function is the loop
    bool is_function;     // whether a combined construct made the function of it
    bool is_alone;        // whether the function has no other
    std::vector<AddressRange> inlined; // code in the function that is of functions it calls
  };

  std::vector<std::string> files; // absolute if the compiler told, without "." and ".."
  std::vector<Row> rows;          // in ascending order of addresses
  std::vector<Loop> loops;
};

// Reads the debug information of the ELF file PATH, in it or elsewhere on the system where it
// belongs to it; what there is none of is empty. GCC describes loops from -O1 on.
DebugInfo read_debug_info(const std::string &path);

// The address at which the first loaded page of the ELF file PATH is to be: what an offset into
// a loaded module, as dladdr reports it, is relative to. 0 if the file has none.
std::uint64_t base_address(const std::string &path);

} // namespace amp
