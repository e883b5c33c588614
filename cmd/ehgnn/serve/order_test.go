package serve

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// The order of the rows of a request does not change an answer by a bit. This holds with context, and
// also if an edge is in both tables.
func TestOrder(t *testing.T) {
	dir := trained(t, session.Request{Path: filepath.Join(sets, "payments"), Given: settings.Values{"label-context": "on", "structure": []string{"degree"}, "epochs": 3}})
	runs := loadRuns(t, ordinary, dir)
	s := started(t, runs, nil)
	table := func(name string) []string { return strings.Split(strings.TrimSpace(fileOf(t, name)), "\n") }
	edges, nodes := table("edges.csv"), table("nodes.csv")
	label := slices.Index(strings.Split(edges[0], ","), "label")
	if label < 0 {
		t.Fatal(edges[0])
	}
	var rows []string
	for i, row := range edges[1:] {
		cells := strings.Split(row, ",")
		asked := i%5 == 0
		if asked {
			cells[label] = ""
		}
		rows = append(rows, fmt.Sprintf("%s,%v", strings.Join(cells, ","), asked))
		if i%15 == 0 { // this edge is also in the context
			rows = append(rows, row+",false")
		}
	}
	predictions := func(rows, nodes []string) []string {
		q := tablesOf(t, "/v1/models/"+runs[0].name+"/predict", "nodes", strings.Join(nodes, "\n")+"\n", "edges", edges[0]+",score\n"+strings.Join(rows, "\n")+"\n")
		q.header["Accept"] = "text/csv"
		r := ask(t, s, q)
		if r.status != 200 {
			t.Fatalf("%+v", r)
		}
		var out []string
		for _, line := range strings.Split(strings.TrimSpace(r.body), "\n")[1:] {
			cells := strings.Split(line, ",")
			out = append(out, strings.Join(cells[2:], ",")) // without graph and number
		}
		slices.Sort(out)
		return out
	}
	want := predictions(rows, nodes)
	if len(want) < 20 {
		t.Fatalf("%d predictions", len(want))
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		draw.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		draw.Shuffle(len(nodes)-1, func(i, j int) { nodes[i+1], nodes[j+1] = nodes[j+1], nodes[i+1] })
		if got := predictions(rows, nodes); !slices.Equal(got, want) {
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("in another order: %s, want %s", got[i], want[i])
				}
			}
		}
	}
}
