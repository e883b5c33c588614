package atomicfile_test

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// A limit on file sizes stops a write in the middle, like a full disk.
func TestAppendCutsOffAHalfWrittenLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	l, err := atomicfile.OpenLines(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append("one"); err != nil {
		t.Fatal(err)
	}

	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: old.Max}); err != nil {
		t.Skip("cannot limit file sizes:", err)
	}
	err = l.Append(strings.Repeat("x", 200))
	if rerr := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); rerr != nil {
		t.Fatal(rerr)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("error is %v, want EFBIG", err)
	}

	if err := l.Append("two"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "\"one\"\n\"two\"\n" {
		t.Errorf("file holds %q, want the two whole lines", got)
	}
}
