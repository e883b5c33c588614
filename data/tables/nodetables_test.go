package tables_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// checkNodes reads a set of files, each with a name and a text. It compares the nodes, or the error if the set must be refused.
func checkNodes(t *testing.T, name string, o tables.Options, ids []string, refused string, files ...string) {
	t.Helper()
	s, err := tables.Read(folderOf(files...), "toy", o)
	switch {
	case refused != "":
		if err == nil || !strings.Contains(err.Error(), refused) {
			t.Errorf("%s: error %v, want %q", name, err, refused)
		}
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case !slices.Equal(s.NodeIDs, ids):
		t.Errorf("%s: nodes %q, want %q", name, s.NodeIDs, ids)
	}
}

// Two tables list the nodes of one end each. Their ids may be equal numbers. The id column or the file name says which
// end a table belongs to.
func TestNodesOfBothEnds(t *testing.T) {
	const (
		ratings = "userId,movieId,label\n1,1,3\n2,1,4\n1,2.0,5\n"
		users   = "userId,age\n1,30\n2,40\n"
		films   = "movieId,year\n2,1999\n1,1985\n"
	)
	both := []string{"userId 1", "userId 2", "movieId 2", "movieId 1"}
	withID := func(text string) string { _, rest, _ := strings.Cut(text, ","); return "id," + rest }
	for _, c := range []struct {
		name, first, second string // files, each as name:text
		edges               string
		o                   tables.Options
		ids                 []string
		refused             string
	}{
		{"ids called as ends", "a.csv:" + users, "b.csv:" + films, ratings, tables.Options{}, both, ""},
		{"in the other order", "a.csv:" + films, "b.csv:" + users, ratings, tables.Options{}, both, ""},
		{"files called as ends", "users.csv:" + withID(users), "movies.csv:" + withID(films), ratings, tables.Options{}, both, ""},
		{"a column that says so and a file", "users.csv:" + withID(users), "b.csv:" + films, ratings, tables.Options{}, both, ""},
		{"ids called nearly as ends", "a.csv:user_id,age\n1,2\n", "b.csv:movie,year\n1,3\n", "user,movieId,label\n1,1,1\n", tables.Options{Source: "user", Target: "movieId"}, []string{"user 1", "movieId 1"}, ""},
		{"names that say no kind", "a.csv:s,x\n1,1\n", "b.csv:d,y\n1,2\n", "s,d,label\n1,1,1\n", tables.Options{Source: "s", Target: "d"}, []string{"s 1", "d 1"}, ""},
		{"texts", "a.csv:userId,x\nu,1\n", "b.csv:movieId,y\nu,2\n", "userId,movieId,label\nu,u,1\n", tables.Options{}, []string{"userId u", "movieId u"}, ""},
		{"nothing says which", "a.csv:" + withID(users), "b.csv:" + films, ratings, tables.Options{}, nil,
			`a.csv:1: of which end of edges these are the nodes is not known: expected a column of ids called "userId" or "movieId", or ids in the column id`},
		{"the same end twice", "a.csv:" + films, "b.csv:" + films, ratings, tables.Options{}, nil, `a.csv and b.csv both list the nodes of "movieId"`},
		{"ends of both kinds are one", "a.csv:" + users, "b.csv:" + films, ratings, tables.Options{Form: data.Directed}, nil, "expected --edges bipartite or none"},
		{"as the options say", "a.csv:" + users, "b.csv:" + films, ratings, tables.Options{Form: data.Directed, Bipartite: true}, both, ""},
		{"a user that is missing", "a.csv:" + users, "b.csv:" + films, ratings + "3,1,3\n", tables.Options{}, nil, `edges.csv:5: column "userId" is "3", which is not a node of a.csv`},
		{"a film that is missing", "a.csv:" + users, "b.csv:" + films, ratings + "1,3,3\n", tables.Options{}, nil, `edges.csv:5: column "movieId" is "3", which is not a node of b.csv`},
		{"a film twice", "a.csv:" + users, "b.csv:" + films + "1,1\n", ratings, tables.Options{}, nil, `b.csv:4: column "movieId" is "1", which is the id of an earlier line`},
		{"a film in two ways", "a.csv:" + users, "b.csv:" + films + "2.0,1\n", ratings, tables.Options{}, nil, `b.csv: column "movieId" has 2 in two ways of writing it`},
		{"a column read in two ways", "a.csv:userId,since\n1,5\n2,6\n", "b.csv:movieId,since\n1,x\n2,y\n", ratings, tables.Options{}, nil,
			`b.csv:1: column "since" is text, and numbers in a.csv: give it another name in one of them`},
		{"graphs within which ids count", "a.csv:" + users, "b.csv:" + films, strings.NewReplacer("label", "label,graph", "\n", ",g\n").Replace("userId,movieId,label\n1,1,3\n"), tables.Options{Graph: "graph"}, nil, "there are two tables of nodes"},
	} {
		files := []string{"edges.csv", c.edges}
		for _, text := range []string{c.first, c.second} {
			name, text, _ := strings.Cut(text, ":")
			c.o.Nodes, files = append(c.o.Nodes, name), append(files, name, text)
		}
		checkNodes(t, c.name, c.o, c.ids, c.refused, files...)
	}
	_, err := tables.Read(folderOf("edges.csv", ratings, "a.csv", users, "b.csv", films), "toy", tables.Options{Nodes: tables.Files{"a.csv", "b.csv", "b.csv"}})
	if err == nil || !strings.Contains(err.Error(), "there are 3 tables of nodes") {
		t.Errorf("three tables: %v", err)
	}
}

// Each of two tables has the columns of its nodes. A column in both tables is one column.
func TestColumnsOfBothEnds(t *testing.T) {
	const ratings = "userId,movieId,label\n1,1,3\n2,1,4\n1,2,5\n"
	dir := t.TempDir()
	path := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	edges := path("edges.csv", ratings)
	path("users.csv", "userId,job,n,part\n1,nurse,7,train\n2,cook,8,\n")
	path("films.csv", "movieId,n,year,job\n1,3,1999,cook\n2,4,,cook\n")
	o := tables.Options{Nodes: tables.Files{"films.csv", "users.csv"}, KeepColumns: true}
	s, err := tables.Open(edges, o)
	if err != nil {
		t.Fatal(err)
	}
	values := func(s *tables.Set, columns []*tables.Column) (out []string) {
		for _, c := range columns {
			text := c.Name
			for v := range s.NodeIDs {
				text += " " + c.String(v)
			}
			out = append(out, text)
		}
		return out
	}
	if got, want := values(s, s.NodeColumns), []string{"job nurse cook cook cook", "n 7 8 3 4", "part train   ", "year   1999 "}; !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	if got, want := fmt.Sprintf("%q", s.NodeOwn), `[{"job" ["nurse" "cook" "cook" "cook"]} {"n" ["7" "8" "3" "4"]} {"part" ["train" "" "" ""]} {"year" ["" "" "1999" ""]}]`; got != want {
		t.Errorf("columns of the files %s, want %s", got, want)
	}
	for k, want := range []string{"users.csv 2 [userId job n part] [2 2 0 1] [0 0 0 1]", "films.csv 2 [movieId n year job] [2 0 0 1] [0 0 1 0]"} {
		info := s.Info().Tables[k]
		var names []string
		var different, missing []int
		for _, c := range info.Columns {
			names, different, missing = append(names, c.Name), append(different, c.Different), append(missing, c.Missing)
		}
		if got := fmt.Sprint(info.File, " ", info.Rows, names, different, missing); got != want {
			t.Errorf("table %d is listed as %s, want %s", k, got, want)
		}
	}

	// New data are read like the training data and have as many tables.
	e, err := s.Fit([]int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var kept tables.Encoder
	if text, err := json.Marshal(e); err != nil || json.Unmarshal(text, &kept) != nil {
		t.Fatal(err)
	}
	kept.Options.Nodes = tables.Files{"users.csv", "films.csv"}
	again, err := kept.Open(edges)
	if err != nil || !slices.Equal(values(again, again.NodeColumns), values(s, s.NodeColumns)) || !slices.Equal(again.NodeIDs, s.NodeIDs) {
		t.Errorf("again: %v, %q", err, values(again, again.NodeColumns))
	}
	kept.Options.Nodes = tables.Files{"users.csv"}
	if _, err := kept.Open(edges); err == nil || !strings.Contains(err.Error(), "expected as many tables of nodes as in training, two") {
		t.Errorf("one of two tables: %v", err)
	}
	if _, err := tables.ScanEdges([]string{edges}, kept.Reading()); err == nil || !strings.Contains(err.Error(), "not read row by row") {
		t.Errorf("a scan: %v", err)
	}

	// Labels and parts may belong to the nodes of one end, the first or the second.
	for column, want := range map[string]string{"job": "job nurse cook cook cook", "year": "year   1999 "} {
		o := tables.Options{Nodes: o.Nodes, Label: column, Part: "part"}
		s, err := tables.Open(edges, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := values(s, []*tables.Column{s.Label}); got[0] != want || !slices.Equal(s.Part, []int8{0, -1, -1, -1}) || s.Options.Label != column {
			t.Errorf("label %q, want %q; parts %v, label %s", got, want, s.Part, s.Options.Label)
		}
	}
}

// The JSON of a single file of nodes has the same form as in versions with at most one table of nodes.
func TestFilesJSON(t *testing.T) {
	for text, want := range map[string]tables.Files{`"a,b.csv"`: {"a,b.csv"}, `"-"`: tables.NoFiles, `["a.csv","b.csv"]`: {"a.csv", "b.csv"}} {
		var f tables.Files
		if err := json.Unmarshal([]byte(text), &f); err != nil || !slices.Equal(f, want) {
			t.Errorf("%s is %q, %v", text, f, err)
		}
		if back, err := json.Marshal(f); err != nil || string(back) != text {
			t.Errorf("%s is written as %s, %v", text, back, err)
		}
	}
	var f tables.Files
	if err := json.Unmarshal([]byte("7"), &f); err == nil {
		t.Error("a number is taken for a name")
	}
}
