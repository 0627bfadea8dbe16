#!/usr/bin/env bash
# The stages of `make test`, run by scripts/test.sh beside a PostgreSQL that REKEY_TEST_DATABASE_URL names.
# Each prints its seconds; the last line is the count over all of them. A stage that runs Swift tests counts each
# test, any other counts as one.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

: "${REKEY_TEST_DATABASE_URL:?run make test, which starts a server}"
export REKEY_BINARY="$PWD/.build/release/rekey"

stage_seconds=600
logs=$(mktemp -d)
passed=0
failed=0
set -m
job=
finish() {
  trap '' INT TERM HUP
  # SIGINT, since SwiftPM stops the compilers it started on that signal alone.
  if [ -n "$job" ] && kill -INT -- "-$job" 2>/dev/null; then wait "$job"; fi
  rm -rf "$logs"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run COMMAND…: runs it as a job that a signal to this script stops as well; its output goes to $log.
run() {
  timeout -k 10 "$stage_seconds" "$@" >"$log" 2>&1 </dev/null &
  job=$!
  local status=0
  wait "$job" || status=$?
  job=
  [ "$status" -ne 124 ] || echo "stopped after $stage_seconds seconds" >>"$log"
  return "$status"
}

# stage NAME COMMAND…: runs a stage that passes or fails as a whole.
stage() {
  local name=$1 started=$SECONDS verdict=ok
  shift
  log="$logs/$name"
  if run "$@"; then
    passed=$((passed + 1))
  else
    verdict=FAILED
    failed=$((failed + 1))
    cat "$log"
  fi
  printf '%-24s %4d s  %s\n' "$name" "$((SECONDS - started))" "$verdict"
  [ "$verdict" = ok ]
}

# swift_tests NAME COMMAND…: runs a stage that is a run of Swift Testing, and counts its tests.
swift_tests() {
  local name=$1 started=$SECONDS status=0 total bad skipped good
  shift
  log="$logs/$name"
  run "$@" || status=$?
  total=$(sed -nE 's/^[^ ]+ Test run with ([0-9]+) tests? .*/\1/p' "$log" | tail -n 1)
  bad=$(grep -E '^[^ ]+ Test .* failed after ' "$log" | grep -cvE '^[^ ]+ Test run with ')
  skipped=$(grep -cE '^[^ ]+ Test .* skipped' "$log")
  # A run that crashed has no total, and one that found no test has tested nothing.
  if [ "${total:-0}" -eq 0 ] || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then bad=$((bad + 1)); fi
  good=$((${total:-0} > bad + skipped ? total - bad - skipped : 0))
  passed=$((passed + good))
  failed=$((failed + bad))
  if [ "$bad" -gt 0 ]; then grep -vE '^[^ ]+ (Test|Suite) .* (started|passed after.*)\.$' "$log" | tail -n 200; fi
  printf '%-24s %4d s  %d passed, %d failed, %d skipped\n' \
    "$name" "$((SECONDS - started))" "$good" "$bad" "$skipped"
}

stage lint scripts/lint.sh
if stage build-debug scripts/build-tests.sh; then
  swift_tests unit-tests swift test --skip-build --skip ScenarioTests
fi
if stage build-release scripts/build-release.sh; then
  stage install scripts/check-install.sh
  swift_tests scenario-tests swift test --skip-build --filter ScenarioTests
fi
swift_tests thread-sanitizer scripts/test-threads.sh

printf '%-24s %4d s\n' "in all" "$SECONDS"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
