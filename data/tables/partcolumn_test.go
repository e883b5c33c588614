package tables_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/report"
)

// A column of parts decides the split, in any of its spellings, and is not a feature.
func TestPartColumn(t *testing.T) {
	var b strings.Builder
	var want [3][]int
	b.WriteString("source,target,w,fold,label\n")
	for e, x := range []struct {
		text string
		part int
	}{{"train", 0}, {"0", 0}, {"valid", 1}, {"validation", 1}, {"val", 1}, {"1", 1}, {"test", 2}, {"2", 2}, {"Train", 0}, {"TEST", 2}, {"dev", 1}, {"Training", 0}, {"testing", 2}, {"0.0", 0}, {" 1 ", 1}, {"2.0", 2}} {
		fmt.Fprintf(&b, "a%d,b,%d,%s,%s\n", e, e, x.text, []string{"yes", "no"}[e%2])
		want[x.part] = append(want[x.part], e)
	}
	s := read(t, tables.Options{Part: "Fold"}, "edges.csv", b.String())
	if len(s.EdgeColumns) != 1 || s.EdgeColumns[0].Name != "w" || s.Options.Part != "fold" {
		t.Errorf("features %v, part in column %q", s.EdgeColumns, s.Options.Part)
	}
	if i := s.Info().Part; i == nil || *i != (tables.PartInfo{Name: "fold", Train: len(want[0]), Valid: len(want[1]), Test: len(want[2])}) {
		t.Errorf("info %+v", i)
	}
	split, err := s.Split(tables.SplitOptions{By: tables.ByColumn})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(split.Train, want[0]) || !slices.Equal(split.Valid, want[1]) || !slices.Equal(split.Test, want[2]) {
		t.Errorf("split %+v, want %v", split, want)
	}
	// Data to predict for need no column of parts. If there is one, it is not a feature, whatever its
	// values.
	e, err := s.Fit(split.Train)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"source,target,w\na,b,1\n", "source,target,w,fold\na,b,1,\n", "source,target,w,fold\na,b,1,later\n"} {
		path := filepath.Join(t.TempDir(), "edges.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		set, err := e.Open(path)
		if err != nil || len(set.EdgeColumns) != 1 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// In Parquet, parts are texts or numbers of any type.
func TestPartsInParquet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "edges.parquet")
	for _, parts := range []report.Column{report.Strings("part", []string{"train", "test", ""}), report.Ints("part", []int{0, 2, 0}),
		report.Floats("part", []float32{0, 2, float32(math.NaN())})} {
		table := &report.Table{Columns: []report.Column{report.Strings("source", []string{"a", "b", "c"}), report.Strings("target", []string{"b", "c", "d"}), parts}}
		if err := report.WriteTable(file, table); err != nil {
			t.Fatal(err)
		}
		s, err := tables.Open(file, tables.Options{Part: "part"})
		if err != nil || s.Part[0] != 0 || s.Part[1] != 2 || s.Part[2] > 0 {
			t.Errorf("parts %v (%v)", s.Part, err)
		}
	}
}

func TestPartColumnErrors(t *testing.T) {
	head := "source,target,part,label\na,b,train,x\n"
	for text, want := range map[string]string{
		head + "b,c,holdout,y\n": `edges.csv:3: column "part" is "holdout", expected train, valid (or validation, val, dev) or test, or 0, 1 or 2`,
		head + "b,c,3,y\n":       `edges.csv:3: column "part" is "3", expected`,
		head + "b,c,0.5,y\n":     `edges.csv:3: column "part" is "0.5", expected`,
	} {
		if _, err := tables.Read(folderOf("edges.csv", text), "toy", tables.Options{Part: "part"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		head + "b,c,,y\n": `edge from b to c has no part in column "part"`,
		"source,target,part,label\na,b,valid,x\nb,c,test,y\n": `no edge has part train in column "part"`,
	} {
		s := read(t, tables.Options{Part: "part"}, "edges.csv", text)
		if _, err := s.Split(tables.SplitOptions{By: tables.ByColumn}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// Both directions of an edge are one undirected edge only if they are in one part.
func TestPartOfMirrors(t *testing.T) {
	for text, edges := range map[string]int{"0,0,1,1": 2, "0,1,1,1": 4} {
		p := strings.Split(text, ",")
		s := read(t, tables.Options{Part: "part"}, "edges.csv", fmt.Sprintf("source,target,part\na,b,%s\nb,a,%s\nb,c,%s\nc,b,%s\n", p[0], p[1], p[2], p[3]))
		if s.NumEdges() != edges || len(s.Part) != edges {
			t.Errorf("parts %s: %d edges with %d parts, want %d", text, s.NumEdges(), len(s.Part), edges)
		}
	}
}

// A folder with a table for each part is one table, and its parts need no option. A remark names a column of parts that no option names.
func TestPartFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"train.csv": "source,target,label\na,b,x\nb,c,y\n", "dev.csv": "source,target,label\na,c,x\n", "test.csv": "target,source,label\nc,a,x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !tables.Recognise(dir) {
		t.Error("the folder is not recognised")
	}
	s, err := tables.Open(dir, tables.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if i := s.Info().Part; i == nil || *i != (tables.PartInfo{Name: "part", Train: 2, Valid: 1, Test: 1}) || len(s.EdgeColumns) != 0 {
		t.Errorf("parts %+v, features %v", i, s.EdgeColumns)
	}
	for column, told := range map[string]bool{"train,Val": true, "train,other": false, "test,valid": false} {
		first, second, _ := strings.Cut(column, ",")
		s := read(t, tables.Options{}, "edges.csv", fmt.Sprintf("source,target,split\na,b,%s\nb,c,%s\n", first, second))
		if got := strings.Contains(strings.Join(s.Notes, "\n"), `column "split" names parts of a split and is a feature like others; --part split trains`); got != told {
			t.Errorf("%s: notes %q", column, s.Notes)
		}
	}
}
