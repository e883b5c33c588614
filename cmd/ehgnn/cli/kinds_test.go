package cli_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// ratings by 20 people of 12 films, both numbered from 1. People with odd numbers like films with odd numbers.
func ratings() string {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	b.WriteString("userId,movieId,label\n")
	for u := range 20 {
		for m := range 12 {
			if r.Float64() < 0.7 {
				fmt.Fprintf(&b, "%d,%d,%s\n", u+1, m+1, []string{"like", "dislike"}[(u+m)%2])
			}
		}
	}
	return b.String()
}

// A table in which users and films have the same numbers gives the same results as a table with different ids, from a
// file and from the server. Its recommendations are numbers of films.
func TestIDsOfTwoKinds(t *testing.T) {
	dir := t.TempDir()
	numbers := ratings()
	lines := strings.Split(strings.TrimSpace(numbers), "\n")
	for i, l := range lines[1:] {
		u, rest, _ := strings.Cut(l, ",")
		lines[i+1] = "userId " + u + ",movieId " + rest
	}
	const asked = "userId,movieId\n3,4\n4,3\n20,20\n"
	writeFiles(t, dir, "numbers.csv", numbers, "names.csv", strings.Join(lines, "\n")+"\n", "asked.csv", asked,
		"askednames.csv", "userId,movieId\nuserId 3,movieId 4\nuserId 4,movieId 3\nuserId 20,movieId 20\n")
	path := func(name string) string { return filepath.Join(dir, name) }
	for file, out := range map[string]string{"numbers.csv": "run", "names.csv": "names"} {
		succeed(t, "train", path(file), "--out", path(out), "--quality", "fast")
	}
	got := succeed(t, "predict", path("run"), path("asked.csv"), "--context", path("numbers.csv"))
	if want := succeed(t, "predict", path("names"), path("askednames.csv"), "--context", path("names.csv")); got != want {
		t.Errorf("numbers give\n%s\nids of their own\n%s", got, want)
	}
	succeed(t, "train", "--config", path("run/config.yaml"), "--out", path("again"))
	if again := succeed(t, "predict", path("again"), path("asked.csv"), "--context", path("numbers.csv")); again != got {
		t.Errorf("the run that is trained again by its config.yaml gives\n%s\nthe first\n%s", again, got)
	}

	x := &interfaces{t: t, server: serverOf(t, path("run"))}
	alone := succeed(t, "predict", path("run"), path("asked.csv"))
	column := func(text, name string) (out []string) {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			out = append(out, row[slices.Index(rows[0], name)])
		}
		return out
	}
	body, kind := formOf(t, formFile{"edges", "edges", asked})
	reply := x.post(body, kind, "text/csv")
	for _, name := range []string{"source", "target", "probability_like"} {
		if got, want := column(reply.Body.String(), name), column(alone, name); reply.Code != http.StatusOK || !slices.Equal(got, want) {
			t.Errorf("the server has %s %v, predict %v", name, got, want)
		}
	}

	succeed(t, "train", path("numbers.csv"), "--task", "link-prediction", "--model", "ials", "--ignore", "label", "--out", path("links"))
	list := succeed(t, "recommend", path("links"), "--for", "3", "--top", "2")
	if got := column(list, "source"); len(got) == 0 || got[0] != "3" {
		t.Errorf("recommended to %v:\n%s", got, list)
	}
	for _, film := range column(list, "target") {
		if strings.Contains(numbers, "\n3,"+film+",") || !strings.Contains(numbers, ","+film+",") {
			t.Errorf("film %q is recommended to user 3", film)
		}
	}
	if got := column(succeed(t, "recommend", path("links"), "--for", "12", "--side", "source", "--top", "1"), "source"); !slices.Equal(got, []string{"12"}) {
		t.Errorf("users for film 12: %v", got)
	}
	scores := succeed(t, "predict", path("links"), "--candidates", path("asked.csv"), "--context", path("asked.csv"))
	if got := column(scores, "target"); !slices.Equal(got, []string{"4", "3", "20"}) {
		t.Errorf("candidates %v", got)
	}
	if r := run(t, "train", "../../../testdata/sets/RINGS", "--edges", "bipartite", "--out", path("x")); r.code != cli.ExitUsage || !strings.Contains(r.stderr, "--edges bipartite is for tables of edges") {
		t.Errorf("graphs as bipartite: %d, %s", r.code, r.stderr)
	}
}

// Tables of films and of users, or of films alone, give the same results as one table of all nodes without values for
// the other end: from a file, as a document on standard input, from the server and in the library. Link prediction
// reads them, too.
func TestTablesOfKinds(t *testing.T) {
	for name, both := range map[string]bool{"films": false, "films and users": true} {
		t.Run(name, func(t *testing.T) {
			if !both && testing.Short() {
				t.Skip("takes a second")
			}
			testTablesOfKinds(t, both)
		})
	}
}

func testTablesOfKinds(t *testing.T, both bool) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	named := func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for i, l := range lines[1:] {
			u, rest, _ := strings.Cut(l, ",")
			lines[i+1] = "userId " + u + ",movieId " + rest
		}
		return strings.Join(lines, "\n") + "\n"
	}
	const people, movies = 21, 14
	genre := func(m int) string { return []string{"drama", "horror"}[m%2] }
	year := func(m int) int { return 1980 + m*m%9 }
	age := func(u int) int { return 20 + u*u%17 }
	row := func(id, age, rest string) string {
		if both {
			id += "," + age
		}
		return id + "," + rest + "\n"
	}
	var nodes []string // of the document
	films, users, allFilms, allUsers := "movieId,genre,year\n", "id,age\n", "", ""
	for m := range movies {
		rest := fmt.Sprintf("%s,%d", genre(m), year(m))
		films += fmt.Sprintf("%d,%s\n", m+1, rest)
		allFilms += row(fmt.Sprintf("movieId %d", m+1), "", rest)
		nodes = append(nodes, fmt.Sprintf(`{"id":"movieId %d","genre":%q,"year":%d}`, m+1, genre(m), year(m)))
	}
	for u := range people {
		users += fmt.Sprintf("%d,%d\n", u+1, age(u))
		allUsers += row(fmt.Sprintf("userId %d", u+1), fmt.Sprint(age(u)), ",")
		if node := fmt.Sprintf(`{"id":"userId %d"}`, u+1); !both {
			nodes = append(nodes, node)
		} else {
			nodes = append(nodes, fmt.Sprintf(`{"id":"userId %d","age":%d,"genre":null}`, u+1, age(u)))
		}
	}
	const asked = "userId,movieId\n3,4\n4,3\n21,14\n"
	files, form := []string{"--nodes", "films.csv"}, []formFile{{"edges", "edges", asked}, {"nodes", "films.csv", films}}
	header := row("id", "age", "genre,year")
	all, askedAll := header+allUsers+allFilms, header+allUsers+allFilms
	if both { // the order of the tables does not matter
		files, form = append(files, "--nodes", "users.csv"), append(form, formFile{"nodes", "users.csv", users})
	} else { // users come from the edges, in their order
		all = header + allFilms + strings.TrimSuffix(allUsers, "userId 21,,\n")
		askedAll = header + allFilms + "userId 3,,\nuserId 4,,\nuserId 21,,\n"
	}
	writeFiles(t, dir, "numbers.csv", ratings(), "names.csv", named(ratings()), "films.csv", films, "users.csv", users, "all.csv", all,
		"asked.csv", asked, "askednames.csv", named(asked), "askedall.csv", askedAll)
	succeed(t, append([]string{"train", path("numbers.csv"), "--out", path("run"), "--quality", "fast"}, files...)...)
	succeed(t, "train", path("names.csv"), "--nodes", "all.csv", "--out", path("names"), "--quality", "fast")
	got := succeed(t, "predict", path("run"), path("asked.csv"))
	if want := succeed(t, "predict", path("names"), path("askednames.csv"), "--nodes", "askedall.csv"); got != want {
		t.Errorf("tables of kinds give\n%s\na table of all nodes\n%s", got, want)
	}
	succeed(t, "train", "--config", path("run/config.yaml"), "--out", path("again"))
	if again := succeed(t, "predict", path("again"), path("asked.csv")); again != got {
		t.Errorf("the run that is trained again by its config.yaml gives\n%s\nthe first\n%s", again, got)
	}
	for _, context := range [][]string{{"--context", path("numbers.csv")}, append([]string{"--context", "training"}, files...)} {
		if with := succeed(t, append([]string{"predict", path("run"), path("asked.csv")}, context...)...); with == got {
			t.Errorf("%v changes nothing", context)
		}
	}

	writeFiles(t, filepath.Join(dir, "alone"), "asked.csv", asked, "other.csv", "userId,movieId\n3,15\n")
	alone := succeed(t, "predict", path("run"), path("alone/asked.csv"), "--context", path("numbers.csv"))
	if beside := succeed(t, "predict", path("run"), path("asked.csv"), "--context", path("numbers.csv")); alone != beside {
		t.Errorf("with the nodes of the context\n%s\nwith nodes beside the edges\n%s", alone, beside)
	}
	if r := run(t, "predict", path("run"), path("alone/other.csv"), "--context", path("numbers.csv")); !strings.Contains(r.stderr, `node "movieId 15", which is not a node of the context`) {
		t.Errorf("a film that no table lists: %d, %s", r.code, r.stderr)
	}

	x := &interfaces{t: t, server: serverOf(t, path("run"))}
	column := func(text string) (out []string) {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			out = append(out, row[slices.Index(rows[0], "probability_like")])
		}
		return out
	}
	body, kind := formOf(t, form...)
	if reply := x.post(body, kind, "text/csv"); reply.Code != http.StatusOK || !slices.Equal(column(reply.Body.String()), column(got)) {
		t.Errorf("the server has %d %s, predict\n%s", reply.Code, reply.Body, got)
	}
	body, kind = formOf(t, form[:len(form)-1]...)
	if reply := x.post(body, kind, "text/csv"); reply.Code != http.StatusUnprocessableEntity {
		t.Errorf("a form that lacks a table: %d %s", reply.Code, reply.Body)
	}
	text := `{"directed":true,"nodes":[` + strings.Join(nodes, ",") + `],"edges":[{"source":"userId 3","target":"movieId 4"},{"source":"userId 4","target":"movieId 3"},{"source":"userId 21","target":"movieId 14"}]}`
	r := runOnInput(t, text+"\n", "predict", path("run"), "-")
	var p ehgnn.Prediction
	if r.code == 0 {
		document(t, r.stdout, &p)
	}
	const n = movies + people
	genres, years, ages := make(ehgnn.Strings, n), make(ehgnn.Numbers, n), make(ehgnn.Numbers, n)
	for v := range n {
		if years[v], ages[v] = math.NaN(), math.NaN(); v < movies {
			genres[v], years[v] = genre(v), float64(year(v))
		} else {
			ages[v] = float64(age(v - movies))
		}
	}
	g := &ehgnn.Graph{NumNodes: n, Ends: []int32{movies + 2, 3, movies + 3, 2, movies + 20, 13}, Node: ehgnn.Columns{"genre": genres, "year": years}}
	if both {
		g.Node["age"] = ages
	}
	m, err := ehgnn.Open(t.Context(), path("run"), ehgnn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := m.Predict(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range column(got) {
		if p := strconv.FormatFloat(library[0].Edges[i].Probabilities[1], 'g', -1, 32); p != want {
			t.Errorf("edge %d: the library gives %s, predict %s", i, p, want)
		}
		if r.code != 0 || strconv.FormatFloat(p.Edges[i].Probabilities[1], 'g', -1, 32) != want {
			t.Errorf("a document gives %d %s%s, predict\n%s", r.code, r.stdout, r.stderr, got)
		}
	}

	for data, nodes := range map[string][]string{"numbers.csv": files, "names.csv": {"--nodes", "all.csv"}} {
		succeed(t, append([]string{"train", path(data), "--task", "link-prediction", "--model", "trees", "--ignore", "label", "--out", path("links-" + data)}, nodes...)...)
	}
	list := func(data, of string) []string {
		return strings.Split(strings.ReplaceAll(succeed(t, "recommend", path("links-"+data), "--for", of, "--top", "3"), "movieId ", ""), "\n")[1:]
	}
	a, b := list("numbers.csv", "3"), list("names.csv", "userId 3")
	for i := range a {
		if a[i] != strings.ReplaceAll(b[i], "userId ", "") {
			t.Errorf("link prediction gives %q and %q", a[i], b[i])
		}
	}
}
