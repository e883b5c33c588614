package run

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/links/learn"
	"github.com/ehgnn/ehgnn/internal/links/score"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Run is a trained run with its data. Several goroutines may use it after loading.
type Run struct {
	Settings *Settings
	Data     *Data
	t        *training
	model    fitted
	none     *links.Known // has no pairs
	scorer   *score.Workers
	products *score.Products // the scorer, if it multiplies vectors
	bound    score.Scorer    // the model bound to the graph
	retrieval
	columns  *links.Columns
	knn      func() (*learn.KNN, error)             // of a bipartite graph, for reasons; built once
	byDegree func() [2][]int32                      // popularFirst, computed once
	contacts func() (map[[2]int32]float64, float64) // lastContacts, computed once
	node     places
	own      *links.Graph  // the graph of the training tables; columns may have further pairs
	moment   float64       // in a split by time: the time of the last event of the tables in the graph
	later    []links.Event // in a split by time: the events of further edges

	probability *probability // nil if there is none
}

// LoadOptions are options of Load.
type LoadOptions struct {
	// Data is the path of the training tables. If it is empty, they are where they were in
	// training.
	Data      string
	MaxMemory int64
	Threads   int
	// Training uses only the training pairs in the graph that scores candidates. By default all
	// pairs are in it.
	Training bool
	// NegativesFrom is a table of negatives for the test pairs, read by Evaluate. It may be empty.
	NegativesFrom string
	// Prior is the share of links among the candidates, for probabilities. If it is 0, there are no
	// probabilities.
	Prior float64
	Tell  func(text string)
}

// Load opens a run.
func Load(ctx context.Context, dir string, o LoadOptions) (*Run, error) {
	s, err := ReadSettings(dir)
	if err != nil {
		return nil, err
	}
	was := s.Checksum
	s.Data = s.path(dir)
	if o.Data != "" {
		s.Data = o.Data
	}
	d, err := Read(ctx, s, o.MaxMemory)
	if err != nil {
		return nil, err
	}
	if s.Checksum != was {
		return nil, misuse("%s is not the data that %s was trained on (checksum %s, expected %s); train again to learn from other data", s.Data, dir, s.Checksum, was)
	}
	r := &Run{Settings: s, Data: d, t: newTraining(s, d, Options{Dir: dir, Threads: o.Threads, Tell: o.Tell, NegativesFrom: o.NegativesFrom, MaxMemory: o.MaxMemory}), node: d.places()}
	if r.model, err = r.t.loadModel(dir); err != nil {
		return nil, err
	}
	if o.Training {
		r.columns = r.t.columns(links.Train)
	} else {
		r.columns = r.t.graphColumns("all", math.Inf(1), func() []int32 {
			return lists.Range[int32](len(d.Pairs))
		})
	}
	if s.Split == ByTime {
		if r.moment = d.last(); o.Training {
			r.moment = d.Split.Cut[0]
		}
	}
	r.own, r.retrieval = r.columns.Graph, defaultRetrieval
	if o.Prior != 0 {
		if r.probability, err = r.t.calibrate(ctx, r.model, o.Prior); err != nil {
			return nil, err
		}
	}
	return r, r.bind(r.model)
}

// bind sets what scores candidates: the model bound to the graph of the columns.
func (r *Run) bind(m fitted) error {
	sc, err := m.On(r.columns, r.Settings.Chosen, r.t.threads)
	if err != nil {
		return err
	}
	d, s := r.Data, r.Settings
	r.none = links.KnownIn(links.GraphOf(d.Kind, d.Hash, nil))
	r.scorer = score.NewWorkers(sc)
	r.products, _ = sc.(*score.Products)
	r.bound, r.byDegree, r.contacts = sc, sync.OnceValue(r.popularFirst), sync.OnceValues(r.lastContacts)
	if d.Kind == links.Bipartite {
		r.knn = sync.OnceValues(func() (*learn.KNN, error) {
			return learn.NewKNN(context.Background(), r.columns.Graph, s.KNN[0], int(s.KNN[1]), r.t.threads)
		})
	}
	return nil
}

// Evaluate scores the test part in the given forms. If forms is nil, it uses the forms of the
// training or, with a file of negatives, only the file.
func (r *Run) Evaluate(ctx context.Context, forms []string) (*Result, error) {
	if r.t.o.NegativesFrom != "" && forms == nil {
		forms = []string{score.File}
	}
	tables, err := r.t.evaluate(ctx, r.model, forms)
	if err != nil {
		return nil, err
	}
	d := r.Data
	return &Result{Run: r.t.o.Dir, Task: Task, Data: d.Name, Kind: d.Kind, Model: r.Settings.Chosen, Asked: r.Settings.Model, Split: r.Settings.Split,
		Seed: r.Settings.Seed, Select: r.Settings.Select, Counts: d.Counts, Tables: tables, Notes: slices.Concat(d.Notes, r.t.hubs())}, nil
}

// Rewrite writes the report of a run again.
func Rewrite(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, MetricsFile))
	if err != nil {
		return settings.Usage(err)
	}
	r := &Result{}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, MetricsFile), err)
	}
	return writeReport(dir, r)
}
