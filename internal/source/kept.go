package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/columns"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// KeptContext keeps the context that edges were predicted for last (LoadOptions.Context), with what depends on it and on
// the run alone, so that the next edges beside it are described without it being read and counted again. It is read
// again where its files have changed, and is not kept where it takes more than a quarter of the memory that there may
// be. Results do not depend on it. The zero value is ready for use by several goroutines.
type KeptContext struct {
	mu  sync.Mutex
	key string // of the context; empty for none
	set *tables.Set
	// beside and labels are nil until they are asked for, and where the model reads more than rows of columns.
	beside *tables.Beside
	labels *columns.Fitted
}

// keptShare is the share of the memory that a context may take that is kept.
const keptShare = 4

// read is the context of a key, by a function where it is not kept. bound is LoadOptions.MaxMemory.
func (k *KeptContext) read(key string, bound int64, read func() (*tables.Set, error)) (*tables.Set, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key != "" && key == k.key {
		return k.set, nil
	}
	k.key, k.set, k.beside, k.labels = "", nil, nil, nil // before another one takes memory
	set, err := read()
	if err != nil || key == "" {
		return set, err
	}
	if bound == 0 {
		bound = memory.Free()
	}
	if keptShare*contextBytes(set) <= bound {
		k.key, k.set = key, set
	}
	return set, nil
}

// contextBytes is about what a context takes with all that is kept of it.
func contextBytes(s *tables.Set) int64 {
	const number, edge, node, factors = 8, 400, 1600, 400
	labels := int64(1)
	if s.Label != nil {
		labels += int64(min(len(s.Label.Text), 64))
	}
	c := int64(len(s.EdgeColumns) + len(s.EdgeKeys) + len(s.NodeColumns) + len(s.NodeKeys))
	return int64(s.NumEdges())*(number*c+edge+number*labels) + int64(len(s.NodeIDs))*(number*c+node+factors*labels)
}

// fitted is what is kept of a context beside its table; nil where that is not the one that is kept.
func (k *KeptContext) fitted(ctx context.Context, s *settings.Settings, m *model.Auto, before *tables.Set, threads int) (*tables.Beside, *columns.Fitted, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.set != before {
		return nil, nil, nil
	}
	if k.beside != nil {
		return k.beside, k.labels, nil
	}
	c := &ColumnData{Set: before, Context: before.NumEdges(), Threads: threads}
	beside, err := tables.NewBeside(before, s.Data.Tables.Encoder, tables.BesideOptions{Observed: c.shown(s, nil, c.Known(nil)), Split: s.Split.OfEdges(),
		Copies: s.Split.CopiesAlone(), Threads: threads})
	if err != nil {
		return nil, nil, err
	}
	labels, err := m.FitLabels(ctx, len(before.NodeIDs), before.Ends, beside.Labels(), before.Directed, threads)
	if err != nil {
		return nil, nil, err
	}
	k.beside, k.labels = beside, labels
	return beside, labels, nil
}

// besideContext are edges beside a context that is kept; nil where they must be read together. elsewhere says that the
// context has all nodes.
func besideContext(ctx context.Context, s *settings.Settings, o LoadOptions, before, set *tables.Set, elsewhere bool) (*ColumnData, error) {
	m, ok := o.Rows.(*model.Auto)
	if !ok || o.Kept == nil || s.Model.Auto().ReadsNeighbours() {
		return nil, nil
	}
	beside, labels, err := o.Kept.fitted(ctx, s, m, before, o.Threads)
	if beside == nil {
		return nil, err
	}
	joined, in, node, ok, err := beside.Input(set, tables.InputOptions{Threads: o.Threads})
	if err != nil || !ok {
		return nil, err
	}
	for i, v := range node {
		if v < 0 && elsewhere {
			return nil, noNode(set, joined.NodeIDs[in.Nodes[i]])
		}
		if v < 0 {
			node[i] = int32(len(before.NodeIDs))
		}
	}
	return &ColumnData{Set: joined, Threads: o.Threads, Beside: &BesideContext{Model: m.Beside(labels, node), input: in, set: before}}, nil
}

// BesideContext says that the edges of data lie beside a context, whose edges are not among them.
type BesideContext struct {
	Model *model.AutoBeside // predicts for them
	input *tables.Input
	set   *tables.Set // the context
}

// stampOf tells versions of tables apart by their files; empty where one cannot be looked at.
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
