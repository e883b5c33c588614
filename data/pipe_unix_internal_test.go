//go:build unix

package data

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSilentPipe: a pipe that nobody writes to ends with an error.
func TestSilentPipe(t *testing.T) {
	defer func(d time.Duration) { pipeWait = d }(pipeWait)
	pipeWait = 20 * time.Millisecond
	dir := t.TempDir()
	name := filepath.Join(dir, "T_A.txt")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	defer func() { // lets the opening that waits go on
		if w, err := os.OpenFile(name, os.O_RDWR, 0); err == nil {
			w.Close()
		}
	}()
	if err := os.WriteFile(filepath.Join(dir, "T_graph_indicator.txt"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if IsArchive(name) {
		t.Error("a pipe is an archive")
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "is a pipe that nobody has written to") {
		t.Errorf("error %v", err)
	}
}
