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

// opened is a run with what screens have needed of it so far.
type opened struct {
	Run
	toolkit chem.Toolkit
	threads int

	mu    sync.Mutex
	stamp atomicfile.Stamp // of the weights that set is of
	set   *settings.Settings

	graphs graphs
}

// graphs are what screens need the data of a run for. One screen at a time uses them.
type graphs struct {
	sync.Mutex
	stamp   atomicfile.Stamp
	session *session.Session
	records []keptRecord // the latest last
	edgeMap *edgeMap
}

// keptRecord is a record of a graph that was made for a screen.
type keptRecord struct {
	of     graphQuery
	record explain.GraphRecord
	edge   *explain.EdgeExplanation // in place of the record, for edges of tables
}

// mostRecords is how many records a run keeps.
const mostRecords = 8

// written tells versions of the weights apart.
func (o *opened) written() atomicfile.Stamp {
	at, _ := atomicfile.StampOf(filepath.Join(o.Dir, "model.safetensors")) // none is a version, too
	return at
}

// lock locks what is kept of the folder, and forgets what is of older weights.
func (o *opened) lock() {
	o.mu.Lock()
	if at := o.written(); at != o.stamp {
		o.stamp, o.set = at, nil
	}
}

// settings are those of the run.
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

// withData locks the graphs of a run for a screen; *missing where they cannot be opened.
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

// lacking makes of the error of a screen that needs graphs a screen that says what is missing
// and how to get it; other errors stay.
func lacking(v *view, err error) (*view, error) {
	var m *missing
	if !errors.As(err, &m) {
		return nil, err
	}
	v.Problem = "This screen needs the graphs of the training data, which cannot be opened. " + sentence(cause(m.err))
	v.Help = []string{
		fmt.Sprintf("Put the data of the training, %s, where they were: %s.", m.data.Name, m.data.Path),
		"A public set is downloaded by ehgnn data fetch NAME; ehgnn data list names them.",
		"Report, Items and Compare work without, and Try explains any graph that is pasted.",
	}
	return v, nil
}

// cause is the error without what it advises those who run a command.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		if outer := err.Error(); strings.Contains(outer, "name them as DATA") && !strings.Contains(inner.Error(), "name them as DATA") {
			return inner
		}
	}
	return err
}

// remember keeps a record.
func (g *graphs) remember(q graphQuery, r explain.GraphRecord) { g.keep(keptRecord{of: q, record: r}) }

func (g *graphs) keep(r keptRecord) {
	g.records = append(g.records, r)
	if len(g.records) > mostRecords {
		g.records = slices.Delete(g.records, 0, 1)
	}
}

// remembered is a record that was kept.
func (g *graphs) remembered(q graphQuery) (explain.GraphRecord, bool) {
	for _, k := range g.records {
		if k.of == q {
			return k.record, true
		}
	}
	return explain.GraphRecord{}, false
}
