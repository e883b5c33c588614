package page

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// opened has what screens have used of a run so far.
type opened struct {
	Run
	toolkit chem.Toolkit
	threads int

	mu    sync.Mutex
	stamp atomicfile.Stamp // of the weights that set belongs to
	set   *settings.Settings

	graphs graphs
}

// graphs has what screens need the data of a run for. One screen at a time uses it.
type graphs struct {
	sync.Mutex
	stamp   atomicfile.Stamp
	session *session.Session
	records []keptRecord // latest last
	edgeMap *edgeMap
}

// keptRecord is a cached record of a graph.
type keptRecord struct {
	of     graphQuery
	record explain.GraphRecord
	edge   *explain.EdgeExplanation // replaces the record for edges of tables
}

// mostRecords is how many records of a run are cached.
const mostRecords = 8

// written identifies the version of the weights.
func (o *opened) written() atomicfile.Stamp {
	at, _ := atomicfile.StampOf(filepath.Join(o.Dir, "model.safetensors")) // missing weights are a version as well
	return at
}

// lock locks the cache of the folder, and clears it if the weights have changed.
func (o *opened) lock() {
	o.mu.Lock()
	if at := o.written(); at != o.stamp {
		o.stamp, o.set = at, nil
	}
}

// settings returns the settings of the run.
func (o *opened) settings() (*settings.Settings, error) {
	o.lock()
	defer o.mu.Unlock()
	if o.set == nil {
		r, err := session.LoadRun(o.Dir)
		if err != nil {
			return nil, err
		}
		set := r.Settings // without the weights
		o.set = &set
	}
	return o.set, nil
}

// missing says that the data of a run cannot be opened.
type missing struct {
	err  error
	data settings.DataSettings
}

func (m *missing) Error() string { return m.err.Error() }

// withData locks the graphs of a run for a screen; *missing if they cannot be opened.
func (o *opened) withData(ctx context.Context) (g *graphs, end func(), err error) {
	set, err := o.settings()
	if err != nil {
		return nil, nil, err
	}
	g = &o.graphs
	g.Lock()
	if at := o.written(); at != g.stamp {
		g.stamp, g.session, g.records, g.edgeMap = at, nil, nil, nil
	}
	if g.session == nil {
		if g.session, err = session.Load(ctx, o.Dir, source.LoadOptions{Toolkit: o.toolkit, Threads: o.threads}); err != nil {
			g.session = nil
			g.Unlock()
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			return nil, nil, &missing{err, set.Data}
		}
	}
	return g, g.Unlock, nil
}

// missingScreen converts a missing error to a screen that explains how to get the data; it returns other
// errors unchanged.
func missingScreen(v *view, err error) (*view, error) {
	var m *missing
	if !errors.As(err, &m) {
		return nil, err
	}
	v.Problem = "This screen needs the graphs of the training data, which cannot be opened. " + sentence(cause(m.err))
	v.Help = []string{
		fmt.Sprintf("Put the training data, %s, back at their path: %s.", m.data.Name, m.data.Path),
		"A public set is downloaded by ehgnn data fetch NAME; ehgnn data list names them.",
		"Report, Items and Compare work without, and Try explains any graph that is pasted.",
	}
	return v, nil
}

// cause is the error without hints for users of the command line.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		if outer := err.Error(); strings.Contains(outer, "name them as DATA") && !strings.Contains(inner.Error(), "name them as DATA") {
			return inner
		}
	}
	return err
}

// remember caches a record.
func (g *graphs) remember(q graphQuery, r explain.GraphRecord) { g.keep(keptRecord{of: q, record: r}) }

func (g *graphs) keep(r keptRecord) {
	g.records = append(g.records, r)
	if len(g.records) > mostRecords {
		g.records = slices.Delete(g.records, 0, 1)
	}
}

// remembered returns a cached record.
func (g *graphs) remembered(q graphQuery) (explain.GraphRecord, bool) {
	for _, k := range g.records {
		if k.of == q {
			return k.record, true
		}
	}
	return explain.GraphRecord{}, false
}
