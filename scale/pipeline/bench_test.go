//go:build unix

package pipeline_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/pipeline"
)

// BenchmarkPrism measures predictions for graphs with two hubs, by ehgnn-edge with three layers of
// width 32.
func BenchmarkPrism(b *testing.B) {
	tables := b.TempDir()
	tiny.Multigraph{Seed: 1, Nodes: 60, Edges: 300, Features: true}.Write(b, tables)
	run := tiny.Trained(b, tables, "ehgnn-edge", false, settings.Values{"hidden": 32})
	trained, err := session.LoadRun(run)
	if err != nil {
		b.Fatal(err)
	}
	for _, of := range []struct {
		edges  int
		sorted bool
	}{{1e5, false}, {1e5, true}, {1e6, false}, {1e6, true}} {
		b.Run(fmt.Sprintf("edges=%d/sorted=%v", of.edges, of.sorted), func(b *testing.B) {
			in := filepath.Join(b.TempDir(), "store")
			large := tiny.Large{Seed: 1, Nodes: of.edges / 10, Edges: of.edges, Sorted: of.sorted, Encoder: trained.Settings.Data.Tables.Encoder, BlockEdges: 1 << 16, Parts: 4}
			if err := large.Store(in); err != nil {
				b.Fatal(err)
			}
			tiny.ClearPeak()
			before := tiny.Processor()
			for i := 0; b.Loop(); i++ {
				c := prism(b, run, in)
				c.Out = filepath.Join(c.Out, strconv.Itoa(i))
				m, err := pipeline.Run(b.Context(), c)
				if err != nil {
					b.Fatal(err)
				}
				shuffled := int64(0)
				for _, t := range m.Turns[1:] {
					shuffled += t.Shuffled
				}
				b.ReportMetric(float64(shuffled)/float64(of.edges)/float64(len(m.Turns)-1), "shuffled-B/edge/layer")
			}
			b.ReportMetric((tiny.Processor()-before).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(tiny.Peak(), "peak-MB")
		})
	}
}
