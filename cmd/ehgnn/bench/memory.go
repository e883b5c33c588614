package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
)

// PeakMemory is the most memory the process has held, in bytes: the peak of its
// resident set where the system tells (Linux), else what the runtime obtained.
func PeakMemory() int64 {
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var kib int64
			if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); n == 1 {
				return kib << 10
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

// resetPeakMemory makes PeakMemory begin anew, where the system can do that and
// lets the process; elsewhere peaks only rise.
func resetPeakMemory() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // nothing is lost without it
}
