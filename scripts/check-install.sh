#!/usr/bin/env bash
# Installs the built binary in a temporary prefix and checks that it runs without Swift: it may need OpenSSL, libpq,
# libyaml and the system's C and C++ runtime, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
scripts/install.sh "$prefix" >/dev/null

needed=$(objdump -p "$prefix/bin/rekey" | awk '$1 == "NEEDED" { print $2 }')
allowed='^(libcrypto|libpq|libyaml-0|libc|libm|libstdc\+\+|libgcc_s|ld-linux-[a-z0-9-]+)\.so\.'
if others=$(grep -vE "$allowed" <<<"$needed"); then
  echo "the installed binary needs more than it should:" "$others" >&2
  exit 1
fi
for library in libcrypto libpq libyaml; do
  if ! grep -q "^$library" <<<"$needed"; then
    echo "the installed binary doesn't link $library" >&2
    exit 1
  fi
done

if ! version=$(env -i PATH=/nonexistent LD_LIBRARY_PATH= "$prefix/bin/rekey" --version) || [[ $version != rekey* ]]; then
  echo "the installed binary doesn't run by itself: rekey --version said '$version'" >&2
  exit 1
fi
echo "installed and run: $version"
