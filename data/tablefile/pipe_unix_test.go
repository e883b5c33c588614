//go:build unix

package tablefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// TestPipe reads a table from a named pipe. Recognising the format must not open the pipe.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "edges")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	if tablefile.Recognise(name) {
		t.Error("a pipe without an ending is recognised")
	}
	go func() {
		if w, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			w.Write(manyRows(5000))
			w.Close()
		}
	}()
	r, err := tablefile.OpenPath(name, data.NewBudget(0), tablefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for err == nil {
		if _, err = r.Next(); err == nil {
			rows++
		}
	}
	if rows != 5000 || !strings.HasPrefix(strings.Join(r.Columns(), ","), "source,target") {
		t.Errorf("%d rows, %v, of columns %q", rows, err, r.Columns())
	}
}
