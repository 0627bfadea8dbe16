#!/usr/bin/env bash
# Shows rekey on samples/users.csv: a dry run, a run and an audit of what it wrote, all below out/.
# REKEY_BINARY names another binary than the one that make built.
set -euo pipefail
cd "$(dirname "$0")/.."

rekey=${REKEY_BINARY:-$PWD/.build/release/rekey}
rekey() { "$rekey" "$@"; }
# say TEXT: a heading. show COMMAND: prints the command as one would type it, then runs it.
say() { printf '\n# %s\n' "$1"; }
show() {
  printf '$ %s\n' "$1"
  eval "$1"
}

mkdir -p out
rm -f out/users.csv out/users-csv*.jsonl

say "24 users, their tokens and two-factor secrets sealed by Laravel under two old keys. What would a run do?"
show "rekey run --dry-run pipelines/users-csv.yaml"
say "Re-key the file. What no key opens is left as it is, and said."
show "rekey run pipelines/users-csv.yaml"
say "Can the old keys go? The audit reads the new file."
show "rekey audit --output pipelines/users-csv.yaml"
say "Every other cell is untouched:"
show "diff <(cut -d, -f1,2 samples/users.csv) <(cut -d, -f1,2 out/users.csv) && echo same"

cat <<'END'

The new file is out/users.csv; out/users-csv.jsonl logs every value that isn't plainly fine.
What was run is pipelines/users-csv.yaml; pipelines/users-postgres.yaml does the same to a table in place.
END
