// Package memory returns the amount of free memory, and sets how far the heap grows before a
// garbage collection.
package memory

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Free returns the available memory of the system, or what the control group or the limit of the
// address space (ulimit -v) leaves if that is less. It returns 0 if all are unknown.
func Free() int64 {
	free := int64(math.MaxInt64)
	text, _ := os.ReadFile("/proc/meminfo") // if it cannot be read, free memory is unknown
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemAvailable:" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				free = n << 10
			}
		}
	}
	group := func(name string) (int64, bool) {
		text, err := os.ReadFile("/sys/fs/cgroup/" + name)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
		return n, err == nil
	}
	if limit, ok := group("memory.max"); ok {
		used, _ := group("memory.current")
		stat, _ := os.ReadFile("/sys/fs/cgroup/memory.stat")
		free = min(free, max(limit-used+cached(string(stat)), 1))
	}
	var space syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &space); err == nil && uint64(space.Cur) < math.MaxInt64 {
		free = min(free, max(int64(space.Cur)-mapped(), 1))
	}
	if free == math.MaxInt64 {
		return 0
	}
	return free
}

// mapped returns the size of the process's address space.
func mapped() int64 {
	text, _ := os.ReadFile("/proc/self/statm")
	size, _, _ := strings.Cut(string(text), " ")
	pages, _ := strconv.ParseInt(size, 10, 64) // if it cannot be read, the whole limit counts as free
	return pages * int64(os.Getpagesize())
}

// cached returns the memory of a control group that caches files, which the system frees when
// needed. stat is the content of memory.stat.
func cached(stat string) int64 {
	var sum int64
	for line := range strings.Lines(stat) {
		if f := strings.Fields(line); len(f) == 2 && (f[0] == "active_file" || f[0] == "inactive_file") {
			n, _ := strconv.ParseInt(f[1], 10, 64) // text that is no number counts as 0
			sum += n
		}
	}
	return sum
}
