#!/usr/bin/env bash
# Runs the pipeline's tests under ThreadSanitizer. They are built as a package of their own, since SwiftPM would
# build every test target again for one of them.
set -euo pipefail
cd "$(dirname "$0")/.."

package=$PWD/.build/threads-package
mkdir -p "$package"
cat >"$package/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "threads",
  targets: [
    .target(name: "Pipeline", path: "Sources/Pipeline"),
    .testTarget(name: "PipelineTests", dependencies: ["Pipeline"], path: "Tests/PipelineTests"),
  ],
  swiftLanguageModes: [.v6]
)
EOF
ln -sfn "$PWD/Sources" "$package/Sources"
ln -sfn "$PWD/Tests" "$package/Tests"

swift test --package-path "$package" --scratch-path .build/threads --sanitize=thread
