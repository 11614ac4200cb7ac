# Patterns of paths that may be removed although they are outside of the project, one on a line.
SCRATCH='
/tmp/?*
/var/tmp/?*
/private/tmp/?*'

main() {
  local command
  command=$(shell_text) || refuse "The hook cannot read the command of this call."
  [[ $command =~ :\(\)[[:space:]]*\{ ]] && refuse "This looks like a fork bomb."
  each_command "$command"
  pass
}

check() {
  local name=$1 arguments=" ${*:2} " word recursive=no
  shift
  case $name in
    rm)
      for word in "$@"; do
        [[ $word == --recursive || $word =~ ^-[A-Za-z]*[rR] ]] && recursive=yes
        [[ $word == --no-preserve-root ]] && refuse "rm --no-preserve-root is never needed here."
      done
      for word in "$@"; do
        [[ $recursive == yes && $word != -* ]] && is_precious "$word" &&
          refuse "rm -r $word would remove more than a part of the project. Name the directory to remove."
      done
      ;;
    find)
      [[ $arguments == *' -delete '* ]] && is_precious "${1:-.}" && [[ $1 != . ]] &&
        refuse "find $1 -delete would remove more than a part of the project."
      ;;
    chmod | chown | chgrp)
      [[ $arguments == *' --recursive '* || $arguments =~ \ -[A-Za-z]*R ]] || return 0
      for word in "${@:2}"; do
        [[ $word != -* && $word != . ]] && is_precious "$word" && refuse "$name -R $word changes files outside of the project."
      done
      ;;
    dd) [[ $arguments =~ \ of=/dev/(sd|hd|vd|xvd|nvme|disk|rdisk|mmcblk|mapper) ]] && refuse "dd would overwrite a disk." ;;
    mkfs | mkfs.* | mkswap | wipefs | fdisk | sfdisk | parted | sgdisk | blkdiscard)
      refuse "$name changes disks. Ask the user to run it."
      ;;
    shred) refuse "shred destroys files for good. Use rm in the project, or ask the user." ;;
    shutdown | reboot | halt | poweroff | init) refuse "$name stops the machine." ;;
    kill | pkill) [[ $arguments == *' -1 ' ]] && refuse "$name -1 ends every process of the user." ;;
    crontab) [[ $arguments == *' -r '* ]] && refuse "crontab -r removes all jobs of the user." ;;
    terraform | tofu) [[ $arguments == *' destroy '* ]] && refuse "$name destroy removes real resources. Ask the user to run it." ;;
    psql | mysql | mariadb | sqlite3)
      grep -Eiq '(drop[[:space:]]+(table|database|schema)|truncate[[:space:]]+(table[[:space:]]+)?[a-z])' <<<"$arguments" &&
        refuse "This statement removes tables. Ask the user to run it."
      ;;
  esac
  if [[ $arguments =~ \ \>\ /dev/(sd|hd|vd|xvd|nvme|disk|mmcblk) ]]; then refuse "This would overwrite a disk."; fi
}

# Succeeds for a path that is not clearly inside of the project or of a directory for scratch files.
is_precious() {
  local path=$1 scratch
  while [[ $path == *//* ]]; do path=${path//\/\//\/}; done
  while [[ $path == */./* ]]; do path=${path//\/.\//\/}; done
  path=${path#./}
  [[ $path == ?*/ ]] && path=${path%/}
  [[ $path =~ (^|/)\.\.(/|$) ]] && return 0
  while IFS= read -r scratch; do
    # shellcheck disable=SC2053 # a pattern
    [[ -n $scratch && $path == $scratch ]] && return 1
  done <<<"$SCRATCH"
  case $path in
    '' | . | '*' | .git | .git/* | '~'* | '$'* | '{'* | /* | [A-Za-z]:*) return 0 ;;
  esac
  return 1
}
