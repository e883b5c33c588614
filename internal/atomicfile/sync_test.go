package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Within Unsynced files are not synced: a closed file, which cannot be synced, is no error.
func TestUnsynced(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	ends := []func(){Unsynced(), Unsynced()}
	for _, end := range ends {
		if err := synced(f); err != nil {
			t.Errorf("a file is synced: %v", err)
		}
		end()
	}
	if synced(f) == nil {
		t.Error("no file is synced after the end of Unsynced")
	}
}
