package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// numbered are graphs that carry their number as a label.
func numbered(n int) []*graph.Graph {
	out := make([]*graph.Graph, n)
	for i := range out {
		out[i] = &graph.Graph{NumNodes: 6, Label: int32(i), Ends: []int32{0, 1, 1, 2, 2, 3, 3, 4, 4, 5},
			Node: graph.Features{Dim: 2, Dense: make([]float32, 12)}, Edge: graph.Ones(5)}
		for k := range out[i].Node.Dense {
			out[i].Node.Dense[k] = float32(i+k) / 10
		}
	}
	return out
}

func labels(gs []*graph.Graph) []int32 {
	var out []int32
	for _, g := range gs {
		out = append(out, g.Label)
	}
	return out
}

func TestShuffled(t *testing.T) {
	const n, size, epochs = 11, 4, 3
	graphs := numbered(n)
	var all [][]int32
	for gs := range shuffled(graphs, size, 5, 0, 3*epochs) {
		all = append(all, labels(gs))
	}
	if len(all) != 9 {
		t.Fatalf("%d batches", len(all))
	}
	var orders []string
	for e := range epochs {
		order := slices.Concat(all[3*e : 3*e+3]...)
		orders = append(orders, fmt.Sprint(order))
		if len(all[3*e+2]) != n%size {
			t.Errorf("epoch %d ends with a batch of %d", e+1, len(all[3*e+2]))
		}
		slices.Sort(order)
		for i, l := range order {
			if l != int32(i) {
				t.Fatalf("epoch %d has graphs %v", e+1, order)
			}
		}
	}
	if orders[0] == orders[1] || orders[1] == orders[2] {
		t.Errorf("epochs have the same order: %v", orders)
	}
	// From any step on, the rest is the same.
	for from := range 9 {
		at := from
		for gs := range shuffled(graphs, size, 5, from, 9) {
			if !slices.Equal(labels(gs), all[at]) {
				t.Fatalf("from step %d, step %d has %v, want %v", from, at, labels(gs), all[at])
			}
			at++
		}
	}
	if labels(graphs)[1] != 1 {
		t.Error("the caller's slice was shuffled")
	}
}

func TestLoader(t *testing.T) {
	graphs := numbered(10)
	prepared := 0
	l := load(inOrder(graphs, 3), graph.Collate, func(*graph.Batch) { prepared++ })
	for i := range 5 {
		b, err := l.next()
		switch {
		case err != nil:
			t.Fatal(err)
		case i < 4 && b.Labels[0] != int32(3*i):
			t.Errorf("batch %d begins with graph %d", i, b.Labels[0])
		case i == 4 && b != nil:
			t.Error("a batch after the last")
		}
	}
	l.close()
	l.close()
	if prepared != 4 {
		t.Errorf("%d batches prepared", prepared)
	}

	prepared = 0
	l = load(inOrder(numbered(100), 1), graph.Collate, func(*graph.Batch) { prepared++ }) // closed while it waits
	if _, err := l.next(); err != nil {
		t.Fatal(err)
	}
	l.close()
	if prepared > 1+ahead+1 { // taken, waiting, under way
		t.Errorf("%d batches prepared for one", prepared)
	}

	l = load(inOrder(append(numbered(1), &graph.Graph{}), 2), graph.Collate, nil)
	defer l.close()
	if b, err := l.next(); b != nil || err == nil {
		t.Errorf("batch %v, error %v for graphs that do not fit", b, err)
	}
	if b, err := l.next(); b != nil || err != nil {
		t.Errorf("batch %v, error %v after an error", b, err)
	}

	boom := load(inOrder(graphs, 5), graph.Collate, func(*graph.Batch) { panic("boom") })
	defer boom.close()
	defer func() {
		if r := recover(); r != "boom" {
			t.Errorf("recovered %v, want the panic of Prepare", r)
		}
	}()
	boom.next()
}

// small is a problem whose steps are alike: graphs of one size, whole batches.
type small struct{ a, b *nn.Linear }

func (s small) Params() []*tensor.Param { return nn.Params(s.a, s.b) }

func newSmall() (small, Problem) {
	in := nn.NewInit(1)
	s := small{nn.NewLinear(in.In("a"), nn.Dims{In: 2, Out: 8}), nn.NewLinear(in.In("b"), nn.Dims{In: 8, Out: 1})}
	return s, Problem{Model: s, Loss: func(p *nn.Pass, b *graph.Batch) (*tensor.Tensor, float64) {
		x := tensor.SegmentMean(nn.Dropout(p, s.a.ForwardReLU(p, b.X), 0.1), b.VertexOf)
		want := tensor.New(b.N, 1)
		for i, l := range b.Labels {
			want.Data()[i] = float32(l) / 10
		}
		return s.b.Forward(p, x).Sub(want).Square().Mean(), float64(b.N)
	}}
}

// Memory is steady from the second epoch on.
func TestArenaIsSteady(t *testing.T) {
	_, problem := newSmall()
	r := &run{problem: problem, cfg: Config{Epochs: 20, BatchSize: 4, LR: 0.01, ClipNorm: 1, Threads: 1},
		data: &graphData{train: numbered(16), valid: numbered(8)}}
	var bytes []int64
	r.opts.OnStep = func(StepInfo) { bytes = append(bytes, r.arena.Bytes()) }
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(bytes) != 80 || bytes[0] == 0 {
		t.Fatalf("%d steps, first %d bytes", len(bytes), bytes[0])
	}
	for i, b := range bytes {
		if i > 4 && b != bytes[4] {
			t.Fatalf("step %d: the arena has %d bytes, %d after the first epoch", i+1, b, bytes[4])
		}
	}
}

func TestStanding(t *testing.T) {
	type seen struct {
		value    float64
		improved bool
		counter  int
	}
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		monitor Monitor
		epochs  []seen
		best    int
	}{
		{"minimum, strictly", Monitor{}, []seen{{2, true, 0}, {2, false, 1}, {1.5, true, 0}, {1.6, false, 1}, {1.5, false, 2}}, 3},
		{"maximum, strictly", Monitor{Maximize: true}, []seen{{-2, true, 0}, {-2, false, 1}, {3, true, 0}, {3, false, 1}}, 3},
		{"ties reset", Monitor{Maximize: true, TiesReset: true}, []seen{{1, true, 0}, {0, false, 1}, {1, false, 0}, {0.5, false, 1}}, 1},
		{"NaN", Monitor{TiesReset: true}, []seen{{nan, false, 1}, {nan, false, 2}, {4, true, 0}, {nan, false, 1}}, 3},
		{"zero is a value", Monitor{}, []seen{{0, true, 0}, {0, false, 1}, {-1, true, 0}}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s bestState
			for i, e := range c.epochs {
				if improved := s.see(i+1, e.value, c.monitor); improved != e.improved || s.Counter != e.counter {
					t.Errorf("epoch %d: improved %v, counter %d; want %v, %d", i+1, improved, s.Counter, e.improved, e.counter)
				}
			}
			if s.BestEpoch != c.best {
				t.Errorf("best epoch %d, want %d", s.BestEpoch, c.best)
			}
		})
	}
}

func TestStateCheck(t *testing.T) {
	history := []EpochInfo{{Epoch: 1}, {Epoch: 2}}
	good := progress{Epoch: 2, Step: 11, History: history, bestState: bestState{BestEpoch: 1, Counter: 1}}
	if err := (&state{progress: good}).check(5, 0); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*progress){
		"negative epoch":      func(p *progress) { p.Epoch = -1 },
		"huge epoch":          func(p *progress) { p.Epoch = math.MaxInt },
		"step before":         func(p *progress) { p.Step = 9 },
		"step behind":         func(p *progress) { p.Step = 16 },
		"short history":       func(p *progress) { p.History = history[:1] },
		"history not in line": func(p *progress) { p.History = []EpochInfo{{Epoch: 2}, {Epoch: 1}} },
		"best in the future":  func(p *progress) { p.BestEpoch = 3 },
		"negative counter":    func(p *progress) { p.Counter = -1 },
		"unknown end":         func(p *progress) { p.Stopped = "bored" },
	} {
		p := good
		change(&p)
		if err := (&state{progress: p}).check(5, 0); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// FuzzState: whatever a checkpoint's metadata says, it is refused or becomes a
// state that a run can have, and that survives being written again.
func FuzzState(f *testing.F) {
	s := state{Version: stateVersion, progress: progress{Epoch: 1, Step: 4, Part: epochPart{LR: 0.1},
		History:   []EpochInfo{{Epoch: 1, TrainLoss: math.NaN(), Valid: Scores{{"loss", 0.5}}}},
		bestState: bestState{BestEpoch: 1, Best: 0.5}}, OptimizerSteps: []int64{4, 4}}
	text, err := json.Marshal(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, 3)
	f.Add([]byte(`{"version":1}`), 1)
	f.Add([]byte(`{"version":2}`), 1)
	f.Add([]byte(`{"version":1,"history":[{"valid":{"a":1,"a":null}}],"epoch":1,"step":7}`), 4)
	f.Add([]byte(`[]`), 1)
	f.Fuzz(func(t *testing.T, text []byte, perEpoch int) {
		s, err := decodeState(text)
		if err != nil || perEpoch < 1 || s.check(perEpoch, 0) != nil {
			return
		}
		if s.Step < 0 || s.Step/perEpoch < s.Epoch || len(s.History) != s.Epoch {
			t.Fatalf("state %+v was accepted", s)
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeState(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		s.Run, back.Run = nil, nil // kept as JSON, whose white space changes
		if got, want := fmt.Sprintf("%+v", *back), fmt.Sprintf("%+v", *s); got != want {
			t.Fatalf("%s\nread as %s\nwant    %s", again, got, want)
		}
	})
}

// Identities of other versions have other settings, which equal a zero value.
func TestDiffers(t *testing.T) {
	for _, c := range []struct{ name, saved, now, want string }{
		{"the same", `{"a":{"b":1}}`, `{"a":{"b":1}}`, ""},
		{"another value", `{"a":{"b":1},"c":2}`, `{"a":{"b":3},"c":2}`, "a.b is 1 in the checkpoint and 3 now"},
		{"removed, not in use", `{"a":1,"old":false,"gone":{"x":0,"y":""}}`, `{"a":1}`, ""},
		{"removed, in use", `{"a":1,"old":true}`, `{"a":1}`, "old is true in the checkpoint and missing now"},
		{"added, not in use", `{"a":1}`, `{"a":1,"new":[],"more":null}`, ""},
		{"added, in use", `{"a":1}`, `{"a":1,"new":"x"}`, `new is missing in the checkpoint and "x" now`},
		{"text", `{"id":"x"}`, `{"id":"y"}`, `id is "x" in the checkpoint and "y" now`},
		{"JSON as text, in another order", `{"id":"{\"a\":1,\"b\":0}"}`, `{"id":"{\"c\":false,\"a\":1}"}`, ""},
		{"JSON as text", `{"id":"{\"a\":1}"}`, `{"id":"{\"a\":2}"}`, "id.a is 1 in the checkpoint and 2 now"},
	} {
		err := differs(json.RawMessage(c.saved), json.RawMessage(c.now))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want := c.want; want != "" && got != "the checkpoint belongs to another run: "+want || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// A failed write must not be lost: Fit ends with it.
func TestRecordErrorEndsTheRun(t *testing.T) {
	_, problem := newSmall()
	r := &run{problem: problem, cfg: Config{Epochs: 3, LR: 0.01}, opts: Options{Recorder: &Recorder{Dir: t.TempDir()}},
		data: &graphData{train: numbered(4)}}
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.record.lines.Close()
	if res, err := r.train(context.Background()); res != nil || err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", res, err)
	}
}

// BenchmarkFit is a run on graphs of the size of MUTAG's, to see what the loop
// costs around the model.
func BenchmarkFit(b *testing.B) {
	r := rng.Stream(1, "bench")
	graphs := make([]*graph.Graph, 152)
	for i := range graphs {
		n := 14 + r.IntN(10)
		g := &graph.Graph{NumNodes: n, Label: int32(i % 2), Node: graph.Features{Dim: 2, Dense: make([]float32, 2*n)}}
		for v := 1; v < n; v++ {
			g.Ends = append(g.Ends, int32(r.IntN(v)), int32(v))
		}
		g.Edge = graph.Ones(n - 1)
		graphs[i] = g
	}
	for b.Loop() {
		_, problem := newSmall()
		if _, err := Fit(context.Background(), problem, graphs, nil, Config{Epochs: 10, BatchSize: 32, LR: 0.01, ClipNorm: 1, Threads: 1}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/50, "µs/step")
}
