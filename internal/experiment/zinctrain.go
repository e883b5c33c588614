package experiment

import (
	"context"
	"fmt"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// zincNodes is the row of the node autoencoder, GMT's, which is combined with every edge model.
const zincNodes = "gmpool-nodes"

// zincBonds are the predicted types of bonds: none, single, double, triple, aromatic.
const zincBonds = int(chem.Aromatic) + 1

// zincSettings determine the result of one training.
type zincSettings struct {
	Data   string  `json:"data"` // checksum of the training part
	Edges  string  `json:"edges"`
	Row    string  `json:"model"` // an edgeRow, or zincNodes
	Ratio  float64 `json:"ratio"`
	Seed   uint64  `json:"seed"`
	Epochs int     `json:"epochs"`
	Rate   float64 `json:"lr"`
	Cosine bool    `json:"cosine"`
	Choice string  `json:"val_loss"`
	Leaky  bool    `json:"decoder_sees_edges"`
}

// ofNodes returns the settings of the node autoencoder: GMT's constant learning rate, and the plain loss.
func (of zincSettings) ofNodes(seed uint64) zincSettings {
	of.Row, of.Seed, of.Rate, of.Cosine, of.Choice, of.Leaky = zincNodes, seed, 5e-3, false, plainLoss, false
	return of
}

func (of zincSettings) title() string {
	return fmt.Sprintf("%s, ratio %g, seed %d", of.Row, of.Ratio, of.Seed)
}

// zincResult is the result of a training.
type zincResult struct {
	zincSettings
	Vectors int `json:"vectors"` // number of vectors after pooling
	ending
	// Predicted has the types of the test part's edges or nodes, one byte each. Scores are computed
	// from them, so that a build without chemistry can do the training.
	Predicted []byte `json:"predicted,omitempty"`
	// Clusters are the clusters of the edges of the first zincDrawn molecules of the test part, if the
	// model clusters edges. Results of earlier versions have none.
	Clusters []int32 `json:"clusters,omitempty"`
}

// zincSet is ZINC-12K as read.
type zincSet struct {
	path     string
	input    *session.Input
	checksum string
	test     []*graph.Graph
	atoms    float64 // mean number in a training molecule
	bonds    float64
}

// read reads the data, once for all trainings.
func (r zincRequest) read(ctx context.Context) (*zincSet, error) {
	given := settings.Values{"edges": r.base.Edges}
	if r.dataset.Set != "" {
		given["name"] = r.dataset.Set
	}
	in, err := session.Read(ctx, session.Request{Path: r.dataset.Path, Given: given})
	if err != nil {
		return nil, err
	}
	set := &zincSet{path: r.dataset.Path, input: in, checksum: in.Checksum()}
	s, err := session.OpenOn(ctx, session.Request{Path: set.path, Task: "edge-reconstruction"}, in)
	if err != nil {
		return nil, err
	}
	g := s.Settings.Data.Graphs
	if g.NodeCodes != len(chem.ZINCTypes) || g.EdgeCodes != zincBonds || g.NodeOffset != 0 || g.EdgeOffset != 0 {
		return nil, settings.Misuse("experiment: %s has %d types of nodes and %d of edges, expected ZINC-12K, which has %d and %d", in.Name(), g.NodeCodes, g.EdgeCodes, len(chem.ZINCTypes), zincBonds)
	}
	set.test = s.Graphs(source.PartTest)
	if len(set.test) == 0 || len(s.Graphs(source.PartValid)) == 0 {
		return nil, settings.Misuse("experiment: %s has no validation or no test part", in.Name())
	}
	training := s.Graphs(source.PartTrain)
	for _, m := range training {
		set.atoms += float64(m.NumNodes) / float64(len(training))
		set.bonds += float64(m.NumEdges()) / float64(len(training))
	}
	if r.base.Edges == "directed" {
		set.bonds /= 2
	}
	return set, nil
}

// train trains a row and predicts the test part with the weights of the best epoch.
func (z *zincSet) train(ctx context.Context, of zincSettings, w work) (zincResult, error) {
	out := zincResult{zincSettings: of}
	fail := func(err error) (zincResult, error) {
		return out, fmt.Errorf("experiment: zinc: %s: %w", of.Row, err)
	}
	items, name, vectors := settings.Nodes, zincNodes, "node-clusters"
	defaults := settings.Values{"ratio": of.Ratio, "epochs": of.Epochs, "lr": of.Rate, "decoder-sees-edges": of.Leaky, "layer-norm": false, "seed-scale": 0.0} // as published
	if of.Row != zincNodes {
		rows, err := findEdgeRows([]string{of.Row})
		if err != nil {
			return fail(err)
		}
		row := rows[0]
		items, name = settings.Edges, row.model
		if row.conv != "" {
			defaults["conv"] = row.conv
		} else {
			vectors = "clusters"
		}
	}
	t, err := task.FindTask(string(items) + "-reconstruction")
	if err != nil {
		return fail(err)
	}
	s, err := session.OpenOn(ctx, session.Request{Path: z.path, Task: t.Name, Model: name, Defaults: defaults, Seed: of.Seed}, z.input)
	if err != nil {
		return fail(err)
	}
	for _, at := range s.Settings.Model.At(vectors) {
		out.Vectors = *at.(*int)
	}
	config := s.Settings.Train
	config.Threads = w.threads
	if of.Cosine { // the authors warm up for 200 of 500 epochs
		config.Schedule = train.Schedule{Name: "cosine", WarmupEpochs: of.Epochs * 2 / 5}
	}
	problem := t.Problem(s.Model, &s.Settings)
	if of.Choice == doubleLoss {
		config.Monitor.Metric = doubleLoss
		problem.Score = train.Sums(func(p *nn.Pass, b *graph.Batch) []train.Sum {
			return []train.Sum{{Name: doubleLoss, Total: doubleSoftmax(s.Model.Forward(p, b).Edge, b.E), Weight: 1}}
		})
	}
	out.ending, err = endingOf(train.Fit(ctx, problem, s.Graphs(source.PartTrain), s.Graphs(source.PartValid), config, train.Options{Checkpoint: w.checkpoint, OnEpoch: w.onEpoch}))
	if err != nil {
		return fail(err)
	}
	err = train.ForEachBatch(ctx, z.test, config, func(p *nn.Pass, first int, b *graph.Batch) error {
		y := s.Model.Forward(p, b)
		cluster, _ := y.Clusters(b.H.NumEdges())
		for e, k := range cluster {
			if first+int(b.EdgeOf.IDs()[e]) < zincDrawn {
				out.Clusters = append(out.Clusters, k)
			}
		}
		rows := y.Edge
		if items == settings.Nodes {
			rows = y.Node
		}
		out.Predicted = append(out.Predicted, largest(rows)...)
		return nil
	})
	if err != nil {
		return fail(err)
	}
	return out, nil
}

// doubleSoftmax is the mean cross-entropy after applying softmax twice, as in the authors' code. It
// is between 0.905 and 1.905 for five classes.
func doubleSoftmax(logits, oneHot *tensor.Tensor) float64 {
	if logits.Dim(0) == 0 {
		return 0
	}
	return -float64(logits.Softmax().LogSoftmax().Mul(oneHot).Sum().Item()) / float64(logits.Dim(0))
}

// largest returns the column of the largest number of each row.
func largest(rows *tensor.Tensor) []byte {
	width, x := rows.Dim(1), rows.Data()
	out := make([]byte, rows.Dim(0))
	for i := range out {
		row := x[i*width:][:width]
		for c, v := range row {
			if v > row[out[i]] {
				out[i] = byte(c)
			}
		}
	}
	return out
}
