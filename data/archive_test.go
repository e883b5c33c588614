package data_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

// tarred is files as a tar, each name followed by its text; a name that ends in / is a
// folder, one in @ a link.
func tarred(t testing.TB, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		name, text := entries[i], entries[i+1]
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}
		switch {
		case strings.HasSuffix(name, "/"):
			h.Typeflag = tar.TypeDir
		case strings.HasSuffix(name, "@"):
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, text, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(w, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeFile(t *testing.T, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTar: a set in a tar is the set in a folder.
func TestTar(t *testing.T) {
	want, err := data.Read(toy.fs(), data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	entries := []string{"T/", "", "T/link@", "T_A.txt"}
	for name, text := range toy {
		entries = append(entries, "./"+name, text)
	}
	plain := tarred(t, entries...)
	for name, text := range map[string][]byte{"toy.tar": plain, "toy.tar.gz": []byte(gz(string(plain))), "toy.TGZ": []byte(gz(string(plain))), "toy": plain} {
		file := writeFile(t, name, text)
		got, err := data.Open(file, data.Options{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v: another set", name, err)
		}
		if !data.IsArchive(file) {
			t.Errorf("%s is no archive", name)
		}
		list, err := data.ListArchive(file)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := fs.Stat(list, "T/T_A.txt"); err != nil || info.Size() != 0 || list.Name != "toy" {
			t.Errorf("%s: list of %q: %v, %v", name, list.Name, info, err)
		}
		if err := list.Close(); err != nil {
			t.Error(err)
		}
	}
	zip := writeFile(t, "toy.zip", toy.zipped(t))
	if got, err := data.Open(zip, data.Options{}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("zip: %v", err)
	}
}

func TestArchiveErrors(t *testing.T) {
	long := strings.Repeat("1\n", 1<<16)
	for _, c := range []struct {
		name, file string
		text       []byte
		want       string
	}{
		{"escape", "x.tar", tarred(t, "../T_A.txt", "1 2"), `data: x.tar: file "../T_A.txt" is not inside the archive`},
		{"absolute", "x.tar", tarred(t, "/T_A.txt", "1 2"), `file "/T_A.txt" is not inside the archive`},
		{"other separator", "x.tar", tarred(t, `T\..\T_A.txt`, "1 2"), "is not inside the archive"},
		{"twice", "x.tar", tarred(t, "T_A.txt", "1 2", "./T_A.txt", "2 1"), `file "T_A.txt" is there twice`},
		{"too large", "x.tgz", []byte(gz(string(tarred(t, "T_A.txt", long)))), "raise it with --max-memory"},
		{"cut off", "x.tar", tarred(t, "T_A.txt", long)[:4000], `file "T_A.txt" is not readable: unexpected EOF`},
		{"no tar", "x.tgz", []byte(gz("hello")), "is not readable as a tar"},
		{"no archive", "x.txt", []byte("hello"), "no data set recognised: expected a zip or a tar"},
		{"broken gzip", "x.tgz", []byte("\x1f\x8bhello"), "no data set recognised"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := data.OpenArchive(writeFile(t, c.file, c.text), data.NewBudget(1<<16))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if c.name == "too large" && !errors.Is(err, data.ErrTooLarge) {
				t.Errorf("error %v does not wrap ErrTooLarge", err)
			}
		})
	}
	if _, err := data.OpenArchive("absent.tar", data.NewBudget(0)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if _, err := data.OpenArchive(writeFile(t, "x.tar", tarred(t)), data.NewBudget(-1)); err == nil {
		t.Error("a negative bound is accepted")
	}
	if data.IsArchive(t.TempDir()) || data.IsArchive("absent.zip") {
		t.Error("a folder, or no file, is an archive")
	}
}
