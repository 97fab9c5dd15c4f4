// SPDX-License-Identifier: GPL-3.0-or-later
// Mounts overlays, and reads their upper layers.
#include "amp-run/tune/world.h"

#include "common/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mntent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace amp {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string &what) {
  throw Failure(what + ": " + std::strerror(errno));
}

bool is_below(const std::string &path, const std::string &directory) {
  return path.compare(0, directory.size(), directory) == 0 &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

struct Mount {
  std::string path, kind;
};

std::vector<Mount> mounts() {
  std::vector<Mount> result;
  if (FILE *const file = setmntent("/proc/self/mounts", "re")) {
    while (const mntent *const mount = getmntent(file))
      result.push_back({mount->mnt_dir, mount->mnt_type});
    endmntent(file);
  }
  return result;
}

// Whether a file system of KIND has files of its own, and not what the kernel shows.
bool has_files(const std::string &kind) {
  for (const char *const other : {"proc", "sysfs", "devtmpfs", "devpts", "cgroup", "cgroup2",
                                  "mqueue", "securityfs", "debugfs", "tracefs", "bpf", "autofs"})
    if (kind == other)
      return false;
  return true;
}

bool is_writable(const std::string &path) {
  struct statvfs status;
  return statvfs(path.c_str(), &status) == 0 && !(status.f_flag & ST_RDONLY);
}

// Gives TO the owner, permissions and times of FROM.
void copy_attributes(const std::string &from, const std::string &to) {
  struct stat status;
  if (lstat(from.c_str(), &status) != 0)
    return;
  // Only root may give files away.
  [[maybe_unused]] const int owned = lchown(to.c_str(), status.st_uid, status.st_gid);
  if (!S_ISLNK(status.st_mode))
    chmod(to.c_str(), status.st_mode & 07777);
  const timespec times[2] = {status.st_atim, status.st_mtim};
  utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

void write_to(const char *file, const std::string &text) {
  const int opened = open(file, O_WRONLY | O_CLOEXEC);
  const bool good =
      opened >= 0 && write(opened, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (opened >= 0)
    close(opened);
  if (!good)
    fail(file);
}

std::string descriptor_path(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

// An overlay marks a removed file by this device.
bool is_removed(const struct stat &status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0);
}

// Whether DIRECTORY of an upper layer hides what is below it.
bool is_opaque(const std::string &directory) {
  char value;
  for (const char *const name : {"trusted.overlay.opaque", "user.overlay.opaque"})
    if (getxattr(directory.c_str(), name, &value, 1) == 1 && value == 'y')
      return true;
  return false;
}

// Calls BODY (file, name below UPPER, status) for all that is in it, directories first.
template <typename Body> void each_file(const std::string &upper, Body body) {
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(
           upper, fs::directory_options::skip_permission_denied, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string file = at->path();
    struct stat status;
    if (lstat(file.c_str(), &status) == 0)
      body(file, file.substr(upper.size()), status);
  }
}

// Makes TO what FILE of an upper layer is.
void give_file(const std::string &file, const std::string &to, const struct stat &status) {
  std::error_code error;
  if (is_removed(status)) {
    fs::remove_all(to, error);
    return;
  }
  struct stat before;
  const bool there = lstat(to.c_str(), &before) == 0;
  if (there && ((before.st_mode & S_IFMT) != (status.st_mode & S_IFMT) || S_ISLNK(status.st_mode) ||
                (S_ISDIR(status.st_mode) && is_opaque(file))))
    fs::remove_all(to, error);
  if (S_ISDIR(status.st_mode))
    fs::create_directory(to, error);
  else if (S_ISLNK(status.st_mode))
    fs::copy_symlink(file, to, error);
  else if (S_ISREG(status.st_mode))
    fs::copy_file(file, to, fs::copy_options::overwrite_existing, error);
  else if (S_ISFIFO(status.st_mode) && !there)
    mkfifo(to.c_str(), 0600);
  else
    return;
  if (error)
    std::fprintf(stderr, "amp-run: '%s' of the first plain run: %s\n", to.c_str(),
                 error.message().c_str());
  copy_attributes(file, to);
}

} // namespace

World::World(const std::vector<std::string> &directories) {
  find_places(directories);
  const char *const variable = std::getenv("TMPDIR");
  const std::string temporary = variable && *variable ? variable : "/tmp";
  // An overlay's upper layer is not below a lower one, and not on every file system.
  for (const bool memory : {false, true}) {
    if (!take_scratch(memory ? temporary : "/var/tmp", memory))
      continue;
    refusal_ = try_out();
    if (refusal_.empty()) {
      separate();
      return;
    }
    rmdir(scratch_.c_str());
  }
  places_.clear();
  memory_ = false;
  scratch_ = temporary + "/amp-run-XXXXXX";
  if (!mkdtemp(scratch_.data()))
    throw Failure("'" + scratch_ + "': " + std::strerror(errno) +
                  "; TMPDIR names another directory; nothing was run");
}

World::~World() {
  std::error_code ignored;
  if (memory_)
    umount2(scratch_.c_str(), MNT_DETACH);
  fs::remove_all(scratch_, ignored);
}

void World::find_places(const std::vector<std::string> &directories) {
  const std::vector<Mount> all = mounts();
  std::vector<std::string> roots;
  for (const std::string &directory : directories) {
    std::error_code error;
    const std::string path = fs::canonical(directory, error);
    const Mount *on = nullptr;
    for (const Mount &mount : all)
      if (is_below(path, mount.path == "/" ? "" : mount.path) &&
          (!on || mount.path.size() >= on->path.size()))
        on = &mount;
    if (!error && path != "/" && fs::is_directory(path, error) && on && has_files(on->kind) &&
        is_writable(path))
      roots.push_back(path);
  }
  // One below another has a copy of its own: a user namespace cannot copy a directory whose owner
  // it does not know, but puts files into it.
  for (const std::string &root : roots)
    places_.push_back({root, true});
  const std::size_t copied = places_.size();
  for (const Mount &mount : all)
    for (std::size_t i = 0; i < copied; ++i)
      if (mount.path != places_[i].path && is_below(mount.path, places_[i].path)) {
        std::error_code error;
        places_.push_back({mount.path, has_files(mount.kind) && is_writable(mount.path) &&
                                           fs::is_directory(mount.path, error)});
      }
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place &a, const Place &b) { return a.path < b.path; });
  // Of several mounts at one place the last one is seen, of which the path is enough.
  places_.erase(std::unique(places_.begin(), places_.end(),
                            [](const Place &a, const Place &b) { return a.path == b.path; }),
                places_.end());
}

bool World::take_scratch(const std::string &parent, bool memory) {
  memory_ = memory;
  std::error_code error;
  const std::string real = fs::canonical(parent, error);
  for (const Place &place : places_)
    if (!memory && is_below(real, place.path))
      return false;
  scratch_ = real + "/amp-run-XXXXXX";
  return !error && mkdtemp(scratch_.data());
}

// Enters a copy in a process that ends then. Returns why that failed; empty if it did not.
std::string World::try_out() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return std::strerror(errno);
  std::string text = "ok";
  const pid_t child = fork();
  if (child == 0) {
    try {
      separate();
      enter(0);
    } catch (const std::exception &error) {
      text = error.what();
    }
    _exit(write(ends[1], text.data(), text.size()) < 0);
  }
  close(ends[1]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR)
    ;
  text.resize(256);
  const ssize_t count = read(ends[0], text.data(), text.size());
  close(ends[0]);
  drop(0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text == "ok" ? "" : text.empty() ? "a process cannot be made" : text;
}

// Moves this process into namespaces of its own, in which it may mount.
void World::separate() {
  privileged_ = unshare(CLONE_NEWNS) == 0;
  if (!privileged_) {
    const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      fail("user namespace");
    write_to("/proc/self/setgroups", "deny");
    write_to("/proc/self/uid_map", user + " " + user + " 1");
    write_to("/proc/self/gid_map", group + " " + group + " 1");
  }
  if (mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    fail("mount namespace");
  if (memory_ && mount("tmpfs", scratch_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=700") != 0)
    fail("tmpfs");
}

std::string World::layer(unsigned number, std::size_t place, const char *kind) const {
  return "/" + std::to_string(number) + "/" + std::to_string(place) + "/" + kind;
}

void World::mount_copy(const Place &place, int original, const std::string &upper,
                       const std::string &work) const {
  struct statvfs status;
  unsigned long flags = 0;
  if (fstatvfs(original, &status) == 0)
    flags = (status.f_flag & ST_NOSUID ? MS_NOSUID : 0) |
            (status.f_flag & ST_NODEV ? MS_NODEV : 0) | (status.f_flag & ST_NOEXEC ? MS_NOEXEC : 0);
  const std::string options = "lowerdir=" + descriptor_path(original) + ",upperdir=" + upper +
                              ",workdir=" + work +
                              (privileged_ ? ",redirect_dir=off,metacopy=off" : ",userxattr");
  // What is mounted below a copy is hidden by it.
  if (place.copied ? mount("overlay", place.path.c_str(), "overlay", flags, options.c_str()) != 0
                   : mount(descriptor_path(original).c_str(), place.path.c_str(), nullptr, MS_BIND,
                           nullptr) != 0)
    fail((place.copied ? "overlay on '" : "'") + place.path + "'");
}

void World::enter(unsigned number) const {
  if (places_.empty())
    return;
  if (unshare(CLONE_NEWNS) != 0)
    fail("mount namespace");
  std::error_code error;
  const fs::path directory = fs::current_path(error);
  std::vector<int> originals;
  const int scratch = open(scratch_.c_str(), O_PATH | O_CLOEXEC);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    originals.push_back(open(places_[i].path.c_str(), O_PATH | O_CLOEXEC));
    if (!places_[i].copied)
      continue;
    const std::string upper = scratch_ + layer(number, i, "upper");
    fs::create_directories(scratch_ + layer(number, i, "work"));
    if (fs::create_directories(upper))
      copy_attributes(places_[i].path, upper);
  }
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (originals[i] >= 0)
      mount_copy(places_[i], originals[i], descriptor_path(scratch) + layer(number, i, "upper"),
                 descriptor_path(scratch) + layer(number, i, "work"));
  if (memory_ &&
      mount(descriptor_path(scratch).c_str(), scratch_.c_str(), nullptr, MS_BIND, nullptr) != 0)
    fail("'" + scratch_ + "'");
  for (const int original : originals)
    close(original);
  close(scratch);
  if (!directory.empty() && chdir(directory.c_str()) != 0)
    fail("'" + directory.string() + "'");
}

Written World::written(unsigned number) const {
  Written result;
  for (std::size_t i = 0; i < places_.size(); ++i)
    each_file(scratch_ + layer(number, i, "upper"),
              [&](const std::string &file, const std::string &name, const struct stat &status) {
                const std::string path = places_[i].path + name;
                std::error_code error;
                if (is_removed(status))
                  result[path] = content_of("(removed)");
                else if (S_ISREG(status.st_mode))
                  result[path] = content_of_file(file);
                else if (S_ISLNK(status.st_mode))
                  result[path] = content_of("-> " + fs::read_symlink(file, error).string());
              });
  return result;
}

void World::give(unsigned number) const {
  for (std::size_t i = 0; i < places_.size(); ++i)
    each_file(scratch_ + layer(number, i, "upper"),
              [&](const std::string &file, const std::string &name, const struct stat &status) {
                give_file(file, places_[i].path + name, status);
              });
}

void World::drop(unsigned number) const {
  const std::string copy = scratch_ + "/" + std::to_string(number);
  std::error_code ignored;
  // The kernel makes a directory without permissions.
  for (std::size_t i = 0; i < places_.size(); ++i)
    chmod((scratch_ + layer(number, i, "work") + "/work").c_str(), 0700);
  fs::remove_all(copy, ignored);
}

std::vector<std::string> written_directories(const std::vector<std::string> &arguments) {
  std::vector<std::string> result{"."};
  for (const char *const name : {"HOME", "TMPDIR"})
    if (const char *const value = std::getenv(name); value && value[0] == '/')
      result.push_back(value);
  if (!std::getenv("TMPDIR"))
    result.push_back("/tmp");
  for (const std::string &argument : arguments)
    for (const std::string &file : {argument, argument.substr(argument.find('=') + 1)}) {
      std::error_code error;
      if (fs::is_directory(file, error))
        result.push_back(file);
      else if (file.find('/') != file.npos)
        result.push_back(fs::path(file).parent_path());
    }
  return result;
}

} // namespace amp
