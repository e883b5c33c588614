//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// writer starts a process that begins a file and a folder and waits to be killed.
func writer(t *testing.T, dir string) (cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), "ATOMICFILE_WRITE="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		_, err = cmd.StdinPipe() // stays open
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestWriterProcess is the process that writer starts.
func TestWriterProcess(t *testing.T) {
	dir := os.Getenv("ATOMICFILE_WRITE")
	if dir == "" {
		t.Skip("is run by others")
	}
	f, err := atomicfile.Create(filepath.Join(dir, "out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := atomicfile.CreateFolder(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path, "part"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Stdout.Write([]byte("."))
	io.Copy(io.Discard, os.Stdin) // until it is killed or the process that started it ends
	f.Abort()
	d.Abort()
}

// names returns the names in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// The next writer of the same name removes the files of a killed writer, and keeps those of a
// running one.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	strangers := []string{".out.csv.tmp-mine", ".out.csv.tmp-ABCDEFGHIJKL", ".other.csv.tmp-ABCDEFGHIJ"}
	for _, name := range strangers {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write := func() {
		t.Helper()
		if err := atomicfile.Write(filepath.Join(dir, "out.csv"), content("new")); err != nil {
			t.Fatal(err)
		}
		d, err := atomicfile.CreateFolder(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		d.Abort()
	}
	cmd := writer(t, dir)
	write()
	if n := len(names(t, dir)); n != len(strangers)+3 {
		t.Errorf("beside a living writer: %v", names(t, dir))
	}
	cmd.Process.Kill()
	cmd.Wait()
	write()
	want := append(slices.Clone(strangers), "out.csv")
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%v is left, want %v", got, want)
	}
}

// RemoveLeft removes the files that no process writes.
func TestRemoveLeft(t *testing.T) {
	dir := t.TempDir()
	cmd := writer(t, dir)
	if err := os.WriteFile(filepath.Join(dir, ".state.json.tmp-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} {
		if err := atomicfile.RemoveLeft(dir); err != nil {
			t.Fatal(err)
		}
		if got := names(t, dir); len(got) != want {
			t.Errorf("%v is left, want %d", got, want)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// Parallel writers of one name never use each other's file.
func TestWritersOfOneName(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := atomicfile.Write(path, content("whole")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := names(t, dir); !slices.Equal(got, []string{"out.csv"}) {
		t.Errorf("%v is left", got)
	}
}

// Discard removes all files that are being written.
func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	d, err := atomicfile.CreateFolder(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Abort()
	atomicfile.Discard()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("%v is left", got)
	}
	if err := f.Commit(); err == nil {
		t.Error("what was discarded is committed")
	}
}

// A folder appears complete.
func TestFolder(t *testing.T) {
	target := filepath.Join(t.TempDir(), "out")
	d, err := atomicfile.CreateFolder(target)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	d.Abort()
	if got := names(t, filepath.Dir(target)); !slices.Equal(got, []string{"out"}) || !slices.Equal(names(t, target), []string{"a"}) {
		t.Errorf("%v", got)
	}
}

// Clean removes the files of killed writers, and keeps those of running ones.
func TestClean(t *testing.T) {
	dir, held := t.TempDir(), t.TempDir()
	for _, name := range []string{".a.csv.tmp-ABCDEFGHIJ", ".lock", "kept", ".b.tmp-short", "c.tmp-ABCDEFGHIJ"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	release, err := atomicfile.Lock(held)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	atomicfile.Clean(dir)
	atomicfile.Clean(held)
	for path, want := range map[string]bool{dir + "/.a.csv.tmp-ABCDEFGHIJ": false, dir + "/.lock": false, dir + "/kept": true, dir + "/.b.tmp-short": true, dir + "/c.tmp-ABCDEFGHIJ": true, held + "/.lock": true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}
