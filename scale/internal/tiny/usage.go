//go:build unix

package tiny

import (
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

// Processor returns the processor time of this process.
func Processor() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ClearPeak resets Peak, if the system supports it.
func ClearPeak() {
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Peak returns the largest memory of this process so far, in 10^6 bytes; 0 if the system does not
// tell.
func Peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	if m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); m != nil {
		kb, _ := strconv.ParseFloat(string(m[1]), 64)
		return kb * 1024 / 1e6
	}
	return 0
}
