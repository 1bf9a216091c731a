# shellcheck shell=bash disable=SC2034
# Sourced by examples/try and tests/run: installs missing Debian packages and says how many jobs a build may use.

say() {
    printf '\n== %s\n' "$*"
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# What a build needs, and what only the tests need (OpenCV is the reference they compare with).
build_packages=(g++ cmake ninja-build libboost-dev nlohmann-json3-dev libcli11-dev libpng-dev libjpeg-dev libwebp-dev)
test_packages=(libboost-test-dev libopencv-dev libopencv-contrib-dev opencv-data abigail-tools pkgconf
    pocl-opencl-icd ocl-icd-libopencl1 opencl-c-headers oclgrind
    python3 python3-numpy python3-pil python3-opencv python3-pip python3-setuptools python3-venv python3-wheel
    xvfb xauth x11-apps scrot python3-tk)
# os-autoinst brings QEMU and Tesseract along, some 300 MB; without it its tests are skipped.
os_autoinst_packages=(os-autoinst libcpanel-json-xs-perl libtime-moment-perl libmojo-ioloop-readwriteprocess-perl
    libjson-validator-perl liblist-moreutils-perl libyaml-libyaml-perl libfile-map-perl tigervnc-standalone-server
    iproute2)

# install_missing PACKAGE...: asks the network for nothing when all are installed.
install_missing() {
    if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
        printf 'This is no Debian system. Needed are, by their Debian names: %s\n' "$*"
        need_tools "$@"
        return
    fi
    local installed package missing=() root=()
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2> /dev/null | sed -n 's/^installed //p' || true)
    for package in "$@"; do
        grep -qxF -- "$package" <<< "$installed" || missing+=("$package")
    done
    if [[ ${#missing[@]} -eq 0 ]]; then
        return
    fi
    if [[ $(id -u) -ne 0 ]]; then
        if ! command -v sudo > /dev/null; then
            printf 'These packages are missing, and installing them takes root or sudo: %s\n' "${missing[*]}"
            need_tools "$@"
            return
        fi
        root=(sudo)
    fi
    say "Installing ${missing[*]}"
    # One unreachable archive need not matter: whether the packages can be had shows in the next step.
    "${root[@]}" apt-get update || printf 'apt-get update failed; going on with the package lists at hand.\n'
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" ||
        fail "apt-get could not install ${missing[*]}; see its message above."
}

# Without the tools of a build there is no point in going on; a missing library is named by CMake.
need_tools() {
    local tool
    for tool in c++ cmake ninja; do
        command -v "$tool" > /dev/null || fail "$tool is missing; install these packages first: $*"
    done
}

# One job a processor, and about 1.5 GB of memory a job.
build_jobs() {
    local jobs memory limit
    jobs=$(nproc)
    memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2> /dev/null || true)
    limit=$(cat /sys/fs/cgroup/memory.max 2> /dev/null || true)  # of a container, in bytes, or "max"
    if [[ $limit =~ ^[0-9]+$ ]] && [[ -z $memory || $((limit / 1024)) -lt $memory ]]; then
        memory=$((limit / 1024))
    fi
    if [[ -n $memory && $((memory / 1500000)) -lt $jobs ]]; then
        jobs=$((memory / 1500000))
    fi
    printf '%s\n' "$((jobs > 1 ? jobs : 1))"
}
