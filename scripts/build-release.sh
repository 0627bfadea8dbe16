#!/usr/bin/env bash
# Builds .build/release/rekey. Swift's libraries are linked in, so that the binary runs where Swift is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --static-swift-stdlib --product rekey
