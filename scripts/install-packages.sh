#!/usr/bin/env bash
# install-packages.sh build|test: installs the Debian packages that are missing, as root or through sudo.
# Without anything missing it needs neither root nor a network. Elsewhere it names what to install.
set -euo pipefail

packages=(libssl-dev libpq-dev libyaml-dev pkg-config)
case "${1:-}" in
  build) ;;
  test) packages+=(postgresql postgresql-contrib php-cli php-illuminate-encryption shellcheck) ;;
  *)
    echo "usage: scripts/install-packages.sh build|test" >&2
    exit 2
    ;;
esac

if ! command -v swift >/dev/null; then
  echo "Swift 6.2 or newer is needed: see https://www.swift.org/install, and have 'swift' on the PATH." >&2
  exit 1
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  # Not Debian: look for the libraries themselves.
  if [ "$1" = build ] && pkg-config --exists libcrypto libpq yaml-0.1 2>/dev/null; then exit 0; fi
  echo "Install OpenSSL 3, libpq and libyaml with their headers, and pkg-config." >&2
  if [ "$1" = test ]; then
    echo "The tests run on Debian: they also need PostgreSQL, the PHP command line and Illuminate\\Encryption." >&2
  fi
  exit 1
fi

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ "${#missing[@]}" -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing Debian packages. As root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# The tests start a server of their own; the package's should not be created beside it.
no_cluster=/etc/postgresql-common/createcluster.d/rekey.conf
if [[ " ${missing[*]} " == *" postgresql "* ]] && ! is_installed postgresql-common; then
  trap '"${as_root[@]}" rm -f "$no_cluster"' EXIT
  "${as_root[@]}" mkdir -p "${no_cluster%/*}"
  echo "create_main_cluster = false" | "${as_root[@]}" tee "$no_cluster" >/dev/null
fi

echo "Installing ${missing[*]}"
log=$(mktemp)
if ! {
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
} >"$log" 2>&1 </dev/null; then
  tail -n 20 "$log" >&2
  echo "apt-get failed; the whole log is in $log" >&2
  exit 1
fi
rm -f "$log"
