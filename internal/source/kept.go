package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// KeptContext caches the last context of predictions (LoadOptions.Context), and data computed only from the context and
// the run. So the next predictions with the same context need not read and count it again. It is read again if its
// files change. It is not cached if it needs more than a quarter of the allowed memory. Results do not depend on the
// cache. The zero value is ready for use by several goroutines.
type KeptContext struct {
	mu  sync.Mutex
	key string // identifies the context; empty for none
	set *tables.Set
	// room is the memory, in bytes, for data in addition to the table.
	room int64
	// prepared is nil before it is first needed, and if it needs more than room.
	prepared *preparedContext
}

// preparedContext has the cached data of a context other than its table.
type preparedContext struct {
	beside *tables.Beside
	set    *tables.Set
	graph  *model.BesideGraph

	mu sync.Mutex
	// labels has fitted labels by the fold (model.LabelFold) that is left out, or by allFolds. They are fitted when
	// first needed; there are at most so many as most says.
	labels map[int]*model.FittedLabels
	most   int
}

// allFolds is the key of labels without a left-out fold.
const allFolds = -1

// keptShare is the share of the allowed memory that a cached context may use.
const keptShare = 4

// read returns the context with a key, from the cache or by calling a function. bound is LoadOptions.MaxMemory.
func (k *KeptContext) read(key string, bound int64, read func() (*tables.Set, error)) (*tables.Set, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key != "" && key == k.key {
		return k.set, nil
	}
	k.key, k.set, k.prepared = "", nil, nil // frees memory before another context is read
	set, err := read()
	if err != nil || key == "" {
		return set, err
	}
	if bound == 0 {
		bound = memory.Free()
	}
	if k.room = bound/keptShare - contextBytes(set) - labelBytes(set); k.room >= 0 {
		k.key, k.set = key, set
	}
	return set, nil
}

// contextBytes is the approximate size of a context and its cached data, without labels.
func contextBytes(s *tables.Set) int64 {
	const number, edge, node = 8, 300, 1600
	c := int64(len(s.EdgeColumns) + len(s.EdgeKeys) + len(s.NodeColumns) + len(s.NodeKeys))
	return int64(s.NumEdges())*(number*c+edge) + int64(len(s.NodeIDs))*(number*c+node)
}

// labelBytes is the approximate size of fitted labels.
func labelBytes(s *tables.Set) int64 {
	const number, edge, factors = 8, 100, 400
	labels := int64(1)
	if s.Label != nil {
		labels += int64(min(len(s.Label.Text), 64))
	}
	return int64(s.NumEdges())*(edge+number*labels) + factors*labels*int64(len(s.NodeIDs))
}

// prepare returns the cached data of a context other than its table; nil if another context is cached, or if the data
// need too much memory.
func (k *KeptContext) prepare(s *settings.Settings, m *model.Auto, before *tables.Set, threads int) (*preparedContext, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.set != before {
		return nil, nil
	}
	if k.prepared != nil {
		return k.prepared, nil
	}
	room := k.room - m.NeighbourBytes(before.NumEdges()) - m.StateBytes(before.NumEdges()) // for labels without a left-out fold
	if room < 0 {
		return nil, nil
	}
	c := &ColumnData{Set: before, Context: before.NumEdges(), Threads: threads}
	beside, err := tables.NewBeside(before, s.Data.Tables.Encoder, tables.BesideOptions{Observed: c.shown(s, nil, c.Known(nil)), Split: s.Split.OfEdges(),
		Copies: s.Split.CopiesAlone(), Threads: threads})
	if err != nil {
		return nil, err
	}
	p := &preparedContext{beside: beside, set: before, labels: map[int]*model.FittedLabels{},
		most:  1 + int(room/(1+labelBytes(before)+m.StateBytes(before.NumEdges()))),
		graph: model.NewBesideGraph(len(before.NodeIDs), before.Ends, before.Directed)}
	if m.Config.ReadsNeighbours() {
		in, err := beside.Uncounted(threads)
		if err != nil {
			return nil, err
		}
		b, err := graph.CollateCodes(in.Graph)
		if err != nil {
			return nil, err
		}
		m.ReadNeighbours(p.graph, b, threads)
	}
	k.prepared = p
	return p, nil
}

// readable returns the labels that edges may read if each must not read the labels of its unit, -1 for none.
func (p *preparedContext) readable(ctx context.Context, m *model.Auto, unit []int32, threads int) ([]*model.FittedLabels, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]*model.FittedLabels, len(unit))
	for e, u := range unit {
		fold := allFolds
		if u >= 0 {
			fold = model.LabelFold(u, model.OtherFolds)
		}
		var err error
		if out[e] = p.labels[fold]; out[e] == nil {
			if out[e], err = p.fit(ctx, m, fold, threads); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// fit fits the labels of all folds except one, and caches them. If the cache is full, they replace others.
func (p *preparedContext) fit(ctx context.Context, m *model.Auto, fold, threads int) (*model.FittedLabels, error) {
	var label []float32
	if o := p.beside.Observed(); o != nil {
		label = slices.Clone(o.Label)
		for i := range label {
			if fold != allFolds && model.LabelFold(o.Group[i], model.OtherFolds) == fold {
				label[i] = graph.Masked
			}
		}
	}
	f, err := m.FitLabels(ctx, p.graph, label, threads)
	if err != nil {
		return nil, err
	}
	if len(p.labels) >= p.most {
		clear(p.labels)
	}
	p.labels[fold] = f
	return f, nil
}

// besideContext returns the edges added to a cached context; nil if they must be read together. elsewhere says that
// the context has all nodes.
func besideContext(ctx context.Context, s *settings.Settings, o LoadOptions, before, set *tables.Set, elsewhere bool) (*ColumnData, error) {
	m, ok := o.Rows.(*model.Auto)
	if !ok || o.Kept == nil {
		return nil, nil
	}
	if otherNodes := len(set.NodeColumns)+len(set.NodeKeys) > 0; m.Config.ReadsNeighbours() && (otherNodes || set.NumEdges() > model.MostBeside) {
		return nil, nil // nodes may have other attributes than in the context
	}
	p, err := o.Kept.prepare(s, m, before, o.Threads)
	if p == nil {
		return nil, err
	}
	in, err := p.beside.Input(set, tables.InputOptions{Threads: o.Threads})
	if in == nil || err != nil {
		return nil, err
	}
	for i, v := range in.Node {
		if v < 0 && elsewhere {
			if err := noNode(set, in.Set.NodeIDs[in.Nodes[i]]); err != nil {
				return nil, err
			}
		}
	}
	labels, err := p.readable(ctx, m, in.Unit, o.Threads)
	if err != nil {
		return nil, err
	}
	return &ColumnData{Set: in.Set, Threads: o.Threads, Beside: &BesideContext{Model: m.Beside(p.graph, labels, in.Node), input: in.Input, set: before}}, nil
}

// BesideContext says that the edges of the data are added to a context, which is not part of the data.
type BesideContext struct {
	Model *model.AutoBeside // model that predicts for the edges
	input *tables.Input
	set   *tables.Set // the context
}

// stampOf identifies the version of tables by their files; empty if a file cannot be examined.
func stampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	files := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return ""
		}
		for _, e := range entries {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	out := []string{}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return ""
		}
		out = append(out, fmt.Sprintf("%s %d %d", f, info.Size(), info.ModTime().UnixNano()))
	}
	return fmt.Sprint(slices.Sorted(slices.Values(out)))
}
