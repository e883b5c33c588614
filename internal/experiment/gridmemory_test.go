package experiment

import (
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/internal/realdata"
)

// measured is the largest resident set, in MiB, of a process that trained one job with one thread.
// The program itself takes about 20 MiB of it.
var measured = []struct {
	set, model string
	mib        int64
}{
	{"MUTAG.zip", "gin", 96}, {"MUTAG.zip", "gmt", 125}, {"MUTAG.zip", "hyperdrop", 62}, {"MUTAG.zip", "ehgnn-joint", 138},
	{"PROTEINS.zip", "gcn", 124}, {"PROTEINS.zip", "gin", 298}, {"PROTEINS.zip", "hyperdrop", 137}, {"PROTEINS.zip", "ehgnn-joint", 474},
	{"PROTEINS.zip", "gmt", 305}, {"PROTEINS.zip", "hyperdrop-gmt", 337}, {"PROTEINS.zip", "hypercluster-graph", 251}, {"PROTEINS.zip", "asap", 167},
	{"PROTEINS.zip", "gatedgcn", 1169}, {"PROTEINS.zip", "gine-residual", 305}, {"PROTEINS.zip", "mpnn", 166}, {"PROTEINS.zip", "gatv2", 223},
	{"IMDB-BINARY.zip", "gin", 143}, {"IMDB-BINARY.zip", "hyperdrop", 182}, {"IMDB-BINARY.zip", "ehgnn-joint", 454},
	{"DD.zip", "hyperdrop", 122},
}

// The estimate is above the measured memory of jobs, but not so far above that the limit would
// leave cores idle.
func TestEstimate(t *testing.T) {
	dir := realdata.Path(t, "tu")
	grids := map[string]*Grid{}
	for _, m := range measured {
		g := grids[m.set]
		if g == nil {
			r := gridRequest{Columns: []DatasetColumn{{Path: filepath.Join(dir, m.set)}}, Seeds: []uint64{1}}
			for _, o := range measured {
				if o.set == m.set {
					r.Rows = append(r.Rows, modelRow{Name: o.model})
				}
			}
			var err error
			if g, err = plan(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			grids[m.set] = g
		}
		for i, row := range g.rows {
			if have := (g.cells[i][0].memory + g.dataMemory()) >> 20; row.Name == m.model && (have < m.mib-20 || have > 5*m.mib) {
				t.Errorf("%s on %s: estimate %d MiB, measured %d", m.model, m.set, have, m.mib)
			}
		}
	}
}
