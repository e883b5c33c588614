package model_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/loss"
	"github.com/ehgnn/ehgnn/tensor"
)

// randomBatch is a batch of the size of one of the paper's data sets.
func randomBatch(b *testing.B, graphs, nodes, edges, nodeCodes int) *graph.Batch {
	b.Helper()
	r := rng.Stream(1, "bench")
	gs := make([]*graph.Graph, graphs)
	for i := range gs {
		g := graph.Graph{NumNodes: nodes, Edge: graph.Ones(edges), Label: int32(i % 2)}
		for range edges {
			u := r.IntN(nodes)
			g.Ends = append(g.Ends, int32(u), int32((u+1+r.IntN(nodes-1))%nodes))
		}
		g.Node = graph.Features{Codes: []int{nodeCodes}}
		for range nodes {
			g.Node.Code = append(g.Node.Code, int32(r.IntN(nodeCodes)))
		}
		var err error
		if gs[i], err = graph.New(g); err != nil {
			b.Fatal(err)
		}
	}
	batch, err := graph.Collate(gs)
	if err != nil {
		b.Fatal(err)
	}
	return batch
}

// BenchmarkStep is one training step, forward and backward, of a batch of 128
// graphs of the size of the data set it is named after.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name                string
		nodes, edges, codes int
		hidden, edgeHidden  int
		model               string
	}{
		{"MUTAG", 18, 20, 7, 128, 128, "hyperdrop"},
		{"PROTEINS", 39, 73, 4, 128, 128, "hyperdrop"},
		{"IMDB-BINARY", 20, 97, 136, 128, 128, "hyperdrop"},
		{"COLLAB", 75, 2458, 492, 128, 16, "hyperdrop"},
		{"ZINC", 23, 25, 28, 32, 32, "hypercluster"},
	} {
		b.Run(c.name, func(b *testing.B) {
			batch := randomBatch(b, 128, c.nodes, c.edges, c.codes)
			spec, err := model.Find(c.model)
			if err != nil {
				b.Fatal(err)
			}
			config := spec.Config()
			config.Dims, config.Seed = model.Dims{Node: c.codes, Edge: 1, Out: 2}, 1
			for name, v := range map[string]any{"hidden": c.hidden, "edge-hidden": c.edgeHidden, "layers": 3, "ratio": 0.65, "clusters": 8, "dropout": 0.5} {
				config.Default(name, v)
			}
			m, err := spec.New(config)
			if err != nil {
				b.Fatal(err)
			}
			labels, err := loss.NewLabels(batch.Labels, 2, nil)
			if err != nil {
				b.Fatal(err)
			}
			arena := tensor.NewArena(0)
			params := m.Params()
			wrt := make([]*tensor.Tensor, len(params))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tape := arena.Tape()
				p := &nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, i)}
				out := m.Forward(p, batch)
				var l *tensor.Tensor
				if out.Graph != nil {
					l = loss.CrossEntropy(out.Graph, labels)
				} else {
					l = out.Edge.Square().Mean()
				}
				for k, w := range params {
					wrt[k] = tape.Watch(w)
				}
				tape.Grad(l, wrt...)
				tape.Close()
			}
		})
	}
}

// BenchmarkModels is a training step of every classifier, and so of every
// convolution and pool, on a batch of 128 graphs of the size of PROTEINS.
func BenchmarkModels(b *testing.B) {
	batch := randomBatch(b, 128, 39, 73, 4)
	labels, err := loss.NewLabels(batch.Labels, 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range model.Specs() {
		if s.Tasks[0] != "graph-classification" {
			continue
		}
		b.Run(s.Name, func(b *testing.B) {
			c := s.Config()
			c.Dims, c.Seed = model.Dims{Node: 4, Edge: 1, Out: 2}, 1
			for name, v := range map[string]any{"hidden": 128, "layers": 3, "ratio": 0.65, "dropout": 0.5, "heads": 1} {
				c.Default(name, v)
			}
			s.Size(&c, model.Stats{Nodes: []int{39}, MeanEdges: 73})
			m, err := s.New(c)
			if err != nil {
				b.Fatal(err)
			}
			arena := tensor.NewArena(0)
			params := m.Params()
			var wrt []*tensor.Tensor
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tape := arena.Tape()
				out := m.Forward(&nn.Pass{Tape: tape, Train: true, Rand: rng.Stream(1, i)}, batch)
				total := loss.CrossEntropy(out.Graph, labels)
				if out.Aux != nil {
					total = total.Add(out.Aux)
				}
				wrt = wrt[:0]
				for _, w := range params {
					if !w.Buffer {
						wrt = append(wrt, tape.Watch(w))
					}
				}
				tape.Grad(total, wrt...)
				tape.Close()
			}
		})
	}
}
