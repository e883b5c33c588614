package tables_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/parquettest"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// scanTables are tables with missing values, numbers as words, words among few numbers, a constant
// column, a column without values, and a column with a category that occurs only in the test part.
func scanTables(t *testing.T, rows int) (edges, nodes string) {
	t.Helper()
	r := rng.Stream(7, "scan")
	var e, n strings.Builder
	e.WriteString("src,dst,amount,Kind,code,mixed,constant,empty,tags,day,label,part,id\n")
	for i := range rows {
		part := []string{"train", "train", "valid", "test"}[r.IntN(4)]
		amount := fmt.Sprint(math.Exp(8 * r.Float64()))
		if r.IntN(5) == 0 {
			amount = " NA "
		}
		mixed := fmt.Sprint(r.IntN(9))
		if r.IntN(3) == 0 {
			mixed = "word"
		}
		kind := []string{"x", "y", "", "z "}[r.IntN(4)]
		if part == "test" {
			kind = "unseen"
		}
		tags := []string{"a|b", "b|c", "c", "", "a | c"}[r.IntN(5)]
		if part == "test" {
			tags += "|other"
		}
		fmt.Fprintf(&e, "n%d,n%d,%s,%s,%d,%s,0.1,,%s,2024-01-%02d,%s,%s,%d\n", r.IntN(20), r.IntN(20), amount, kind, r.IntN(5), mixed, tags, 1+r.IntN(28),
			[]string{"no", "yes", ""}[r.IntN(3)], part, i)
	}
	n.WriteString("node;age;town\n")
	for i := range 25 { // some of these nodes have no edge
		fmt.Fprintf(&n, "n%d;%s;%s\n", i, []string{"", "1e3", "-7.25"}[i%3], []string{"a", "b", ""}[i%3])
	}
	return e.String(), n.String()
}

// asParquet writes a CSV text as a Parquet file of texts.
func asParquet(t *testing.T, name, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fields := parquettest.Fields(arrow.BinaryTypes.String, strings.Split(lines[0], ",")...)
	b := array.NewRecordBuilder(memory.DefaultAllocator, fields)
	for _, line := range lines[1:] {
		for i, v := range strings.Split(line, ",") {
			b.Field(i).(*array.StringBuilder).Append(v)
		}
	}
	if err := os.WriteFile(name, parquettest.Write(t, b.NewRecordBatch()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// put writes a file below a folder.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// scanned reads a scan to its end with an encoder.
func scanned(t *testing.T, s *tables.Scan, e *tables.Encoder) (graph.Features, []int32, *tables.RowEncoder) {
	t.Helper()
	r, err := s.Encoder(e)
	if err != nil {
		t.Fatal(err)
	}
	f, classes := r.Layout(), []int32(nil)
	f.Code = nil
	for {
		if err := s.Next(); errors.Is(err, io.EOF) {
			return f, classes, r
		} else if err != nil {
			t.Fatal(err)
		}
		if err := r.Append(&f); err != nil {
			t.Fatal(err)
		}
		c, err := r.Class()
		if err != nil {
			t.Fatal(err)
		}
		classes = append(classes, c)
	}
}

// TestScanEqualsSet compares rows encoded one by one with those of a set, for one file and several,
// as CSV, compressed with gzip, and as Parquet.
func TestScanEqualsSet(t *testing.T) {
	edges, nodes := scanTables(t, 3000)
	dir := t.TempDir()
	whole := []string{put(t, dir, "edges.csv", edges)}
	nodeFile := put(t, dir, "nodes.csv", nodes)
	o := tables.Options{Part: "part", Form: data.Directed, Categories: []string{"code"}}
	set, err := tables.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	split, err := set.Split(tables.SplitOptions{By: tables.ByColumn})
	if err != nil {
		t.Fatal(err)
	}
	e, err := set.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	in, err := set.Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}

	lines := strings.SplitAfter(edges, "\n")
	other := strings.ReplaceAll(strings.Join(append([]string{lines[0]}, lines[1001:]...), ""), ",", "\t")
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	io.WriteString(z, strings.Join(lines[:1001], ""))
	z.Close()
	parts := []string{put(t, dir, "a.csv.gz", packed.String()), put(t, dir, "empty.csv", lines[0]), put(t, dir, "b.tsv", other)}
	asParquet(t, filepath.Join(dir, "all.parquet"), edges)
	for name, files := range map[string][]string{"one": whole, "several": parts, "parquet": {filepath.Join(dir, "all.parquet")}} {
		t.Run(name, func(t *testing.T) {
			s, err := tables.ScanEdges(files, e.Reading())
			if err != nil {
				t.Fatal(err)
			}
			f, classes, r := scanned(t, s, e)
			if !reflect.DeepEqual(f, in.Graph.Edge) {
				t.Error("features differ from those of the set")
			}
			if !slices.Equal(classes, in.Graph.EdgeLabel) {
				t.Error("classes differ from those of the set")
			}
			var unseen []tables.Unseen
			for _, u := range in.Unseen {
				if u.Of == tables.OfEdges {
					unseen = append(unseen, u)
				}
			}
			if got := r.Unseen(); !reflect.DeepEqual(got, unseen) || len(got) != 2 {
				t.Errorf("unseen are %v, expected %v", got, unseen)
			}
		})
	}
	s, err := tables.ScanNodes([]string{nodeFile}, e.Options)
	if err != nil {
		t.Fatal(err)
	}
	f, _, _ := scanned(t, s, e)
	if want := in.Graph.Node; !reflect.DeepEqual(f.Take(in.Nodes), want) {
		t.Error("features of nodes differ from those of the set")
	}
	scan, err := tables.ScanEdges(whole, o)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = scan.Next()
	}
	if got := tables.ScanChecksum(s, scan); got != set.Checksum {
		t.Errorf("the checksum is %s, expected %s", got, set.Checksum)
	}
	if !reflect.DeepEqual(scan.Options.Part, set.Options.Part) || scan.Options.Source != set.Options.Source {
		t.Errorf("options are %+v, expected %+v", scan.Options, set.Options)
	}
}

// TestFitter compares an encoder that is fitted row by row with the encoder of a set.
func TestFitter(t *testing.T) {
	edges, nodes := scanTables(t, 3000)
	for _, number := range []bool{false, true} {
		dir := t.TempDir()
		edgeFile, nodeFile := put(t, dir, "edges.csv", edges), put(t, dir, "nodes.csv", nodes)
		o := tables.Options{Part: "part", Form: data.Directed, Categories: []string{"code"}}
		if number {
			o.Label, o.Number = "constant", true
		}
		set, err := tables.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		split, err := set.Split(tables.SplitOptions{By: tables.ByColumn})
		if err != nil {
			t.Fatal(err)
		}
		want, err := set.Fit(split.Train)
		if err != nil {
			t.Fatal(err)
		}
		s, err := tables.ScanEdges([]string{edgeFile}, o)
		if err != nil {
			t.Fatal(err)
		}
		atTrain := map[string]bool{}
		f := s.Fitter()
		for s.Next() == nil {
			p, err := s.Part()
			if err != nil {
				t.Fatal(err)
			}
			u, v, err := s.Ends()
			if err != nil {
				t.Fatal(err)
			}
			if p == 0 {
				atTrain[u], atTrain[v] = true, true
			}
			if err := f.Add(p == 0); err != nil {
				t.Fatal(err)
			}
		}
		n, err := tables.ScanNodes([]string{nodeFile}, o)
		if err != nil {
			t.Fatal(err)
		}
		nf := n.Fitter()
		for n.Next() == nil {
			id, err := n.ID()
			if err != nil {
				t.Fatal(err)
			}
			if err := nf.Add(atTrain[id]); err != nil {
				t.Fatal(err)
			}
		}
		got, notes, err := f.Encoder(nf, true)
		if err != nil {
			t.Fatal(err)
		}
		if len(notes) != 1 || !strings.Contains(notes[0], `"empty" is empty`) {
			t.Errorf("notes are %q", notes)
		}
		near := func(got, want []tables.Field) {
			t.Helper()
			if len(got) != len(want) {
				t.Fatalf("fields are %v, expected %v", got, want)
			}
			for i := range got {
				for _, p := range []struct{ got, want *float64 }{{&got[i].Mean, &want[i].Mean}, {&got[i].Scale, &want[i].Scale}} {
					if math.Abs(*p.got-*p.want) <= 1e-12*math.Abs(*p.want) {
						*p.got = *p.want
					}
				}
			}
		}
		near(got.Edges, want.Edges)
		near(got.Nodes, want.Nodes)
		got.Mean, got.Scale = want.Mean, want.Scale
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the encoder is\n%+v, expected\n%+v", got, want)
		}
	}
}

// TestScanManyWords: with very many categories, a scan and a set know the same ones from training.
func TestScanManyWords(t *testing.T) {
	var text strings.Builder
	text.WriteString("source,target,word\n")
	for i := range 1<<16 + 5 {
		fmt.Fprintf(&text, "a,b,w%d\n", i)
	}
	dir := t.TempDir()
	file := put(t, dir, "edges.csv", text.String())
	e := &tables.Encoder{Options: tables.Options{Form: data.Directed, Nodes: tables.NoFiles},
		Edges: []tables.Field{{Name: "word", Kind: schema.KindCategory, Values: []string{"w1", "w2"}}}}
	s, err := tables.ScanEdges([]string{file}, e.Reading())
	if err != nil {
		t.Fatal(err)
	}
	f, _, r := scanned(t, s, e)
	set, err := e.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	in, err := set.Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, in.Graph.Edge) || !reflect.DeepEqual(r.Unseen(), in.Unseen) || len(in.Unseen) != 1 || in.Unseen[0].Rows != 1<<16+3 {
		t.Errorf("a scan has unseen %v, a set %v", r.Unseen(), in.Unseen)
	}
	if codes := in.Graph.Edge.Code; codes[0] != -1 || codes[1] != 0 || codes[2] != 1 || codes[1<<16+4] != -1 {
		t.Errorf("codes %v", codes[:4])
	}
}

// A scan counts a class that training lacks as a set does.
func TestScanUnseenClass(t *testing.T) {
	dir := t.TempDir()
	file := put(t, dir, "edges.csv", "source,target,label\na,b,ok\nb,c,fraud\nc,d,\nd,a,ok\na,c,theft\n")
	set, err := tables.Open(dir, tables.Options{Form: data.Directed})
	if err != nil {
		t.Fatal(err)
	}
	e, err := set.Fit([]int{0, 3})
	if err != nil {
		t.Fatal(err)
	}
	in, err := set.Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tables.ScanEdges([]string{file}, e.Reading())
	if err != nil {
		t.Fatal(err)
	}
	_, classes, r := scanned(t, s, e)
	if want := []int32{0, graph.NoLabel, graph.NoLabel, 0, graph.NoLabel}; !slices.Equal(classes, want) || !slices.Equal(in.Graph.EdgeLabel, want) {
		t.Errorf("classes %v of a scan and %v of a set, want %v", classes, in.Graph.EdgeLabel, want)
	}
	want := []tables.Unseen{{Of: tables.OfEdges, Column: "label", Rows: 2, Example: "fraud", Label: true, Classes: `["ok"]`}}
	if got := r.Unseen(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(in.Unseen, want) {
		t.Errorf("unseen are %+v of a scan and %+v of a set, want %+v", got, in.Unseen, want)
	}
}
