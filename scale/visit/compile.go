package visit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/scale/store"
)

// unfit has the reasons why some models cannot run in turns of parts and blocks.
var unfit = map[string]string{
	"auto":           "its columns are made of all known labels at once",
	"ehgnn-roles":    "its nodes tell edges that leave them from edges that enter them, and its edges look for their opposites",
	"linegraph-edge": "its edges have as many neighbours as a node has edges",
	"attention-edge": "its weights of attention are normalised over all edges of a node",
	"gin-edge":       "its nodes tell edges that leave them from edges that enter them",
	"pna-edge":       "its nodes need extremes and deviations beside sums",
	"hyperdrop":      "each of its layers chooses the best edges of all of the graph",
}

// Models returns the names of the models that have a Program.
func Models() []string { return []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} }

// Compile returns the program of a run. If there is none, it returns an error with the reason.
func Compile(r *session.Run) (Program, error) {
	s := &r.Settings
	if err := admit(s); err != nil {
		return nil, err
	}
	e := s.Data.Tables.Encoder
	n := &network{directed: e.Options.Form == data.Directed, node: layoutOf("node", e.Nodes), edge: layoutOf("edge", e.Edges), out: s.Model.Out}
	if n.node.width() != s.Model.Node || n.edge.width() != s.Model.Edge {
		return nil, fmt.Errorf("visit: the encoder of the run gives features of widths %d and %d, its model reads %d and %d", n.node.width(), n.edge.width(), s.Model.Node, s.Model.Edge)
	}
	m := r.Model
	if behind, ok := m.(*model.Encoded); ok {
		n.nodes, n.edges, m = behind.Node, behind.Edge, behind.Model
	}
	switch m := m.(type) {
	case *model.DualStack:
		return newDual(n, m)
	case *model.JointDecoder:
		return newJoint(n, m), nil
	}
	return nil, fmt.Errorf("visit: model %s is a %T, which has no turns", s.ModelName, m)
}

// admit returns an error for settings of runs without a program.
func admit(s *settings.Settings) error {
	if !slices.Contains(Models(), s.ModelName) {
		expected := strings.Join(Models(), ", ")
		if why, ok := unfit[s.ModelName]; ok {
			return settings.Misuse("visit: model %s cannot be run a block at a time: %s; expected one of %s", s.ModelName, why, expected)
		}
		return settings.Misuse("visit: model %s predicts for no edges of one large graph by sums at nodes; expected one of %s", s.ModelName, expected)
	}
	t := s.Data.Tables
	if t == nil || t.Encoder == nil {
		return settings.Misuse("visit: the run was trained on %s, expected a run on tables of edges", s.Data.Source)
	}
	e := t.Encoder
	if e.Level != "" && e.Level != tables.OfEdges {
		return settings.Misuse("visit: the run was trained on labels of each %s, expected labels of each edge", e.Level)
	}
	for _, f := range []struct {
		has        bool
		what, flag string
	}{
		{len(e.Structure) > 0, "structure columns, which need all of the graph at once", "--structure none"},
		{e.Times != nil, "columns of time, which need all earlier edges of a node", "--time-features off"},
		{s.Model.Context != nil, "labels of other edges", "--label-context off"},
		{s.Model.Members > 1, fmt.Sprintf("%d members", s.Model.Members), "--members 1"},
	} {
		if f.has {
			return settings.Misuse("visit: the run has %s, which cannot be had a block at a time; train it with %s", f.what, f.flag)
		}
	}
	return nil
}

// Check returns an error if the features of a store are not those that a run reads.
func Check(r *session.Run, m *store.Manifest) error {
	want, err := json.Marshal(r.Settings.Data.Tables.Encoder)
	if err != nil {
		return fmt.Errorf("visit: %w", err)
	}
	have, err := json.Marshal(m.Encoder)
	if err != nil {
		return fmt.Errorf("visit: %w", err)
	}
	if m.Directed != r.Settings.Data.Directed() {
		return settings.Misuse("visit: the store has directed %v, which is not so of the data that the run was trained on", m.Directed)
	}
	if !bytes.Equal(want, have) {
		return settings.Misuse("visit: the store was packed with another encoder than the run has; pack it with --run %s", r.Dir)
	}
	return nil
}

// Decode returns a run and its program from the content of its file of weights
// (RUN/model.safetensors), for a process without the run folder.
func Decode(weights []byte) (*session.Run, Program, error) {
	r, err := session.DecodeRun(weights)
	if err != nil {
		return nil, nil, err
	}
	p, err := Compile(r)
	return r, p, err
}
