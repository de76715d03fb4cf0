# For scripts that count checks: $work is a folder of their own, removed at the end.
passed=0
failed=0
check() { # name, status
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1"
    fi
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
