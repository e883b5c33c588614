// Package realdata finds the real data sets for tests. They are not part of the repository, so a
// test that needs missing data is skipped.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the data folder: $EHGNN_DATA, or ../shared/data next to the repository. If there is
// none, the test is skipped. With EHGNN_REQUIRE_DATA=1 it fails instead, so that a gate cannot pass
// without testing.
func Dir(t testing.TB) string {
	t.Helper()
	dir, tried := find()
	if dir != "" {
		return dir
	}
	const message = "no real data: set EHGNN_DATA to the data folder (tried %q)"
	if os.Getenv("EHGNN_REQUIRE_DATA") == "1" {
		t.Fatalf(message, tried)
	}
	t.Skipf(message, tried)
	return ""
}

// Exists returns the path of a file or folder in the data folder, and whether it exists.
func Exists(elem ...string) (path string, ok bool) {
	dir, _ := find()
	path = filepath.Join(append([]string{dir}, elem...)...)
	_, err := os.Stat(path)
	return path, dir != "" && err == nil
}

// given is $EHGNN_DATA at the start of the tests. Some tests set another value for the program that
// they run.
var given = os.Getenv("EHGNN_DATA")

// find returns the data folder, or "" and the folders that it tried.
func find() (dir string, tried []string) {
	if given != "" {
		tried = append(tried, given)
	}
	if root, ok := repository(); ok {
		tried = append(tried, filepath.Join(root, "..", "shared", "data"))
	}
	for _, dir := range tried {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, tried
		}
	}
	return "", tried
}

// Path returns the path of a file or folder in the data folder. If it is missing, the test is
// skipped or fails, as in Dir.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{Dir(t)}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("EHGNN_REQUIRE_DATA") == "1" {
			t.Fatalf("no real data: %v", err)
		}
		t.Skipf("no real data: %v", err)
	}
	return path
}

// repository returns the folder of the main module: the nearest folder above with a go.mod. Tests
// run in the folder of their package.
func repository() (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
