package cli_test

import (
	"encoding/csv"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/serve"
)

// ratings of 20 people and 12 films, both numbered from 1: people of odd numbers like films of odd numbers.
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

// A table in which users and films have the same numbers gives what it gives with ids of their own, from a file and from the
// server, and its recommendations are numbers of films.
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

	runs, err := serve.Load(t.Context(), []string{path("run")}, serve.LoadOptions{Workers: 1, Limits: serve.Limits{Body: 1 << 20, Nodes: 1000, Edges: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	handler := serve.New(runs, serve.Options{Workers: 1, Queue: 4, Timeout: 30 * time.Second, Hosts: []string{"localhost"}, Log: slog.New(slog.DiscardHandler)})
	defer handler.Close()
	x := &interfaces{t: t, server: handler}
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
	body, kind := formOf(t, map[string]string{"edges": asked})
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
