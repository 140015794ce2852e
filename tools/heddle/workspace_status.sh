#!/bin/bash
# Build stamp for `heddle --version`:
#   bazel build --workspace_status_command=tools/heddle/workspace_status.sh ...
revision=$(git rev-parse --short=12 HEAD 2> /dev/null) || exit 0
git diff --quiet HEAD -- 2> /dev/null || revision="$revision+changes"
echo "STABLE_HEDDLE_REVISION $revision"
