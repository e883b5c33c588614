package local_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
)

// An edge gets the same bytes for any block size, number of parts, order of the input and number of
// threads. A job writes the same files for any number of threads.
func TestBytes(t *testing.T) {
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tiny.Multigraph{Seed: 3, Nodes: 300, Edges: 2500, Directed: true, Features: true}.Write(t, dir)
			run := tiny.Trained(t, dir, model, true, settings.Values{"epochs": 2})
			var first map[int]string
			for order := range 3 {
				tables, number := shuffled(t, dir, order)
				for _, o := range []store.Options{{BlockEdges: 333, Parts: 3}, {BlockEdges: 1024, Parts: 7}} {
					in := tiny.Packed(t, tables, run, o)
					files := ""
					for i, threads := range []int{1, 4} {
						out, m := wrote(t, local.Job{Run: run, Store: in, Threads: threads})
						if got := fmt.Sprint(m.Files); files == "" {
							files = got
						} else if got != files {
							t.Errorf("order %d, %+v, way %d: files %s, want %s", order, o, i, got, files)
						}
						got := scores(t, outputs(t, out, m), number)
						if first == nil {
							first = got
						}
						if len(got) != len(first) {
							t.Fatalf("%d edges, want %d", len(got), len(first))
						}
						for e, text := range got {
							if text != first[e] {
								t.Fatalf("order %d, %+v, way %d: edge %d: %s, want %s", order, o, i, e, text, first[e])
							}
						}
					}
				}
			}
		})
	}
}

// shuffled returns tables with their edges in another order, and the original number of each edge.
// Order 0 is the original, 1 is reversed.
func shuffled(t *testing.T, dir string, order int) (path string, number []int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "edges.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	header, lines := lines[0], lines[1:]
	number = make([]int, len(lines))
	for i := range number {
		number[i] = i
	}
	switch order {
	case 1:
		for i := range number {
			number[i] = len(number) - 1 - i
		}
	case 2:
		rand.New(rand.NewPCG(9, 9)).Shuffle(len(number), func(i, j int) { number[i], number[j] = number[j], number[i] })
	}
	path = t.TempDir()
	out := header
	for _, i := range number {
		out += "\n" + lines[i]
	}
	tiny.File(t, filepath.Join(path, "edges.csv"), out+"\n")
	nodes, err := os.ReadFile(filepath.Join(dir, "nodes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	tiny.File(t, filepath.Join(path, "nodes.csv"), string(nodes))
	return path, number
}

// scores returns the predictions for each edge, by its original number.
func scores(t *testing.T, is *table, number []int) map[int]string {
	t.Helper()
	out := map[int]string{}
	for _, row := range is.rows {
		e, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		out[number[e]] = strings.Join(row[1:], ",")
	}
	return out
}
