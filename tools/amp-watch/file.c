/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the files of the report and the trace. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/write-signals.h"
#include "watch.h"

typedef void (*print_function)(FILE *, const void *);

/* How long the reader of a pipe may read nothing until the process ends without
   it.  */
#define READER_MS 5000

/* The number of bytes of the character of UTF-8 at TEXT, or 0 if there is
   none.  */

static unsigned utf8_length(const char *text) {
  /* The least character of each length: a longer form of it is an error.  */
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char lead = text[0];
  unsigned length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  unsigned character = lead & (0xff >> (length + 1));

  if (lead < 0x80)
    return 1;
  if (lead < 0xc0 || lead >= 0xf8)
    return 0;
  for (unsigned i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    character = character << 6 | (text[i] & 0x3f);
  }
  return (character >= least[length] && character <= 0x10ffff &&
                  (character < 0xd800 || character > 0xdfff)
              ? length
              : 0);
}

void print_string(FILE *out, const char *text) {
  unsigned length;

  if (text == NULL) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\')
      fprintf(out, "\\%c", *text);
    else if ((unsigned char)*text < ' ')
      fprintf(out, "\\u%04x", *text);
    else if ((length = utf8_length(text)) == 0)
      /* U+FFFD, the replacement character: a file's name need not be UTF-8, but
         JSON must be.  */
      fputs("\\ufffd", out);
    else {
      fwrite(text, 1, length, out);
      text += length - 1;
    }
  fputc('"', out);
}

/* NAME, in the directory in which the process started, with the process number for %p, and after it
   in the child of a fork.  The caller frees it.  NULL if memory is short.  */

static char *file_name(const char *name) {
  const char *slash = strrchr(name, '/');
  const char *place = strstr(slash != NULL ? slash : name, "%p");
  const char *from = *name != '/' && directory != NULL ? directory : "";
  const char *between = *from != '\0' ? "/" : "";
  int pid = getpid();
  char *made;
  int length;

  if (place != NULL)
    length =
        asprintf(&made, "%s%s%.*s%d%s", from, between, (int)(place - name), name, pid, place + 2);
  else if (forked)
    length = asprintf(&made, "%s%s%s.%d", from, between, name, pid);
  else
    length = asprintf(&made, "%s%s%s", from, between, name);
  return length >= 0 ? made : NULL;
}

/* A device or a pipe.  STUCK: its reader has stopped.  */
struct device {
  int file;
  bool stuck;
};

/* For fopencookie.  A reader that is slow gets all of it.  */

static ssize_t write_slowly(void *cookie, const char *text, size_t size) {
  struct device *device = cookie;
  struct pollfd room = {.fd = device->file, .events = POLLOUT};
  size_t done = 0;

  while (done < size && !device->stuck) {
    ssize_t now = write(device->file, text + done, size - done);

    if (now > 0)
      done += now;
    else if (now == 0 || (errno != EAGAIN && errno != EINTR))
      break;
    else if (errno == EAGAIN && poll(&room, 1, READER_MS) == 0) {
      device->stuck = true;
      errno = ETIMEDOUT;
    }
  }
  return done;
}

/* Have PRINT write to NAME, which is a device or a pipe.  As write_file.  */

static bool write_device(const char *name, print_function print, const void *data) {
  /* A pipe that has no reader is an error and does not stop the program.  */
  struct device device = {open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), false};
  int error;
  FILE *out;
  bool done = false;

  if (device.file < 0)
    return false;
  out = fopencookie(&device, "w", (cookie_io_functions_t){.write = write_slowly});
  if (out != NULL) {
    print(out, data);
    done = fflush(out) == 0 && !ferror(out);
  }
  error = errno;
  if (out != NULL)
    fclose(out);
  close(device.file);
  errno = error;
  return done;
}

/* Have PRINT write to the file NAME, as a whole or not at all.  Returns false,
   with errno set, if that is not possible.  */

static bool write_file(const char *name, print_function print, const void *data) {
  char *temporary;
  struct stat known;
  FILE *out;
  int file, error;
  bool done = false;

  /* These must not be replaced by a file.  */
  if (stat(name, &known) == 0 && !S_ISREG(known.st_mode))
    return write_device(name, print, data);
  file = gomp_amp_make_temporary(name, &temporary);
  if (file < 0)
    return false;
  out = fdopen(file, "w");
  if (out != NULL) {
    print(out, data);
    done = (fflush(out) == 0 && !ferror(out) && rename(temporary, name) == 0);
  }
  error = errno;
  if (!done)
    unlink(temporary);
  if (out != NULL)
    fclose(out);
  else
    close(file);
  free(temporary);
  errno = error;
  return done;
}

/* As write_file, whatever the program's locale is, and without a signal if the
   reader of a pipe goes away or the file is too large.  */

static bool write_unaffected(const char *name, print_function print, const void *data) {
  struct gomp_amp_signals signals;
  locale_t ours = newlocale(LC_NUMERIC_MASK, "C", NULL), theirs = NULL;
  bool done;
  int error;

  gomp_amp_hold_signals(&signals);
  if (ours != NULL)
    theirs = uselocale(ours);
  done = write_file(name, print, data);
  error = errno;
  if (ours != NULL) {
    uselocale(theirs);
    freelocale(ours);
  }
  gomp_amp_drop_signals(&signals);
  errno = error;
  return done;
}

void write_result(const char *what, const char *option, const char *value, print_function print,
                  const void *data) {
  char *name = file_name(value);

  if (name == NULL || !write_unaffected(name, print, data))
    say("%s: cannot write %s: %m; the %s is lost", option, name != NULL ? name : value, what);
  free(name);
}

void print_site(FILE *out, const struct site *site) {
  fputs("{\"site\":", out);
  print_string(out, site != NULL ? site->name : NULL);
  fputs(",\"module\":", out);
  print_string(out, site != NULL ? site->module : NULL);
  fprintf(out, ",\"address\":%lu", site != NULL ? (unsigned long)site->address : 0);
}

void print_program(FILE *out) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

  program[length > 0 ? length : 0] = '\0';
  fprintf(out, "\"version\":3,\"pid\":%d,\"program\":", (int)getpid());
  print_string(out, program);
  fputs(",\"runtime\":", out);
  print_string(out, runtime_name);
  fprintf(out, ",\"region_address\":\"%s\"",
          runtime.ompx_amp_get_region != NULL ? "function" : "call");
}
