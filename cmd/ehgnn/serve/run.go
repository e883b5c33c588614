package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/items"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// Files of a run folder in addition to those that ehgnn.Open reads.
const (
	weightsFile = "model.safetensors"
	schemaFile  = "schema.json"
)

// Run is a run folder that is served.
type Run struct {
	name, dir string
	toolkit   chem.Toolkit
	options   ehgnn.Options
	limits    Limits
	now       atomic.Pointer[loaded]

	mu   sync.Mutex
	seen atomicfile.Stamp // of the weights that were tried last

	items items.Kept
}

// Name is the base name of the folder, which requests use.
func (r *Run) Name() string { return r.name }

// Dir is the run folder.
func (r *Run) Dir() string { return r.dir }

// Model is the model loaded last.
func (r *Run) Model() *ehgnn.Model { return r.now.Load().model }

// Stored is the stored predictions of the run.
func (r *Run) Stored() (*items.Set, error) { return r.items.Set() }

// loaded is the state of a run at one time.
type loaded struct {
	name    string
	model   *ehgnn.Model
	digest  string // of the weights
	schema  runSchema
	text    json.RawMessage // schema.json
	example json.RawMessage // input_example.json; nil for none
	limits  Limits
	toolkit chem.Toolkit
	reply   replyNames
	readers sync.Pool // of *decoder
}

// runSchema has the used parts of schema.json.
type runSchema struct {
	Directed bool              `json:"directed"`
	NumNodes struct{ Q99 int } `json:"num_nodes"`
	NumEdges struct{ Q99 int } `json:"num_edges"`
}

// LoadOptions says how runs are computed.
type LoadOptions struct {
	// Workers is the number of graphs or batches that are computed concurrently, over all runs.
	Workers int
	Limits  Limits
	Toolkit chem.Toolkit // reads SMILES; nil for none
	// Threshold is ehgnn.Options.Threshold of all runs.
	Threshold string
}

// Load loads run folders. Two runs with the same name are an error.
func Load(ctx context.Context, dirs []string, o LoadOptions) ([]*Run, error) {
	o.Limits.Memory /= float64(max(o.Workers, 1))
	var out []*Run
	named := map[string]string{}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("serve: %w", err)
		}
		r := &Run{name: filepath.Base(abs), dir: dir, toolkit: o.Toolkit, limits: o.Limits, items: items.Kept{Dir: dir}, options: ehgnn.Options{Threads: 1, Parallel: o.Workers, Threshold: o.Threshold}}
		if other, ok := named[r.name]; ok {
			return nil, fmt.Errorf("serve: %s and %s are both called %s; rename one of them", other, dir, r.name)
		}
		named[r.name] = dir
		if r.seen, err = atomicfile.StampOf(filepath.Join(dir, weightsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("serve: %w", err)
		}
		l, err := r.load(ctx)
		if err != nil {
			return nil, err
		}
		r.now.Store(l)
		out = append(out, r)
	}
	return out, nil
}

// load reads the run folder.
func (r *Run) load(ctx context.Context) (*loaded, error) {
	m, err := ehgnn.Open(ctx, r.dir, r.options)
	if err != nil {
		return nil, err
	}
	l := &loaded{name: r.name, model: m, digest: m.Digest(), limits: r.limits, toolkit: r.toolkit, reply: newReplyNames(r.name, m)}
	if l.text, err = r.document(schemaFile); err != nil {
		return nil, err
	}
	if l.text == nil { // an older version that did not write it
		s := m.Schema()
		if l.text, err = json.Marshal(map[string]any{"directed": s.Directed, "nodes": s.Nodes, "edges": s.Edges}); err != nil {
			return nil, fmt.Errorf("serve: run %s: %w", r.name, err)
		}
	}
	if err := json.Unmarshal(l.text, &l.schema); err != nil {
		return nil, fmt.Errorf("serve: run %s: %s: %w", r.name, schemaFile, err)
	}
	l.schema.Directed = m.Schema().Directed
	l.readers.New = func() any { return newDecoder(l, r.limits) }
	return l, l.try(ctx)
}

// document reads a JSON file of the run folder; nil if it does not exist.
func (r *Run) document(name string) (json.RawMessage, error) {
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !json.Valid(text) {
		err = errors.New("is not JSON")
	}
	if err != nil {
		return nil, fmt.Errorf("serve: run %s: %s: %w", r.name, name, err)
	}
	return text, nil
}

// try predicts for the example, if there is one.
func (l *loaded) try(ctx context.Context) error {
	_, text, err := l.model.Example()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if l.example = text; err == nil {
		err = l.model.Check(ctx)
	}
	if err != nil {
		return fmt.Errorf("serve: run %s: %w", l.name, err)
	}
	return nil
}

// reload loads the run again if its weights have changed, or if always is set. It reports whether
// new weights are in use; after an error the old ones are used.
func (r *Run) reload(ctx context.Context, always bool) (changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, err := atomicfile.StampOf(filepath.Join(r.dir, weightsFile))
	if err != nil {
		if r.seen == (atomicfile.Stamp{}) {
			return false, nil // was reported before
		}
		r.seen = atomicfile.Stamp{}
		return false, fmt.Errorf("serve: run %s: %w", r.name, err)
	}
	if now == r.seen && !always {
		return false, nil
	}
	r.seen = now
	l, err := r.load(ctx)
	if err != nil {
		return false, err
	}
	old := r.now.Load()
	if l.digest == old.digest {
		return false, nil
	}
	if l.model.Task() != old.model.Task() {
		return false, fmt.Errorf("serve: run %s: the new weights are for %s, expected %s as before", r.name, l.model.Task(), old.model.Task())
	}
	if a, b := signature(l.model), signature(old.model); a != b {
		return false, fmt.Errorf("serve: run %s: the new weights have another schema than before", r.name)
	}
	r.now.Store(l)
	return true, nil
}

// signature is what clients rely on: the form of graphs and replies.
func signature(m *ehgnn.Model) string {
	s := m.Schema()
	text := fmt.Sprint(s.Directed, m.Classes(), m.Targets())
	for _, of := range [][]ehgnn.Field{s.Nodes, s.Edges} {
		for _, f := range of {
			text += fmt.Sprintf(" %s %s %d %d %q %q", f.Name, f.Kind, f.Width, f.Offset, f.Values, f.Separator)
		}
		text += ";"
	}
	return text
}

// poll is the time between two checks of the weights of runs.
const poll = 2 * time.Second

// watch reloads runs whose weights change, and all runs on a signal from hup, until ctx ends.
func watch(ctx context.Context, runs []*Run, hup <-chan os.Signal, log *slog.Logger, count func(result string)) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		always := false
		select {
		case <-ctx.Done():
			return
		case <-hup:
			always = true
		case <-tick.C:
		}
		for _, r := range runs {
			switch changed, err := r.reload(ctx, always); {
			case ctx.Err() != nil:
			case err != nil:
				log.Error("new weights are not used", "run", r.name, "digest", r.now.Load().digest, "error", err)
				count("refused")
			case changed:
				log.Info("new weights", "run", r.name, "digest", r.now.Load().digest)
				count("loaded")
			}
		}
	}
}

// affords returns a problem for a graph for which the model would use too much memory.
func (l *loaded) affords(g *ehgnn.Graph, most float64) *Problem {
	if most == 0 {
		return nil
	}
	cost := l.model.Cost(g)
	if cost <= most {
		return nil
	}
	return wrong(fmt.Sprintf("%d nodes and %d edges, for which the model takes about %s", g.NumNodes, len(g.Ends)/2, memory.Text(cost)),
		fmt.Sprintf("a graph for which it takes at most %s (--max-memory, divided by the workers)", memory.Text(most)))
}

// molecule is the graph of a SMILES.
func (l *loaded) molecule(text string) (*ehgnn.Graph, *Problem) {
	switch {
	case !l.model.TakesSMILES():
		return nil, problemf(http.StatusUnprocessableEntity, "the run was not trained on SMILES")
	case l.toolkit == nil:
		return nil, problemf(http.StatusUnprocessableEntity, "%v", chem.ErrNoToolkit)
	}
	g, err := l.model.Molecule(l.toolkit, text)
	if err != nil {
		return nil, problemf(http.StatusUnprocessableEntity, "%v", err)
	}
	return g, nil
}

// readsLabels reports whether the run reads known labels of edges.
func (l *loaded) readsLabels() bool {
	names, _ := l.model.Tables()
	return names.Label != ""
}

// warnings describes properties of a graph that do not, or hardly, occur in the training data.
func (l *loaded) warnings(nodes, edges int, in *ehgnn.Input) []string {
	out := slices.Clone(in.Remarks())
	for _, u := range in.Unseen() {
		out = append(out, u.String())
	}
	if _, one := l.model.Tables(); one && l.model.Level() == ehgnn.Edges {
		return out // the training edges are one graph, whose size says nothing about the size of others
	}
	if most := l.schema.NumNodes.Q99; most > 0 && nodes > most {
		out = append(out, fmt.Sprintf("%d nodes; 99 %% of the graphs of the training had at most %d", nodes, most))
	}
	if most := l.schema.NumEdges.Q99; most > 0 && edges > most {
		out = append(out, fmt.Sprintf("%d edges; 99 %% of the graphs of the training had at most %d", edges, most))
	}
	return out
}
