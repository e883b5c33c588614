//go:build unix

package local_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// BenchmarkPredict measures predictions for graphs with hubs, with three layers of width 32 within
// 2 GiB. The graph with 10^7 edges takes minutes and 4 GB of disk; -short skips it.
func BenchmarkPredict(b *testing.B) {
	tables := b.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 300, Edges: 2000, Directed: true, Features: true}.Write(b, tables)
	sizes := []int{1e5, 1e6, 1e7}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge"} {
		run := tiny.Trained(b, tables, model, true, settings.Values{"hidden": 32})
		r, err := session.LoadRun(run)
		if err != nil {
			b.Fatal(err)
		}
		for _, edges := range sizes {
			for _, sorted := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/edges=%d/sorted=%v", model, edges, sorted), func(b *testing.B) {
					in := filepath.Join(b.TempDir(), "store")
					large := tiny.Large{Seed: 1, Nodes: edges / 10, Edges: edges, Sorted: sorted, Encoder: r.Settings.Data.Tables.Encoder, BlockEdges: 1 << 18, Parts: 4}
					if err := large.Store(in); err != nil {
						b.Fatal(err)
					}
					tiny.ClearPeak()
					before, disk := tiny.Processor(), int64(0)
					for i := 0; b.Loop(); i++ {
						out := filepath.Join(b.TempDir(), strconv.Itoa(i))
						j := local.Job{Run: run, Store: in, Out: out, Writes: visit.Predictions, Memory: 2 << 30, Progress: func(string, int, int) { disk = max(disk, size(out)) }}
						if _, err := local.Write(b.Context(), j); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(edges)*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
					b.ReportMetric((tiny.Processor()-before).Seconds()/float64(b.N), "cpu-s/op")
					b.ReportMetric(float64(disk)/float64(edges), "disk-B/edge")
					b.ReportMetric(tiny.Peak(), "peak-MB")
				})
			}
		}
	}
}

// size returns the number of bytes of the files in a folder.
func size(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
