# SPDX-License-Identifier: GPL-3.0-or-later
# Completes the command lines of ampctl and ampd in bash.

_ampctl() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "run adopt release status policy restore" -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(ampctl "$command" --help 2>/dev/null |
      sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr , '\n')" -- "$word")
    return
  fi
  case $command in
    policy)
      mapfile -t COMPREPLY < <(compgen -W "$(ampctl policy | sed -n 's/^\([a-z-]*\)  .*/\1/p')" -- "$word")
      ;;
    release | adopt)
      mapfile -t COMPREPLY < <(compgen -W "$(ampctl status --json 2>/dev/null |
        sed -n 's/.*"pid": \([0-9]*\).*/\1/p')" -- "$word")
      ;;
    run) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
  esac
}
complete -o default -F _ampctl ampctl
