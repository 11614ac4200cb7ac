main() {
  local command
  command=$(shell_text) || refuse "The hook cannot read the command of this call."
  enter_project || refuse "The hook cannot enter the directory of the project."
  each_command "$command"
  pass
}

check() {
  local name=$1 arguments=" ${*:2} "
  case $name in
    npm | pnpm | yarn | bun)
      [[ $arguments =~ \ (install|i|add|ci|remove|rm|uninstall|update|upgrade|up|link|dedupe)\  || ($name == yarn && $arguments =~ ^\ +$) ]] &&
        compare "$name" "$(javascript_manager)"
      ;;
    pip | pip3 | pip3.* | pipenv | poetry | uv | pdm | conda)
      [[ $arguments =~ \ (install|add|remove|uninstall|sync|update|lock)\  && ! $arguments =~ \ (self|tool)\  ]] && compare "${name%%3*}" "$(python_manager)"
      ;;
    python | python3 | python3.*)
      [[ $arguments =~ \ -m\ +pip\ .*(install|uninstall)\  ]] && compare pip "$(python_manager)"
      ;;
  esac
  return 0
}

javascript_manager() {
  if [[ -f pnpm-lock.yaml ]]; then echo pnpm
  elif [[ -f yarn.lock ]]; then echo yarn
  elif [[ -f bun.lock || -f bun.lockb ]]; then echo bun
  elif [[ -f package-lock.json || -f npm-shrinkwrap.json ]]; then echo npm
  fi
}

python_manager() {
  if [[ -f uv.lock ]]; then echo uv
  elif [[ -f poetry.lock ]]; then echo poetry
  elif [[ -f pdm.lock ]]; then echo pdm
  elif [[ -f Pipfile.lock ]]; then echo pipenv
  fi
}

# Refuses a package manager that differs from that of the project; a project without a lock file has none.
compare() {
  [[ -z $2 || $1 == "$2" ]] || refuse "This project uses $2, not $1: another lock file would be written. Use $2."
}
