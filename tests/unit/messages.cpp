// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libgomp's gomp_error: collects what the library says.

#include "messages.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

extern "C" {
#include "message.h"
}

static std::vector<std::string> messages;

extern "C" void gomp_error(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  messages.emplace_back(text);
}

std::vector<std::string> takeMessages() { return std::exchange(messages, {}); }
