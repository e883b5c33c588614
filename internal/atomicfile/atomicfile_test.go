package atomicfile_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

func content(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// wantFile checks the content of a file and the names of all files in its folder, so no temporary
// file is left.
func wantFile(t *testing.T, path, want string, folder ...string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds %q, want %q", filepath.Base(path), got, want)
	}
	wantFolder(t, filepath.Dir(path), folder...)
}

func wantFolder(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("folder holds %v, want %v", got, names)
	}
}

func TestWriteCreatesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, s := range []string{"first", "", strings.Repeat("long ", 100_000), "last"} {
		if err := atomicfile.Write(path, content(s)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, s, "f")
	}
}

func TestWriteKeepsOldContentOnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := atomicfile.Write(path, content("old")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := atomicfile.Write(path, func(w io.Writer) error {
		if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
			t.Error(err)
		}
		wantFolderHasTemp(t, filepath.Dir(path))
		return boom
	})
	if err != boom {
		t.Errorf("error is %v, want boom as it is", err)
	}
	wantFile(t, path, "old", "f")
}

// wantFolderHasTemp checks that there is a temporary file. Without one, the tests of removing such
// files would always pass.
func wantFolderHasTemp(t *testing.T, dir string) {
	t.Helper()
	if m, _ := filepath.Glob(filepath.Join(dir, ".f.tmp-*")); len(m) != 1 {
		t.Errorf("%d temporary files while writing, want 1", len(m))
	}
}

func TestWriteCleansUpAfterPanic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not reach the caller")
			}
		}()
		atomicfile.Write(path, func(w io.Writer) error {
			wantFolderHasTemp(t, filepath.Dir(path))
			panic("bug")
		})
	}()
	wantFolder(t, filepath.Dir(path))
}

func TestOldContentIsThereUntilCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := atomicfile.Write(path, content("old")); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if _, err := io.WriteString(f, "new"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("before Commit the file holds %q, want old", got)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort() // must not remove anything
	wantFile(t, path, "new", "f")
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Commit: %v, want ErrClosed", err)
	}
	if _, err := f.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Commit: %v, want ErrClosed", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct{ path, want string }{
		"a folder":         {dir, "is a folder"},
		"a missing folder": {filepath.Join(dir, "none", "f"), filepath.Join(dir, "none", "f") + ": no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			err := atomicfile.Write(tc.path, func(io.Writer) error {
				t.Error("the writer was called")
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "atomicfile: "+tc.path) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
	wantFolder(t, dir)
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := atomicfile.Write(path, content("a")); err != nil {
		t.Fatal(err)
	}
	// The expected mode depends on the umask. A plainly written file shows it.
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wantMode(t, path, mode(t, plain))
	for _, m := range []fs.FileMode{0o600, 0o666, 0o755} {
		if err := os.Chmod(path, m); err != nil {
			t.Fatal(err)
		}
		if err := atomicfile.Write(path, content("b")); err != nil {
			t.Fatal(err)
		}
		wantMode(t, path, m)
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	if got := mode(t, path); got != want {
		t.Errorf("mode %o, want %o", got, want)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	link := filepath.Join(dir, "link")
	if err := atomicfile.Write(target, content("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := atomicfile.Write(link, content("new")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, target, "new", "link", "target")
	if got, err := os.Readlink(link); err != nil || got != "target" {
		t.Errorf("the link is %q, %v, want target", got, err)
	}
}

func TestDevicesAreWrittenInPlace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	if err := atomicfile.Write("/dev/null", content("x")); err != nil {
		t.Error(err)
	}
	if err := atomicfile.Write("/dev/full", content("x")); err == nil {
		t.Error("a full device was written without an error")
	}
	for _, path := range []string{"/dev/null", "/dev/full"} {
		if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeDevice == 0 {
			t.Errorf("%s is no device any more: %v", path, err)
		}
	}
}
