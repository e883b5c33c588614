package data_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// zipped is the files as a zip, sorted by name.
func (f files) zipped(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write puts the files under a new folder.
func (f files) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestContainers reads one set from everything that can hold it.
func TestContainers(t *testing.T) {
	want := read(t, toy, data.Options{})
	flat, packed, named := files{}, files{}, files{}
	for name, text := range toy {
		flat[strings.TrimPrefix(name, "T/")] = text
		packed[name+".gz"] = gz(text)
		named[name] = gz(text) // gzip under a plain name
	}
	junk := maps.Clone(toy)
	junk["T/.DS_Store"], junk["__MACOSX/T/._T_A.txt"], junk["T/README.txt"], junk["notes.md"] = "x", "x", "x", "x"
	both := maps.Clone(toy)
	both["U/U_A.txt"], both["V.txt"] = "", "1\n1 0\n0 0\n"
	dgcnn := files{"T.txt": "1\n1 0\n0 0\n"}

	zipFile := func(f files) string {
		path := filepath.Join(t.TempDir(), "set.zip")
		if err := os.WriteFile(path, f.zipped(t), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name string
		path string
		opts data.Options
	}{
		{"folder of the set", filepath.Join(toy.write(t), "T"), data.Options{}},
		{"folder around it", toy.write(t), data.Options{}},
		{"flat folder", flat.write(t), data.Options{}},
		{"zip", zipFile(toy), data.Options{}},
		{"flat zip", zipFile(flat), data.Options{}},
		{"gzipped texts", packed.write(t), data.Options{}},
		{"gzipped under plain names", named.write(t), data.Options{}},
		{"zip of gzipped texts", zipFile(packed), data.Options{}},
		{"strangers beside it", junk.write(t), data.Options{}},
		{"strangers in the zip", zipFile(junk), data.Options{}},
		{"selected by name", both.write(t), data.Options{Name: "T"}},
		{"main file", filepath.Join(both.write(t), "T", "T_A.txt"), data.Options{}},
		{"gzipped main file", filepath.Join(packed.write(t), "T", "T_A.txt.gz"), data.Options{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := data.Open(test.path, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\nwant %+v", got.Info, want.Info)
			}
		})
	}

	for name, path := range map[string]string{
		"DGCNN file":         filepath.Join(dgcnn.write(t), "T.txt"),
		"DGCNN zip":          zipFile(dgcnn),
		"gzipped DGCNN file": filepath.Join(files{"T.txt.gz": gz(dgcnn["T.txt"])}.write(t), "T.txt.gz"),
		"DGCNN by name":      filepath.Join(both.write(t), "V.txt"),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := data.Open(path, data.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d.Info.Format != data.FormatDGCNN || len(d.Graphs) != 1 {
				t.Errorf("%+v", d.Info)
			}
		})
	}
}

func TestChecksum(t *testing.T) {
	// printf '1\n1 0\n0 0\n' >T.txt; sha256sum T.txt | sha256sum
	const want = "aab59940e14cb480ce42fe01fc0adb9a4432ef27b16f2d5925a00139cedfa7d3"
	d := read(t, files{"T.txt": "1\n1 0\n0 0\n"}, data.Options{})
	if d.Info.Checksum != want {
		t.Errorf("checksum %s, want %s", d.Info.Checksum, want)
	}
	if other := read(t, files{"T.txt": "1\n1 0\n0  0\n"}, data.Options{}); other.Info.Checksum == want {
		t.Error("another text has the same checksum")
	}
	if read(t, toy, data.Options{}).Info.Checksum == read(t, toy.with("T_edge_labels.txt", "-"), data.Options{}).Info.Checksum {
		t.Error("the edge labels do not enter the checksum")
	}
}

func TestNotRecognised(t *testing.T) {
	tests := []struct {
		name  string
		files files
		opts  data.Options
		want  string
	}{
		{"nothing", files{}, data.Options{},
			"data: no data set recognised: expected NAME_A.txt with NAME_graph_indicator.txt (TU), one NAME.txt (DGCNN text) or raw/num-node-list.csv (OGB), found no files"},
		{"other files", files{"a.csv": "", "b/c.json": "", "b/d/e.txt": ""}, data.Options{},
			"data: no data set recognised: expected NAME_A.txt with NAME_graph_indicator.txt (TU), one NAME.txt (DGCNN text) or raw/num-node-list.csv (OGB), found a.csv, b/c.json; if one is a table of edges, name that file in place of the folder or the archive, which is unpacked before"},
		{"many files", files{"1.c": "", "2.c": "", "3.c": "", "4.c": "", "5.c": "", "6.c": "", "7.c": "", "8.c": ""}, data.Options{},
			"data: no data set recognised: expected NAME_A.txt with NAME_graph_indicator.txt (TU), one NAME.txt (DGCNN text) or raw/num-node-list.csv (OGB), found 1.c, 2.c, 3.c, 4.c, 5.c, 6.c and 2 more"},
		{"wrong format demanded", files{"T.txt": ""}, data.Options{Format: data.FormatTU},
			"data: no data set recognised: expected NAME_A.txt with NAME_graph_indicator.txt (TU), found T.txt"},
		{"DGCNN demanded of TU", files{"T_A.txt": ""}, data.Options{Format: data.FormatDGCNN},
			"data: no data set recognised: expected one NAME.txt (DGCNN text), found T_A.txt"},
		{"wrong name", toy, data.Options{Name: "MUTAG", Format: data.FormatTU},
			"data: no data set recognised: expected MUTAG_A.txt with MUTAG_graph_indicator.txt (TU), found T/T_A.txt, T/T_edge_labels.txt, T/T_graph_indicator.txt, T/T_graph_labels.txt, T/T_node_labels.txt"},
		{"two TU sets", files{"a/A_A.txt": "", "b/B_A.txt": ""}, data.Options{},
			"data: no data set recognised: several could be meant (a/A, b/B); select one with --name"},
		{"two texts", files{"A.txt": "", "B.txt": ""}, data.Options{},
			"data: no data set recognised: several could be meant (A, B); select one with --name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := data.Read(test.files.fs(), test.opts)
			if !errors.Is(err, data.ErrUnknownFormat) || err.Error() != test.want {
				t.Errorf("error %v\nwant  %s", err, test.want)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	_, err := data.Open(filepath.Join(t.TempDir(), "absent"), data.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent path: %v", err)
	}
	csv := filepath.Join(files{"a.csv": "x"}.write(t), "a.csv")
	_, err = data.Open(csv, data.Options{})
	if want := "data: a.csv: no data set recognised: expected a table (CSV, Parquet, xlsx, JSON Lines), a graph file, node-link JSON, a folder, a zip or tar, NAME.txt in DGCNN text or NAME_A.txt"; err == nil || err.Error() != want {
		t.Errorf("CSV: error %v, want %s", err, want)
	}
	_, err = data.Open(filepath.Join(files{"T.txt": "\x1f\x8bbroken and long"}.write(t), "T.txt"), data.Options{})
	if want := "data: T: T.txt: is not readable as gzip: gzip: invalid header"; err == nil || err.Error() != want {
		t.Errorf("bad gzip: error %v, want %s", err, want)
	}
	half := gz("1\n2 0\n0 1 1\n0 1 0\n")
	_, err = data.Read(files{"T.txt": half[:len(half)-9]}.fs(), data.Options{})
	if want := "data: T: T.txt:5: cannot be read: unexpected EOF"; err == nil || err.Error() != want {
		t.Errorf("cut gzip: error %v, want %s", err, want)
	}
}

// TestDamagedZip cuts a zip at every length and flips every byte: an error or
// the same data, never a panic.
func TestDamagedZip(t *testing.T) {
	whole := toy.zipped(t)
	want, err := data.ReadZip(bytes.NewReader(whole), int64(len(whole)), "toy.zip", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		_, err := data.ReadZip(bytes.NewReader(whole[:n]), int64(n), "toy.zip", data.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "data: ") {
			t.Fatalf("cut to %d of %d bytes: error %v", n, len(whole), err)
		}
	}
	if _, err := data.ReadZip(bytes.NewReader(whole[:100]), 100, "toy.zip", data.Options{}); err.Error() != "data: toy.zip: zip: not a valid zip file" {
		t.Errorf("error %v", err)
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0xff
		got, err := data.ReadZip(bytes.NewReader(b), int64(len(b)), "toy.zip", data.Options{})
		// A damaged name can hide an optional file; what is read is unchanged.
		if err == nil && got.Info.HasEdgeLabels && got.Info.HasNodeLabels && got.Info.NumClasses > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("byte %d flipped: other data without an error", i)
		}
	}
}

// TestBomb reads a zip whose text is far larger than itself.
func TestBomb(t *testing.T) {
	bomb := toy.with("T_graph_indicator.txt", strings.Repeat("1\n", 1<<20)).zipped(t)
	_, err := data.ReadZip(bytes.NewReader(bomb), int64(len(bomb)), "bomb.zip", data.Options{MaxMemory: 1 << 16})
	if !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("error %v, want ErrTooLarge", err)
	}
}
