# Prints what kind of secret the text on standard input has; fails if it has none.
find_secret() {
  local text kind pattern
  text=$(cat)
  while IFS=: read -r kind pattern; do
    if grep -Eq -e "$pattern" <<<"$text"; then
      printf '%s\n' "$kind"
      return 0
    fi
  done <<'END'
a private key:-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----
an AWS access key:(^|[^A-Za-z0-9])(AKIA|ASIA)[A-Z2-7]{16}([^A-Za-z0-9]|$)
a GitHub token:(^|[^A-Za-z0-9])(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22})
a GitLab token:(^|[^A-Za-z0-9])gl(pat|rt|dt)-[A-Za-z0-9_-]{20}
a Slack token:(^|[^A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10}
a Stripe key:(^|[^A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16}
an API key of a model:(^|[^A-Za-z0-9])sk-(ant-|proj-|or-)?[A-Za-z0-9_-]{32}
a Google API key:(^|[^A-Za-z0-9])AIza[A-Za-z0-9_-]{35}
an npm token:(^|[^A-Za-z0-9])npm_[A-Za-z0-9]{36}
a PyPI token:(^|[^A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{50}
a JSON web token:(^|[^A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,}[.]eyJ[A-Za-z0-9_-]{10,}[.][A-Za-z0-9_-]{10}
a password in a URL:[a-z][a-z0-9+.-]*[:]//[^/@:[:space:]$<{*]*[:][^/@[:space:]$<{*]{3,}@[A-Za-z0-9]
END
  return 1
}
