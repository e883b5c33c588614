package memory

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
)

// Peak is the largest amount of memory, in bytes, that the process has held: its peak
// resident set where the system tells (Linux), else what the runtime obtained.
func Peak() int64 {
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

// ResetPeak makes Peak start again, where the system can do so and permits it;
// elsewhere the peak only rises.
func ResetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // an error leaves the peak as it is
}
