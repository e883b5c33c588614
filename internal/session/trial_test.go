package session

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/train"
)

// disliked is a table of edges whose label is, nine times of ten, what their target is, and that
// have columns which say nothing.
func disliked(t *testing.T, edges, columns int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	var text strings.Builder
	text.WriteString("source,target,label")
	for c := range columns {
		fmt.Fprintf(&text, ",c%d", c)
	}
	const nodes = 400
	for range edges {
		u, v := r.IntN(nodes), r.IntN(nodes)
		fmt.Fprintf(&text, "\n%d,%d,%v", u, v, (v%3 == 0) != (r.IntN(10) == 0))
		for range columns {
			fmt.Fprintf(&text, ",%d", r.IntN(50))
		}
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String()+"\n")
}

// strangers is a table of edges that share no node.
func strangers(t *testing.T, edges int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("source,target,label\n")
	for e := range edges {
		fmt.Fprintf(&text, "%d,%d,%v\n", 2*e, 2*e+1, e%3 == 0)
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// Where the rules leave labels unread, trials find that they help; a run that goes on does not
// ask again.
func TestTrialsFindLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two small models")
	}
	r := Request{Path: disliked(t, 6300, 4), Model: "mlp-edge", Seed: 1,
		Given: settings.Values{"fractions": []float64{0.8, 0.1, 0.1}, "structure": []string{settings.StructureNone}, "node-embedding": 0}}
	dir := filepath.Join(t.TempDir(), "run")
	var choices []settings.Choice
	until := func(epoch int, resume bool) *Session {
		s := mustOpen(t, r)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := s.Train(ctx, TrainOptions{Dir: dir, Resume: resume, OnChoice: func(c settings.Choice) { choices = append(choices, c) },
			OnEpoch: func(e train.EpochInfo) {
				if e.Epoch == epoch {
					cancel()
				}
			}})
		if err == nil || ctx.Err() == nil {
			t.Fatalf("error %v, expected an interruption", err)
		}
		return s
	}
	s := until(1, false)
	if len(choices) != 1 || choices[0].Setting != "label-context" || choices[0].Value != settings.ChoiceOn || s.Settings.Data.Tables.LabelContext != settings.ContextOn {
		t.Fatalf("choices %+v, label context %s", choices, s.Settings.Data.Tables.LabelContext)
	}
	if c := choices[0]; !(c.With < c.Without-0.1) || !strings.HasPrefix(c.String(), "label context: on, validation loss 0.") || !strings.Contains(c.String(), " without, in trials of 100 epochs") {
		t.Errorf("%+v: %s", c, c)
	}
	told := len(choices)
	if again := until(2, true); len(choices) != told || again.Settings.Data.Tables.LabelContext != settings.ContextOn || !slices.Equal(again.Settings.Choices, choices) {
		t.Errorf("choices %+v once resumed, then of the settings %+v", choices, again.Settings.Choices)
	}
	repeat, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := mustOpen(t, repeat); len(s.autoOptions) > 0 || s.Settings.Data.Tables.LabelContext != settings.ContextOn {
		t.Errorf("repeated, the run asks %+v", s.autoOptions)
	}
}

// A training without a run folder that goes on does not ask again either.
func TestFitKeepsChoices(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two small models")
	}
	r := Request{Path: disliked(t, 6300, 0), Model: "mlp-edge", Seed: 1,
		Given: settings.Values{"fractions": []float64{0.8, 0.1, 0.1}, "structure": []string{settings.StructureNone}, "node-embedding": 0}}
	dir := filepath.Join(t.TempDir(), "checkpoint")
	choices := func() []settings.Choice {
		s := mustOpen(t, r)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if _, err := s.Fit(ctx, FitOptions{Dir: dir, OnEpoch: func(train.EpochInfo) { cancel() }}); err == nil || ctx.Err() == nil {
			t.Fatalf("error %v, expected an interruption", err)
		}
		return s.Settings.Choices
	}
	if c := choices(); len(c) != 1 || c[0].Epochs != 100 {
		t.Fatalf("choices %+v", c)
	}
	path := filepath.Join(dir, settings.ConfigFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marked := bytes.Replace(text, []byte("epochs: 100\n"), []byte("epochs: 99\n"), 1)
	if err := os.WriteFile(path, marked, 0o644); err != nil {
		t.Fatal(err)
	}
	if c := choices(); len(c) != 1 || c[0].Epochs != 99 {
		t.Errorf("choices %+v once resumed, expected those that were kept", c)
	}
}

// Where only who knows the nodes can tell, trials find that vectors of nodes help.
func TestTrialsFindNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("trains two small models")
	}
	s := mustOpen(t, Request{Path: tempers(t, 6300), Model: "mlp-edge", Seed: 1,
		Given: settings.Values{"fractions": []float64{0.8, 0.1, 0.1}, "structure": []string{settings.StructureNone}, "label-context": settings.ContextOff}})
	if err := s.resolveAuto(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if t.Log(s.Settings.Choices); len(s.Settings.Choices) != 1 || s.Settings.Data.Tables.NodeEmbedding != settings.NodeWidth {
		t.Errorf("choices %+v, vectors of width %d", s.Settings.Choices, s.Settings.Data.Tables.NodeEmbedding)
	}
}

// On payments labels of neighbours are learned first, and less is learned of the rest: trials
// leave them out, and everything else as it is, but for vectors of nodes, since mules are the
// same accounts in all parts.
func TestTrialsOnPayments(t *testing.T) {
	if testing.Short() {
		t.Skip("trains small models")
	}
	s := mustOpen(t, Request{Path: testsets.Transactions(t, 500, 8400, nil), Seed: 1})
	if len(s.autoOptions) != 4 {
		t.Fatalf("questions %+v, expected label context, vectors of nodes, structure and time", s.autoOptions)
	}
	before := s.Settings
	if err := s.resolveAuto(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Settings.Choices {
		want := settings.ChoiceOff
		if c.Setting == "node-embedding" {
			want = settings.ChoiceOn
		}
		if t.Log(c); c.Value != want {
			t.Errorf("%+v is chosen, expected %s", c, want)
		}
	}
	for _, changed := range before.Changes(s.Settings) {
		if !strings.Contains(changed, ".node_") {
			t.Errorf("decided beside vectors of nodes: %s", changed)
		}
	}
}

// Trials are for what is left open, where there is work to save and something to compare.
func TestQuestions(t *testing.T) {
	path := disliked(t, 6300, 4)
	given := settings.Values{"fractions": []float64{0.8, 0.1, 0.1}}
	for _, test := range []struct {
		name  string
		path  string
		given settings.Values
		want  []string
	}{
		{"open", path, nil, []string{"label-context", "node-embedding", "structure"}},
		{"auto", path, settings.Values{"label-context": settings.ContextAuto, "structure": []string{settings.StructureAuto}}, []string{"label-context", "node-embedding", "structure"}},
		{"given", path, settings.Values{"label-context": settings.ContextOff}, []string{"node-embedding", "structure"}},
		{"all given", path, settings.Values{"label-context": settings.ContextOn, "structure": []string{settings.StructureAll}, "node-embedding": 0}, nil},
		{"few epochs", path, settings.Values{"epochs": 20}, nil},
		{"epochs for two questions", path, settings.Values{"epochs": 100}, []string{"label-context", "node-embedding"}},
		{"few edges", disliked(t, 1000, 4), nil, nil},
		{"no columns, which structure takes the place of", disliked(t, 6300, 0), nil, []string{"label-context", "node-embedding"}},
		{"other nodes", strangers(t, 6300), nil, nil},
		{"nothing to validate on", path, settings.Values{"fractions": []float64{0.9, 0, 0.1}}, nil},
	} {
		s := mustOpen(t, Request{Path: test.path, Given: given.Over(test.given)})
		var got []string
		for _, q := range s.autoOptions {
			got = append(got, q.option)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: questions %q, expected %q", test.name, got, test.want)
		}
	}
}

// A trial wins by more than chance and by more than a trifle.
func TestTrialBeats(t *testing.T) {
	of := func(score, spread float64) (out trial) {
		out.score = score
		for k := range out.folds {
			out.folds[k] = score + spread*float64(k%2)
		}
		return out
	}
	for _, test := range []struct {
		a, b     trial
		maximise bool
		want     bool
	}{
		{of(0.3, 0), of(0.4, 0), false, true},
		{of(0.4, 0), of(0.3, 0), false, false},
		{of(0.4, 0), of(0.3, 0), true, true},
		{of(0.39, 0), of(0.4, 0), false, false},  // a trifle
		{of(0.3, 0.1), of(0.4, 0), false, false}, // chance
		{of(0.3, 0.02), of(0.4, 0), false, true}, // not by chance
		{of(0.95, 0), of(0.949, 0), true, false}, // a trifle of what is left to 1
		{of(0.99, 0), of(0.98, 0), true, true},
		{trial{}, trial{}, false, false},
	} {
		if got := test.a.beats(test.b, test.maximise); got != test.want {
			t.Errorf("%v against %v: %v", test.a.score, test.b.score, got)
		}
	}
}
