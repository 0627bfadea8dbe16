#!/usr/bin/env bash
# Runs every test: installs what they need, then runs scripts/test-stages.sh beside a private PostgreSQL.
# As root everything after the installing runs as "nobody" on a copy of the tree in a short temporary path:
# PostgreSQL refuses root, and root can't fail a permission test.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != --installed ]; then
  scripts/install-packages.sh test || {
    echo "0 passed, 1 failed"
    exit 1
  }
fi

if [ "$(id -u)" -eq 0 ]; then
  as_nobody=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
  if ! "${as_nobody[@]}" swift --version >/dev/null 2>&1; then
    echo "The user nobody can't run $(command -v swift): install Swift where every user can read it." >&2
    echo "0 passed, 1 failed"
    exit 1
  fi
  copy=$(mktemp -d /tmp/rekey-XXXXXX)
  mkdir "$copy/home" "$copy/tmp" "$copy/tree"
  tar --exclude=./.build --exclude=./.git --exclude=./out -cf - . | tar -xf - -C "$copy/tree"
  chown -R nobody: "$copy"
  cd "$copy/tree"
  exec "${as_nobody[@]}" env HOME="$copy/home" TMPDIR="$copy/tmp" USER=nobody LOGNAME=nobody \
    REKEY_TEST_COPY="$copy" scripts/test.sh --installed
fi

# A job of its own group can be stopped with all its children, whoever of us gets the signal.
set -m
job=
finish() {
  trap '' INT TERM HUP
  if [ -n "$job" ] && kill -TERM -- "-$job" 2>/dev/null; then wait "$job" || true; fi
  if [ -n "${REKEY_TEST_COPY:-}" ]; then
    cd /
    # A compiler on its way out may still write a file.
    rm -rf "$REKEY_TEST_COPY" 2>/dev/null || { sleep 1 && rm -rf "$REKEY_TEST_COPY"; }
  fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

Tests/Support/with-postgres.sh scripts/test-stages.sh </dev/null &
job=$!
status=0
wait "$job" || status=$?
job=
exit "$status"
