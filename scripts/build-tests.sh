#!/usr/bin/env bash
# Builds everything for debugging with its tests. A target that imports one it doesn't name is an error, which holds
# the layers (docs/why-layers.md).
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --build-tests --explicit-target-dependency-import-check error
