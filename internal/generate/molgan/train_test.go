package molgan

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/nn"
)

// quick returns settings of a training that takes a second.
func quick() Config {
	c := Default()
	c.GMPool, c.EHGNN = true, true
	c.Iterations, c.Interval, c.Samples, c.Batch, c.Every = 24, 8, 60, 6, 3
	return c
}

func trainToy(t *testing.T, ctx context.Context, c Config, o Options) (*Result, error) {
	t.Helper()
	d := chains(small, newRand(t), 60)
	if o.Judge == nil {
		o.Judge = &Judge{Toolkit: toy{}, Space: small, Threads: o.Threads}
	}
	return Train(ctx, d, all32(50), c, o)
}

// sameRun compares two results bit by bit, except times and calls of the toolkit.
func sameRun(t *testing.T, what string, got, want *Result) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "Generator", "Seconds", "Measuring", "Calls")); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
	for i, p := range want.Generator.Params() {
		if !slices.Equal(p.Value.Data(), got.Generator.Params()[i].Value.Data()) {
			t.Errorf("%s: %s differs", what, p.Name)
		}
	}
}

// Neither the number of threads nor an interruption at any point changes a bit.
func TestTrainResumes(t *testing.T) {
	want, err := trainToy(t, t.Context(), quick(), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(want.Points); n != 4 || want.Diverged != 0 || last(want).Iteration != 24 || want.Calls == 0 {
		t.Fatalf("%d points, %+v", n, want)
	}
	got, err := trainToy(t, t.Context(), quick(), Options{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "three threads", got, want)
	for _, stop := range []int{1, 8, 11} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		_, err := trainToy(t, ctx, quick(), Options{Threads: 1, Dir: dir, OnIteration: func(done int, _ float64) {
			if done == stop {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that of the context", err)
		}
		begun := 0
		got, err := trainToy(t, t.Context(), quick(), Options{Threads: 2, Dir: dir, Resume: true, OnIteration: func(done int, _ float64) {
			if begun == 0 {
				begun = done
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if begun != stop+1 {
			t.Errorf("it goes on at iteration %d, want %d", begun, stop+1)
		}
		sameRun(t, "resumed", got, want)
	}
}

// A longer training begins like a shorter one, and can continue from it.
func TestTrainLonger(t *testing.T) {
	c, dir := quick(), t.TempDir()
	c.Iterations = 8
	if _, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	want, err := trainToy(t, t.Context(), quick(), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := trainToy(t, t.Context(), quick(), Options{Threads: 1, Dir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "longer", got, want)
}

// A damaged checkpoint and a checkpoint of other settings are errors.
func TestTrainRefuses(t *testing.T) {
	dir := t.TempDir()
	c := quick()
	c.Iterations = 1
	if _, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	other := c
	other.LR = 1e-4
	_, err := trainToy(t, t.Context(), other, Options{Threads: 1, Dir: dir, Resume: true})
	if err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(dir, checkpointFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-3] ^= 0x40
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir, Resume: true})
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	for want, change := range map[string]func(*Config){
		"rgcn is":              func(c *Config) { c.RGCN = "none" },
		"discretise is":        func(c *Config) { c.Mode = "hard" },
		"reward has \"logp\"":  func(c *Config) { c.Reward = []string{"logp"} },
		"lambda is NaN":        func(c *Config) { c.Lambda = math.NaN() },
		"batch is 0":           func(c *Config) { c.Batch = 0 },
		"at least a batch of ": func(c *Config) { c.Batch = 100 },
	} {
		c := quick()
		change(&c)
		if _, err := trainToy(t, t.Context(), c, Options{Threads: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A loss that is not finite ends the training. The last checkpoint stays, and the generator is that
// of the last measurement.
func TestTrainDiverges(t *testing.T) {
	c, dir := quick(), t.TempDir()
	c.Penalty = 1e38
	got, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got.Diverged == 0 || last(got).Iteration >= got.Diverged {
		t.Fatalf("diverged %d, last %+v", got.Diverged, last(got))
	}
	for _, p := range got.Generator.Params() {
		if !finite(p.Value.Data()...) {
			t.Errorf("%s is not finite", p.Name)
		}
	}
	again, err := trainToy(t, t.Context(), c, Options{Threads: 1, Dir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	sameRun(t, "resumed", again, got)
}

// With the reference losses, generator and reward network are updated by one loss. The rewards of
// generated molecules enter it only through the error of the reward network, and λ does not enter
// it.
func TestTrainReferenceLoss(t *testing.T) {
	c := quick()
	c.Iterations, c.ReferenceLoss = 2*c.Every, true
	train := func(change func(*Config)) *Result {
		c := c
		change(&c)
		got, err := trainToy(t, t.Context(), c, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := train(func(*Config) {})
	sameRun(t, "another lambda", train(func(c *Config) { c.Lambda = 0 }), want)
	p := last(want)
	if p.Reward == 0 || p.Generator == p.Reward || p.Generator == last(train(func(c *Config) { c.ReferenceLoss = false })).Generator {
		t.Errorf("losses %+v", p)
	}

	// The first update changes both networks by one loss, whose gradient is computed here again.
	d := chains(small, newRand(t), 60)
	of, err := newTrainer(t.Context(), d, all32(50), c, Options{Threads: 1, Judge: &Judge{Toolkit: toy{}, Space: small, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	noise := of.generator.draw(newRand(t), c.Batch)
	real, rewards := of.layouts.oneHot(of.molecules(of.batch())), make([]float32, 2*c.Batch)
	tape := of.arena.Tape()
	defer tape.Close()
	pass := &nn.Pass{Tape: tape, Train: true}
	fake, _ := of.generator.generate(pass, noise)
	loss := rewardLoss(pass, of.reward, of.layouts, real, fake, rewards).Add(of.discriminator.forward(&nn.Pass{Tape: tape}, fake).Mean().Neg())
	params := slices.Concat(of.generator.Params(), of.reward.Params(), of.reward.EdgeParams())
	var grads, before [][]float32
	for _, p := range params {
		grads, before = append(grads, slices.Clone(tape.Grad(loss, tape.Watch(p))[0].Data())), append(before, slices.Clone(p.Value.Data()))
	}
	if !of.learnTogether(real, noise, rewards) {
		t.Fatal("the loss is not finite")
	}
	for i, p := range params {
		for j, v := range p.Value.Data() {
			// The first step of Adam has the sign opposite to the gradient, unless the gradient is
			// tiny.
			if g := grads[i][j]; math.Abs(float64(g)) > 1e-4 && (v < before[i][j]) != (g > 0) {
				t.Fatalf("%s: element %d goes from %v to %v along a gradient of %v", p.Name, j, before[i][j], v, g)
			}
		}
	}
}

// Learning rates that decrease to 0 are part of the identity of a checkpoint, and change the
// results.
func TestTrainDecay(t *testing.T) {
	c := quick()
	plain, err := trainToy(t, t.Context(), c, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.Decay = true
	decayed, err := trainToy(t, t.Context(), c, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if last(plain).Distance == last(decayed).Distance {
		t.Error("decay changes nothing")
	}
}

// A bond whose vector is all zero is dead. Here the first layer reads only single bonds and the
// second passes its output on, so bonds without a single bond nearby are dead.
func TestDead(t *testing.T) {
	c := Default()
	c.EHGNN, c.Batch, c.Samples = true, 3, 1
	d := &Data{Space: QM9, Molecules: []Molecule{graphOf(t, "CC", "01:1"), graphOf(t, "CCC", "01:2 12:2"), graphOf(t, "CCC", "01:1 12:2")}, SMILES: make([]string, 3)}
	of, err := newTrainer(t.Context(), d, all32(3), c, Options{Threads: 1, Judge: &Judge{Toolkit: toy{}, Space: QM9, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range of.discriminator.edges.layers {
		clear(layer.Weight.Value.Data())
		clear(layer.Bias.Value.Data())
		layer.Weight.Value.Data()[0] = 1
	}
	if got := of.dead(); got != 40 { // both bonds of the second molecule, of five bonds
		t.Errorf("%v %% are dead, want 40", got)
	}
}

// last returns the last measurement.
func last(r *Result) Point { return r.Points[len(r.Points)-1] }
