#!/usr/bin/env bash
# install.sh PREFIX: installs the release binary, stripped, as PREFIX/bin/rekey.
set -euo pipefail
prefix=${1:?usage: scripts/install.sh PREFIX}
cd "$(dirname "$0")/.."

install -d "$prefix/bin"
install -m 755 .build/release/rekey "$prefix/bin/rekey"
strip "$prefix/bin/rekey"
echo "Installed $prefix/bin/rekey"
