package task

import (
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/model"
)

// EdgeRecords collects the results of pools for edges. HyperDrop: the last score of each edge and
// the layer (from 1) that dropped it. HyperCluster: the cluster (from 0) with the largest weight.
type EdgeRecords struct {
	score, dropped, cluster []float32
}

// Add adds the records of some edges of a batch.
func (r *EdgeRecords) Add(out *model.Output, b *graph.Batch, rows []int32) {
	if len(out.Drops) > 0 {
		score, dropped := DropsOf(out.Drops, b.H.NumEdges())
		for _, e := range rows {
			r.score, r.dropped = append(r.score, score[e]), append(r.dropped, dropped[e])
		}
	}
	if cluster, _ := out.Clusters(b.H.NumEdges()); cluster != nil {
		for _, e := range rows {
			r.cluster = append(r.cluster, float32(cluster[e]))
		}
	}
}

// Columns returns the records; none if the model has no such pools.
func (r *EdgeRecords) Columns() []report.Column {
	var out []report.Column
	if r.score != nil {
		out = append(out, report.Floats("score", r.score), report.Floats("dropped_at", r.dropped))
	}
	if r.cluster != nil {
		out = append(out, report.Floats("cluster", r.cluster))
	}
	return out
}

// DropsOf returns for every edge its score in the last pool that it entered, and the pool (from 1)
// that dropped it; NaN for none.
func DropsOf(drops []model.Drop, edges int) (score, dropped []float32) {
	score, dropped = make([]float32, edges), make([]float32, edges)
	for e := range score {
		score[e], dropped[e] = float32(math.NaN()), float32(math.NaN())
	}
	for l, d := range drops {
		n := d.Score.Size()
		edge := func(i int) int32 {
			if d.Entered == nil {
				return int32(i)
			}
			return d.Entered[i]
		}
		for i := range n {
			score[edge(i)] = d.Score.Data()[i]
			if d.Kept != nil {
				dropped[edge(i)] = float32(l + 1)
			}
		}
		for _, i := range d.Kept {
			dropped[edge(int(i))] = float32(math.NaN())
		}
	}
	return score, dropped
}
