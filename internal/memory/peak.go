package memory

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
)

// Peak returns the largest memory of the process so far, in bytes: its peak resident set if the
// system tells it (Linux), otherwise the memory that the runtime obtained.
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

// ResetPeak resets Peak, if the system supports and permits it. On other systems the peak only
// grows.
func ResetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // after an error the peak stays as it is
}
