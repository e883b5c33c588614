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

// Processor is the processor time that this process has taken.
func Processor() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ClearPeak has Peak count from here, where the system can.
func ClearPeak() {
	debug.FreeOSMemory()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Peak is the greatest memory that this process has had, in 10^6 bytes; 0 where the system does
// not say it.
func Peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	if m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); m != nil {
		kb, _ := strconv.ParseFloat(string(m[1]), 64)
		return kb * 1024 / 1e6
	}
	return 0
}
