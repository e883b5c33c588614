package sample

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/scale/local"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
	"github.com/ehgnn/ehgnn/tensor"
)

// Options are the options of a training on a store.
type Options struct {
	Store    *store.Store
	Request  session.Request   // settings of task, model and training; Path is not read
	Sampling settings.Sampling // zero values mean defaults
	Index    string            // folder of the index; empty for a folder in the store
	// Memory is the memory, in bytes, that a validation may use; 0 for half of the free memory.
	Memory int64
	// Progress is called with the number of blocks read for the index and their total.
	Progress func(done, total int)
}

// Defaults of sampling.
const (
	defaultBatch      = 1024
	defaultNeighbours = 10
	defaultEpochs     = 20
	smallStates       = 64 << 20 // largest size, in bytes, of the states of a validation that stay in memory
)

// Training is a model with the store that it is trained on.
type Training struct {
	Session *session.Session
	batches *batchSource
	exact   exact
	index   *Index
}

// Open makes the index of a store if there is none, resolves settings and builds the model.
func Open(ctx context.Context, o Options) (*Training, error) {
	m := &o.Store.Manifest
	r := o.Request
	r.Model = cmp.Or(r.Model, visit.Models()[0])
	r.Defaults = settings.Values{"epochs": defaultEpochs}.Over(r.Defaults)
	if !slices.Contains(visit.Models(), r.Model) {
		return nil, settings.Misuse("sample: model %s cannot be trained on sampled neighbourhoods, expected one of %s", r.Model, strings.Join(visit.Models(), ", "))
	}
	if !m.Labels {
		return nil, settings.Misuse("sample: the edges of %s have no labels to learn from; name their column when packing: ehgnn-scale pack --label", o.Store.Dir)
	}
	x, err := OpenIndex(ctx, o.Store, m, o.Store.Checksum, cmp.Or(o.Index, filepath.Join(o.Store.Dir, "sampling")), o.Progress)
	if err != nil {
		return nil, err
	}
	t := &Training{index: x}
	if err := t.open(r, o); err != nil {
		x.Close()
		return nil, err
	}
	return t, nil
}

func (t *Training) open(r session.Request, o Options) (err error) {
	x, s := t.index, o.Sampling
	if x.Seeds == 0 {
		return settings.Misuse("sample: no training edge of %s has a label", o.Store.Dir)
	}
	s.Batch = int(min(int64(cmp.Or(s.Batch, defaultBatch)), x.Seeds))
	s.Steps = cmp.Or(s.Steps, int((x.Seeds-1)/int64(s.Batch)+1))
	if t.Session, err = session.OpenTrainStream(r, factsOf(o.Store, x, s)); err != nil {
		return err
	}
	set := &t.Session.Settings
	net, err := networkOf(t.Session.Model)
	if err != nil {
		return err
	}
	if set.Sampling.Neighbours, err = neighbours(s.Neighbours, net.layers()); err != nil {
		return err
	}
	t.batches = &batchSource{sampled: sampled{network: net}, sampler: newSampler(x, Config{Neighbours: set.Sampling.Neighbours, Batch: s.Batch, ExcludeSeeds: s.ExcludeSeeds,
		Directed: o.Store.Manifest.Directed, Seed: set.Train.Seed, Threads: t.Session.Threads})}
	p, err := visit.Compile(&session.Run{Settings: *set, Model: t.Session.Model})
	if err != nil {
		return err
	}
	t.exact = exact{store: o.Store, config: local.Config{Program: p, Store: o.Store, Threads: t.Session.Threads, Memory: o.Memory}, out: set.Model.Out,
		small: 8*o.Store.Manifest.Edges*int64(p.VectorWidth()) <= smallStates}
	return nil
}

// factsOf returns the facts about a store that a run records. If a column gives the split, ehgnn
// can split tables in the same way. Only the store has other splits, and only then it is known that
// its tables are those of the training.
func factsOf(st *store.Store, x *Index, s settings.Sampling) session.StreamInfo {
	m := &st.Manifest
	e := m.Encoder
	o := e.Options
	d := settings.DataSettings{Source: "tables", Path: st.Dir, Name: filepath.Base(st.Dir), Format: tables.Format, Checksum: m.Checksum, Edges: formName(m.Directed),
		Tables: &settings.TableSettings{NodeID: o.NodeID, From: o.Source, To: o.Target, Label: o.Label, Time: o.Time, Group: o.Group, Part: o.Part, Graph: o.Graph,
			LabelContext: "off", TimeFeatures: "off", Structure: []string{"none"}, Encoder: e}}
	if o.Nodes.None() {
		d.Tables.NodesFiles = tables.NoFiles
	}
	split := settings.Split{Kind: "none"}
	if m.Split != nil {
		split.Kind = m.Split.Kind
	}
	if split.Kind != settings.SplitColumn {
		d.Checksum = "store " + st.Checksum
	}
	return session.StreamInfo{Data: d, Split: split, Node: x.Node.none(), Edge: x.Edge.none(), Classes: x.Classes, Valid: x.Valid, Test: x.Test,
		Nodes: int(x.Touched), Edges: int(x.Edges), Sampling: s}
}

func formName(directed bool) string {
	if directed {
		return "directed"
	}
	return "undirected"
}

// neighbours returns a number for each layer. A single given number is used for all layers.
func neighbours(given []int, layers int) ([]int, error) {
	switch {
	case len(given) == 0:
		return slices.Repeat([]int{defaultNeighbours}, layers), nil
	case len(given) == 1:
		given = slices.Repeat(given, layers)
	case len(given) != layers:
		return nil, settings.Misuse("sample: --neighbours has %d numbers, expected one, or %d, one for each layer", len(given), layers)
	}
	for _, k := range given {
		if k < -1 || k == 0 {
			return nil, settings.Misuse("sample: --neighbours has %d, expected 1 or more, or -1 for all", k)
		}
	}
	return given, nil
}

// Train trains the model and writes the run folder. See session.Session.TrainStream.
func (t *Training) Train(ctx context.Context, o session.TrainOptions) (*session.TrainResult, error) {
	t.exact.dir = o.Dir
	return t.Session.TrainStream(ctx, trainSource{t.batches, &t.exact}, o)
}

// Close waits for work in progress and closes the files.
func (t *Training) Close() error {
	t.batches.wait()
	return t.index.Close()
}

// trainSource implements session.BatchSource.
type trainSource struct {
	*batchSource
	*exact
}

// exact predicts for the edges of a part with visits of the whole store.
type exact struct {
	store  *store.Store
	config local.Config
	out    int
	small  bool   // whether states stay in memory
	dir    string // otherwise they are in a folder in this folder
}

// Each calls f with the predictions for the edges of a part that have a label, one block at a time.
func (x *exact) Each(ctx context.Context, part string, f func(out *model.Output, b *graph.Batch) error) error {
	c, want := x.config, uint8(store.InTest)
	c.Seen = visit.All
	if part == source.PartValid {
		want, c.Seen = store.InValid, visit.All&^(1<<store.InTest)
	}
	if !x.small {
		// When a killed training is resumed, folders with such names are removed.
		folder, err := atomicfile.CreateFolder(filepath.Join(x.dir, "work"))
		if err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		defer folder.Abort()
		c.Dir = folder.Path
	}
	return local.Each(ctx, c, func(b *store.Block, r *visit.Result) error {
		var rows, number []float32
		var class []int32
		for e := range b.NumEdges() {
			switch {
			case b.Part[e] != want:
				continue
			case b.Class != nil && b.Class[e] >= 0:
				class = append(class, b.Class[e])
			case b.Number != nil && b.Number[e] == b.Number[e]:
				number = append(number, b.Number[e])
			default:
				continue
			}
			rows = append(rows, r.Output[e*x.out:][:x.out]...)
		}
		if rows == nil {
			return nil
		}
		batch := &graph.Batch{N: 1, EdgeLabels: class}
		if number != nil {
			batch.EdgeTargets = tensor.FromSlice(number, len(number), 1)
		}
		return f(&model.Output{Edge: tensor.FromSlice(rows, len(rows)/x.out, x.out)}, batch)
	})
}
