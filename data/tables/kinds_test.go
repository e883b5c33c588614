package tables_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// An id of a user and the same id of an item are two nodes where names of columns or --edges bipartite say so.
func TestKinds(t *testing.T) {
	const ratings = "userId,movieId,label\n1,1,3\n2,1,4\n1,2.0,5\n"
	twoKinds := []string{"userId 1", "movieId 1", "userId 2", "movieId 2"}
	for _, c := range []struct {
		name, edges string
		o           tables.Options
		nodes       []string
		ends        []int32
	}{
		{"names of two kinds", ratings, tables.Options{}, twoKinds, []int32{0, 1, 2, 1, 0, 3}},
		{"one kind, as the options say", ratings, tables.Options{Form: data.Directed}, []string{"1", "2"}, []int32{0, 0, 1, 0, 0, 1}},
		{"ids that are texts", strings.ReplaceAll(ratings, "\n1,", "\nu1,"), tables.Options{}, []string{"u1", "1", "2", "2.0"}, []int32{0, 1, 2, 1, 0, 3}},
		{"things of one kind", strings.ReplaceAll(ratings, "userId,movieId", "from_movie,to_movie"), tables.Options{Source: "from_movie", Target: "to_movie"}, []string{"1", "2"}, []int32{0, 0, 1, 0, 0, 1}},
		{"names that say nothing", strings.ReplaceAll(ratings, "userId,movieId", "source,target"), tables.Options{}, []string{"1", "2"}, []int32{0, 0, 1, 0, 0, 1}},
		{"bipartite, as the options say", strings.ReplaceAll(ratings, "userId,movieId", "s,d"), tables.Options{Source: "s", Target: "d", Bipartite: true},
			[]string{"s 1", "d 1", "s 2", "d 2"}, []int32{0, 1, 2, 1, 0, 3}},
	} {
		s := read(t, c.o, "edges.csv", c.edges)
		if !slices.Equal(s.NodeIDs, c.nodes) || !slices.Equal(s.Ends, c.ends) {
			t.Errorf("%s: nodes %q, ends %v, want %q, %v", c.name, s.NodeIDs, s.Ends, c.nodes, c.ends)
		}
	}

	// What is predicted for is read as in training, and columns are shown as the file has them.
	s := read(t, tables.Options{}, "edges.csv", ratings)
	if got := s.Info().Tables[0].Columns[1].Commonest; got[0].Value != "1" || got[0].Rows != 2 {
		t.Errorf("the column movieId has %v", got)
	}
	if len(s.Notes) == 0 || !strings.Contains(s.Notes[len(s.Notes)-1], `2 ids are in both columns of ends, "userId" and "movieId"`) {
		t.Errorf("notes %q", s.Notes)
	}
	e, err := s.Fit([]int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(file, []byte("userId,movieId\n2,2\n3,3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	after, err := e.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"userId 2", "movieId 2", "userId 3", "movieId 3"}; !slices.Equal(after.NodeIDs, want) {
		t.Errorf("later: %q, want %q", after.NodeIDs, want)
	}
	scan, err := tables.ScanEdges([]string{file}, e.Reading())
	if err != nil {
		t.Fatal(err)
	}
	defer scan.Close()
	var ends []string
	for {
		if err := scan.Next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		u, v, err := scan.Ends()
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, u, v)
	}
	if !slices.Equal(ends, after.NodeIDs) {
		t.Errorf("a scan has the ends %q", ends)
	}

	beside := read(t, tables.Options{}, "nodes.csv", "id,x\n1,0\n2,0\n", "edges.csv", ratings)
	if n := len(beside.NodeIDs); n != 2 || len(beside.Notes) == 0 || !strings.Contains(beside.Notes[len(beside.Notes)-1], "each source and each target needs an id of its own") {
		t.Errorf("beside a table of nodes: %d nodes, notes %q", n, beside.Notes)
	}
	of := func(begin func([]string, tables.Options) (*tables.Scan, error), name, text string) *tables.Fitter {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		scan, err := begin([]string{path}, tables.Options{Bipartite: true, Form: data.Directed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { scan.Close() })
		f := scan.Fitter()
		if err := errors.Join(scan.Next(), f.Add(true)); err != nil {
			t.Fatal(err)
		}
		return f
	}
	_, _, err = of(tables.ScanEdges, "edges.csv", ratings).Encoder(of(tables.ScanNodes, "nodes.csv", "id,x\n1,0\n"), true)
	if err == nil || !strings.Contains(err.Error(), "edges.csv:1: with a table of nodes") {
		t.Errorf("a scan of bipartite edges beside a table of nodes: %v", err)
	}
	_, err = tables.Read(folderOf("nodes.csv", "id,x\n1,0\n2,0\n", "edges.csv", ratings), "toy", tables.Options{Bipartite: true})
	if err == nil || !strings.Contains(err.Error(), "with a table of nodes") {
		t.Errorf("bipartite beside a table of nodes: %v", err)
	}
}
