package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var (
	smallOnce sync.Once
	smallPath string
)

// smallRun is a run on the small set that is trained once. Tests must not change it.
func smallRun(t *testing.T) string {
	t.Helper()
	smallOnce.Do(func() {
		path := filepath.Join(shared, "SMALL")
		small(t).write(t, path)
		dir := filepath.Join(shared, "small-run")
		succeed(t, append([]string{"train", path, "--out", dir}, tiny...)...)
		smallPath = dir
	})
	if smallPath == "" {
		t.Fatal("the run that tests share failed")
	}
	return smallPath
}

// listing describes the files of a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}

func itoa(n int) string { return strconv.Itoa(n) }
