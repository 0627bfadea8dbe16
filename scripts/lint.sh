#!/usr/bin/env bash
# Checks what the compiler doesn't: format, layers, file lengths, unfinished work, shell scripts.
set -eu
shopt -s lastpipe  # so that "… | refuse" can set `failed`
cd "$(dirname "$0")/.."

failed=0
# refuse PROBLEM: reports the lines on standard input, if any, as a problem.
refuse() {
  local found
  found=$(cat)
  [ -n "$found" ] || return 0
  printf '%s\n' "lint: $1:" "$found" >&2
  failed=1
}
# imports MODULES PATH…: the lines that import one of MODULES (a|b) below PATH….
imports() {
  grep -rnE --include='*.swift' "^[^/]*\bimport (struct |class |enum |func |protocol |typealias |var |let )?($1)\b" \
    "${@:2}" || true
}

if swift format --version >/dev/null 2>&1; then
  swift format lint --strict -p -r Sources Tests Package.swift || failed=1
else
  echo "lint: swift format is not installed; skipped" >&2
fi

imports COpenSSL Sources Tests | grep -v '^Sources/LaravelEncryption/OpenSSL/' |
  refuse "COpenSSL is imported outside Sources/LaravelEncryption/OpenSSL"
imports CVectors Sources Tests | grep -v '^Sources/LaravelEncryption/Vectors/' |
  refuse "CVectors is imported outside Sources/LaravelEncryption/Vectors"
imports CLibPQ Sources Tests | grep -v '^Sources/Postgres/' | refuse "CLibPQ is imported outside Sources/Postgres"
imports CLibYAML Sources Tests | grep -v '^Sources/YAML/' | refuse "CLibYAML is imported outside Sources/YAML"

leaves=(LaravelEncryption Pipeline CSV YAML Postgres)
for leaf in "${leaves[@]}"; do
  others=$(printf '%s\n' "${leaves[@]}" RekeyKit | grep -vx "$leaf" | paste -sd '|')
  imports "$others" "Sources/$leaf" | refuse "a leaf imports another target"
done

find Sources -name '*.swift' -exec awk 'END { if (NR > 400) print FILENAME ": " NR " lines" }' {} \; |
  refuse "files over 400 lines"
grep -rnE --include='*.swift' --include='*.php' --include='*.sh' '\b(TODO|FIXME)\b' Sources Tests Package.swift | refuse "unfinished work"

if command -v shellcheck >/dev/null; then
  find scripts .ci Tests -type f \( -name '*.sh' -o -path '.ci/run' \) -exec shellcheck -e SC2317 {} + ||
    failed=1  # SC2317: it takes the functions that a trap calls for unreachable
else
  echo "lint: shellcheck is not installed; skipped" >&2
fi

exit "$failed"
