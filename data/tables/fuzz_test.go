package tables_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/report"
)

// parquetSeed returns a table of edges as Parquet.
func parquetSeed(t testing.TB) []byte {
	file := filepath.Join(t.TempDir(), "edges.parquet")
	table := &report.Table{Columns: []report.Column{
		report.Strings("source", []string{"a", "b", "c"}), report.Strings("target", []string{"b", "c", "a"}), report.Strings("label", []string{"x", "", "y"}),
		report.Floats("amount", []float32{0.1, 2, 3}), report.Vectors("v", []float32{1, 2, 3, 4, 5, 6}, 2)}}
	if err := report.WriteTable(file, table); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// holds checks that a set is consistent.
func holds(t *testing.T, s *tables.Set) {
	for _, v := range s.Ends {
		if v < 0 || int(v) >= len(s.NodeIDs) {
			t.Fatalf("end %d of %d nodes", v, len(s.NodeIDs))
		}
	}
	for _, c := range s.EdgeColumns {
		if len(c.Value)+len(c.Code) != s.NumEdges() {
			t.Fatalf("column %q has %d values and %d codes of %d edges", c.Name, len(c.Value), len(c.Code), s.NumEdges())
		}
	}
}

// FuzzParquet reads any bytes, after the first ones of a Parquet file, as a table of edges.
func FuzzParquet(f *testing.F) {
	f.Add(parquetSeed(f))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := tables.Read(fstest.MapFS{"edges.parquet": {Data: append([]byte("PAR1"), bytes.TrimPrefix(text, []byte("PAR1"))...)}}, "x", tables.Options{MaxMemory: 1 << 20})
		if err == nil {
			holds(t, s)
		}
	})
}

// FuzzArchive reads any bytes as a zip or a tar with tables.
func FuzzArchive(f *testing.F) {
	files := map[string]string{"d/edges.csv": "source,target,w\na,b,1\nb,c,x\n", "d/nodes.csv.gz": string(packed("id,k\na,1\nb,2\nc,3\n", "", 0))}
	var z, p, r bytes.Buffer
	zw, pw, tw := zip.NewWriter(&z), zip.NewWriter(&p), tar.NewWriter(&r)
	for name, text := range files {
		w, _ := zw.Create(name)
		io.WriteString(w, text)
		tw.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600})
		io.WriteString(tw, text)
	}
	w, _ := pw.Create("edges.parquet")
	w.Write(parquetSeed(f))
	if err := errors.Join(zw.Close(), pw.Close(), tw.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(z.Bytes())
	f.Add(p.Bytes())
	f.Add(r.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "x.tar")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		tables.Recognise(name)
		if s, err := tables.Open(name, tables.Options{MaxMemory: 1 << 20}); err == nil {
			holds(t, s)
		}
	})
}
