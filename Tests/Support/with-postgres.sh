#!/usr/bin/env bash
# with-postgres.sh COMMAND…: starts a private PostgreSQL in a temporary folder, runs COMMAND with PGHOST, PGPORT,
# PGUSER, PGDATABASE and REKEY_TEST_DATABASE_URL set, stops and removes the server, and exits as COMMAND did.
set -u

die() {
  printf 'with-postgres.sh: %s\n' "$1" >&2
  exit 1
}

[ $# -gt 0 ] || die "usage: with-postgres.sh COMMAND…"
[ "$(id -u)" -ne 0 ] || die "PostgreSQL refuses to run as root: run this as another user"

bin=
for folder in /usr/lib/postgresql/*/bin; do
  [ -x "$folder/initdb" ] && bin=$folder
done
[ -n "$bin" ] || die "no PostgreSQL server in /usr/lib/postgresql: install Debian's package postgresql"

# A unix socket's path has at most 107 bytes, so the folder is a short one.
home=$(mktemp -d /tmp/rekey-pg.XXXXXX) || die "no temporary folder"
child=
cleanup() {
  trap '' INT TERM HUP
  [ -f "$home/data/postmaster.pid" ] && "$bin/pg_ctl" -D "$home/data" -m immediate -w stop >/dev/null 2>&1
  rm -rf "$home"
}
# The command has a process group of its own (set -m), so that it gets a signal once, and SIGINT isn't ignored in it
# as it is in a plain background job.
forward() {
  [ -n "$child" ] && kill -"$1" -- "-$child" 2>/dev/null && wait "$child"
  exit "$2"
}
trap cleanup EXIT
trap 'forward INT 130' INT
trap 'forward TERM 143' TERM
trap 'forward HUP 129' HUP

"$bin/initdb" -D "$home/data" -U rekey_test -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$home/initdb.log" 2>&1 || {
  cat "$home/initdb.log" >&2
  die "initdb failed"
}

# Another process may take the port between the choice and the start: then the next one is tried.
started=
for _ in 1 2 3 4 5; do
  port=$((20000 + RANDOM % 12000))
  "$bin/pg_ctl" -D "$home/data" -l "$home/server.log" -w -t 60 \
    -o "-p $port -k $home -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=100" start >/dev/null 2>&1 &&
    started=yes && break
done
[ -n "$started" ] || {
  cat "$home/server.log" >&2
  die "the server did not start"
}

export PGHOST=$home PGPORT=$port PGUSER=rekey_test PGDATABASE=rekey_test
export REKEY_TEST_DATABASE_URL="postgresql://rekey_test@127.0.0.1:$port/rekey_test"
"$bin/createdb" rekey_test || die "createdb failed"

set -m
"$@" &
child=$!
wait "$child"
exit $?
