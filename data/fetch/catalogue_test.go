package fetch_test

import (
	"archive/zip"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/fetch"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

func TestCatalogue(t *testing.T) {
	names, urls := map[string]bool{}, map[string]bool{}
	hash := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for _, s := range fetch.Catalogue() {
		if names[strings.ToLower(s.Name)] {
			t.Errorf("%s is listed twice", s.Name)
		}
		names[strings.ToLower(s.Name)] = true
		if s.Kind == "" || s.Licence == "" || s.Graphs < 1 || (s.Classes == 0) == (s.Targets == 0) {
			t.Errorf("%+v is incomplete", s)
		}
		if u, err := url.Parse(s.Source); err != nil || u.Scheme != "https" {
			t.Errorf("%s: source %s", s.Name, s.Source)
		}
		for _, f := range s.Files {
			u, err := url.Parse(f.URL)
			if err != nil || u.Scheme != "https" || u.Host == "" || urls[f.URL] {
				t.Errorf("%s: URL %s, %v", s.Name, f.URL, err)
			}
			urls[f.URL] = true
			if (f.SHA256 == "") != (f.Size == 0) || f.SHA256 != "" && !hash.MatchString(f.SHA256) {
				t.Errorf("%s: checksum %q, size %d", f.URL, f.SHA256, f.Size)
			}
			if (f.Size == 0) != (f.MaxSize > 0) || f.MaxSize > 128<<20 {
				t.Errorf("%s: size %d, at most %d", f.URL, f.Size, f.MaxSize)
			}
			if f.SHA256 == "" && strings.Contains(f.Path, "10fold") {
				t.Errorf("%s has no checksum", f.URL)
			}
		}
		got, ok := fetch.Lookup(strings.ToUpper(s.Name))
		if !ok || got.Name != s.Name {
			t.Errorf("%s is not found by name", s.Name)
		}
	}
	for name, want := range map[string]string{"HIV": "ogbg_molhiv", "ogbg-moltox21": "ogbg_moltox21", "imdb_binary": "IMDB-BINARY", "tu/AIDS": "AIDS", "Cora": "cora"} {
		if s, ok := fetch.Lookup(name); !ok || s.Name != want {
			t.Errorf("%s finds %q, want %s", name, s.Name, want)
		}
	}
	for _, name := range []string{"", "MUTA", "tu/", "tu/../x", "tu/a b"} {
		if s, ok := fetch.Lookup(name); ok {
			t.Errorf("%q finds %s", name, s.Name)
		}
	}
}

// TestRealCatalogue compares the catalogue with the real data: the numbers with
// those that are read, the checksums with the files that are the public ones.
func TestRealCatalogue(t *testing.T) {
	dir := realdata.Dir(t)
	seen := 0
	for _, s := range fetch.Catalogue() {
		at, ok := s.Locate(dir)
		if !ok {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			if testing.Short() && (s.Name == "COLLAB" || s.Targets > 1 || s.Graphs > 5000) {
				t.Skip("large")
			}
			d, err := s.Open(at, data.Auto)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Check(d.Info); err != nil {
				t.Error(err)
			}
			if split := d.Split; split != nil && split.Name != s.Split || s.Split == "10 folds" && !d.Info.HasFolds {
				t.Errorf("split %+v, folds %v, the catalogue says %q", split, d.Info.HasFolds, s.Split)
			}
			for _, f := range s.Files {
				if f.SHA256 == "" {
					continue
				}
				b, err := realFile(at, s, f)
				if err != nil {
					t.Error(err)
				} else if sum(b) != f.SHA256 || int64(len(b)) != f.Size {
					t.Errorf("%s: checksum %s of %d bytes, want %s of %d", f.Path, sum(b), len(b), f.SHA256, f.Size)
				}
			}
		})
		seen++
	}
	if seen < 12 {
		t.Errorf("%d sets of the catalogue are in the data folder, want 12 or more", seen)
	}
}

// realFile reads the file of a set where it lies.
func realFile(at string, s fetch.Set, f fetch.File) ([]byte, error) {
	if s.Format == planetoid.Format {
		return os.ReadFile(filepath.Join(at, path.Base(f.Path)))
	}
	z, err := zip.OpenReader(at)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	file, err := z.Open(s.Name + "/" + f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
