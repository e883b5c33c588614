//go:build unix

package tables_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// TestPipe reads tables from named pipes: CSV as a stream, and Parquet not at all.
func TestPipe(t *testing.T) {
	pipe := func(t *testing.T, text string) string {
		name := filepath.Join(t.TempDir(), "edges.csv")
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skip(err)
		}
		go func() {
			if w, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
				_, _ = w.WriteString(text) // a reader may stop before the end
				w.Close()
			}
		}()
		return name
	}
	for _, of := range []func(string) string{filepath.Dir, func(name string) string { return name }} {
		path := of(pipe(t, "source,target\na,b\nb,c\n"))
		if !tables.Recognise(path) {
			t.Errorf("%s is not recognised", filepath.Base(path))
		}
		s, err := tables.Open(path, tables.Options{})
		if err != nil || s.NumEdges() != 2 {
			t.Errorf("%v, %v", s, err)
		}
	}
	if _, err := tables.Open(pipe(t, "PAR1\x15\x04\x15\x00"), tables.Options{}); err == nil || !strings.Contains(err.Error(), "is a pipe or a device, which Parquet cannot be read from") {
		t.Errorf("error %v", err)
	}
}
