// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libgomp's gomp_error and gomp_debug: collects what the library says.

#include "messages.h"

#include <cstdarg>
#include <cstdio>
#include <utility>

extern "C" {
#include "base/message.h"
}

static std::vector<std::string> messages;

static std::vector<std::string> debugging;

static std::string print(const char *format, va_list arguments) {
  char text[1024];
  vsnprintf(text, sizeof text, format, arguments);
  return text;
}

extern "C" void gomp_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  messages.push_back(print(format, arguments));
  va_end(arguments);
}

extern "C" void gomp_amp_init_messages() {}

extern "C" void gomp_debug(int, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  debugging.push_back(print(format, arguments));
  va_end(arguments);
}

std::vector<std::string> takeMessages() { return std::exchange(messages, {}); }

std::vector<std::string> takeDebugging() { return std::exchange(debugging, {}); }
