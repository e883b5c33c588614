package tables_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Equal ids of a user and of an item are two nodes if the column names or --edges bipartite say so.
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

	// Data to predict for are read as in training, and columns are shown as in the file.
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

// A table of nodes lists the nodes of one end only if the ends are of two kinds and the id column, or the table, has the name of that end.
func TestNodesOfOneEnd(t *testing.T) {
	const ratings = "userId,movieId,label\n1,1,3\n2,1,4\n1,2.0,5\n"
	const films = "movieId,year\n2,1999\n1,1985\n"
	two := []string{"movieId 2", "movieId 1", "userId 1", "userId 2"}
	bipartite := tables.Options{Bipartite: true, Source: "s", Target: "d"}
	for _, c := range []struct {
		name, file, nodes, edges string
		o                        tables.Options
		ids                      []string
		refused                  string
	}{
		{"ids called as an end", "x.csv", films, ratings, tables.Options{}, two, ""},
		{"an id beside them", "x.csv", strings.NewReplacer("movieId", "id,movieId", "\n2", "\n7,2", "\n1", "\n8,1").Replace(films), ratings, tables.Options{}, two, ""},
		{"a file called as an end", "movies.csv", strings.Replace(films, "movieId", "id", 1), ratings, tables.Options{}, two, ""},
		{"words that are joined", "artists.csv", "id,name\n5,a\n6,a\n", "userid,artistid,label\n5,5,1\n5,6,2\n", tables.Options{}, []string{"artistid 5", "artistid 6", "userid 5"}, ""},
		{"texts", "x.csv", "movieId,year\nb,1\na,2\n", "userId,movieId,label\nu,a,1\na,b,2\n", tables.Options{}, []string{"movieId b", "movieId a", "userId u", "userId a"}, ""},
		{"bipartite, as the options say", "x.csv", "d,year\n5,1\n", "s,d,label\n5,5,1\n", bipartite, []string{"d 5", "s 5"}, ""},
		{"a table of both ends", "x.csv", "id,year\n1,1985\n2,1999\n", ratings, tables.Options{}, []string{"1", "2"}, ""},
		{"one kind", "x.csv", "person,age\na,1\nb,2\n", "person,friend,label\na,b,1\n", tables.Options{Source: "person", Target: "friend"}, []string{"a", "b"}, ""},
		{"an id called nearly as an end", "x.csv", strings.Replace(films, "movieId", "movie", 1), ratings, tables.Options{}, two, ""},
		{"what both ends are", "x.csv", "country,account_id\nDE,1\nFR,2\n", "from_account,to_account,label\n1,2,1\n", tables.Options{}, []string{"1", "2"}, ""},
		{"values that include the ids", "x.csv", "age,country,key\n1,DE,1.0\n2,FR,2\n2,UK,3\n", "source,target,label\n1,2,1\n", tables.Options{}, []string{"1", "2", "3"}, ""},
		{"two columns include the ids", "x.csv", "age,key\n1,2\n2,1\n", "source,target,label\n1,2,1\n", tables.Options{}, nil, `x.csv:1: the ids of nodes may be in column "age" or "key", whose values differ and include those at the ends of edges: --node-id says which`},
		{"not what both ends are", "x.csv", "country,id_of\nDE,1\nFR,3\n", "from_account,to_account,label\n1,2,1\n", tables.Options{}, nil, "no column has the ids of nodes"},
		{"perhaps two kinds", "x.csv", "d,year\n5,1\n", "s,d,label\n6,5,1\n", tables.Options{Source: "s", Target: "d"}, nil, "is not a node of x.csv; if it lists only the nodes of one end of edges, give --edges bipartite"},
		{"a film that is missing", "x.csv", films, ratings + "1,3,3\n", tables.Options{}, nil, `edges.csv:5: column "movieId" is "3", which is not a node of x.csv`},
		{"a film twice", "x.csv", films + "2.0,1\n", ratings, tables.Options{}, nil, "has 2 in two ways of writing it"},
		{"another form of Unicode", "x.csv", "id,y\ncaf\u00e9,1\nb,2\n", "source,target\ncafe\u0301,b\n", tables.Options{}, nil, `; "caf\u00e9" is one and differs from "cafe\u0301" only in its writing`},
		{"leading zeros", "x.csv", "id,y\n001,1\n002,2\n", "source,target\n1,2\n", tables.Options{}, nil, `is "1", which is not a node of x.csv; "001" is one`},
	} {
		c.o.Nodes = tables.Files{c.file}
		checkNodes(t, c.name, c.o, c.ids, c.refused, c.file, c.nodes, "edges.csv", c.edges)
	}

	s, err := tables.Read(folderOf("x.csv", films, "edges.csv", ratings), "toy", tables.Options{Nodes: tables.Files{"x.csv"}, KeepColumns: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := s.NodeColumns[0]; fmt.Sprint(c.Value) != "[1999 1985 NaN NaN]" || fmt.Sprintf("%q", s.NodeOwn[0].Texts) != `["1999" "1985" "" ""]` {
		t.Errorf("the column year is %v, %q", c.Value, s.NodeOwn[0].Texts)
	}
	if c := s.Info().Tables[0].Columns; c[0].Different != 2 || c[0].Kind != tables.KindID || !c[0].Whole || c[1].Missing != 0 {
		t.Errorf("the table of nodes is listed as %+v", c)
	}
	e, err := s.Fit([]int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(file, []byte(ratings), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := tables.ScanEdges([]string{file}, e.Reading()); err == nil || !strings.Contains(err.Error(), `tables of nodes list those of one end of edges, "userId" or "movieId"`) {
		t.Errorf("a scan: %v", err)
	}
}
