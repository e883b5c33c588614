package molgan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Options are what a training does beside its numbers.
type Options struct {
	Judge *Judge // of this training alone, as its calls are counted
	// Threads of the engine, 0 for all processors; the judge has its own.
	Threads int
	// Dir keeps a checkpoint; empty for none. With Resume a training goes on from the
	// checkpoint there, if there is one.
	Dir    string
	Resume bool
	// OnIteration, which may be nil, is told how many iterations are done, with the mean of
	// Point.Distance since the last measurement.
	OnIteration func(done int, distance float64)
}

// Point is a measurement: losses are means over the iterations since the one before.
type Point struct {
	Iteration int     `json:"iteration"`
	Distance  float64 `json:"distance"` // mean D(fake) - mean D(real)
	Penalty   float64 `json:"penalty"`
	Reward    float64 `json:"reward_loss"`
	Generator float64 `json:"generator_loss"`
	Metrics
}

// Result is what a training leaves.
type Result struct {
	Generator *Generator
	// Points are the measurements, of the untrained generator first.
	Points []Point
	// Diverged is the iteration whose loss was not finite, which ended the training; 0 for
	// none. The generator is then that of the last measurement.
	Diverged int
	// Seconds were spent on iterations, Measuring on measurements.
	Seconds, Measuring float64
	// Calls counts the graphs that were handed to the toolkit, again those whose scores an
	// interrupted training took with it.
	Calls int64
}

// Train trains on the molecules of d that train lists. It ends early where a loss is not
// finite, which is no error (Result.Diverged). When ctx ends, the checkpoint is written and
// the error is that of ctx.
func Train(ctx context.Context, d *Data, train []int32, c Config, o Options) (result *Result, err error) {
	if err := errors.Join(c.Validate(), d.Space.Validate()); err != nil {
		return nil, err
	}
	if o.Judge == nil || o.Judge.Toolkit == nil {
		return nil, chem.ErrNoToolkit
	}
	if len(train) < c.Batch {
		return nil, fmt.Errorf("molgan: %d molecules to train on, expected at least a batch of %d", len(train), c.Batch)
	}
	defer tensor.Catch(&err)
	t, err := newTrainer(ctx, d, train, c, o)
	if err != nil {
		return nil, err
	}
	for t.Iteration < c.Iterations && t.Diverged == 0 {
		if err := ctx.Err(); err != nil {
			return nil, errors.Join(t.save(), err)
		}
		begin := time.Now()
		if err := t.iterate(ctx); err != nil {
			return nil, err
		}
		t.Seconds += time.Since(begin).Seconds()
		distance := t.Sums.Distance.mean()
		if measure := t.Iteration%c.Interval == 0 || t.Iteration == c.Iterations; measure && t.Diverged == 0 {
			if err := t.point(ctx); err != nil {
				return nil, err
			}
		}
		if o.OnIteration != nil {
			o.OnIteration(t.Iteration, distance)
		}
	}
	if t.Diverged != 0 {
		for i, p := range t.generator.Params() {
			copy(p.Value.Data(), t.kept[i])
		}
	}
	return &Result{Generator: t.generator, Points: t.Points, Diverged: t.Diverged, Seconds: t.Seconds, Measuring: t.Measuring, Calls: t.calls()}, nil
}

// trainer is a training under way.
type trainer struct {
	Config
	progress
	options Options
	data    *Data
	train   []int32
	order   []int32   // of the epoch
	epoch   int       // of order, -1 for none
	worth   []float32 // rewards of real molecules; NaN where not yet known
	meter   *meter
	arena   *tensor.Arena

	layouts   *layouts
	generator *Generator
	// discriminator and reward are trained with the generator, in this order.
	discriminator, reward *critic
	sides                 [3]*side    // of discriminator, reward network and generator, or with ReferenceLoss both in the third
	kept                  [][]float32 // the generator at the last measurement
	called                int64       // by the judge before
}

func newTrainer(ctx context.Context, d *Data, train []int32, c Config, o Options) (*trainer, error) {
	t := &trainer{called: o.Judge.Calls(), Config: c, options: o, data: d, train: train, epoch: -1, arena: tensor.NewArena(o.Threads), layouts: newLayouts(d.Space)}
	t.worth = lists.Repeat(float32(math.NaN()), len(d.Molecules))
	root := nn.NewInit(c.Seed)
	t.generator = newGenerator(root.In("generator"), d.Space, c)
	t.discriminator, t.reward = newCritic(root.In("discriminator"), d.Space, c), newCritic(root.In("reward"), d.Space, c)
	critic := func(k *critic) []group { return []group{{k.Params(), c.LR}, {k.EdgeParams(), c.EdgeLR}} }
	groups := [3][]group{critic(t.discriminator), critic(t.reward), {{t.generator.Params(), c.LR}}}
	if c.ReferenceLoss {
		groups[1], groups[2] = nil, append(groups[2], groups[1]...)
	}
	for i, of := range groups {
		var err error
		if t.sides[i], err = newSide(of...); err != nil {
			return nil, err
		}
	}
	begun, err := t.open()
	if err != nil {
		return nil, err
	}
	if t.meter, err = newMeter(ctx, o.Judge, d, train, c.Seed); err != nil {
		return nil, err
	}
	if !begun {
		err = t.point(ctx)
	}
	return t, err
}

// iterate is an update of the discriminator and, every so often, of the other two. It does
// all or nothing but for a loss that is not finite.
func (t *trainer) iterate(ctx context.Context) error {
	r := rng.Stream(t.Seed, "molgan", "iteration", t.Iteration)
	noise := t.generator.draw(r, t.Batch)
	eps := make([]float32, t.Batch)
	for i := range eps {
		eps[i] = float32(r.Float64())
	}
	batch := t.batch()
	real := t.layouts.oneHot(t.molecules(batch))
	fake, drawn := t.fake(noise)
	update := (t.Iteration+1)%t.Every == 0
	wait := func() ([]float32, error) { return nil, nil }
	if update {
		wait = t.rewards(ctx, batch, drawn)
	}
	ok := t.discriminate(real, fake, eps)
	rewards, err := wait()
	if err != nil {
		return err
	}
	switch {
	case !ok || !update:
	case t.ReferenceLoss:
		ok = t.learnTogether(real, noise, rewards)
	default:
		ok = t.learnReward(real, fake, rewards) && t.learnGenerator(noise)
	}
	if t.Iteration++; !ok {
		t.Diverged = t.Iteration
	}
	return nil
}

// fake are generated graphs outside of any tape.
func (t *trainer) fake(n noise) (graphs, []Molecule) {
	tape := t.arena.Tape()
	defer tape.Close()
	g, drawn := t.generator.generate(&nn.Pass{Tape: tape}, n)
	g.bonds, g.atoms = g.bonds.Clone(), g.atoms.Clone()
	return g, drawn
}

// batch lists the molecules of the iteration. Every epoch has an order of its own; what does
// not fill its last batch is left out.
func (t *trainer) batch() []int32 {
	each := len(t.train) / t.Batch
	if epoch := t.Iteration / each; epoch != t.epoch {
		t.epoch = epoch
		t.order = append(t.order[:0], t.train...)
		rng.Stream(t.Seed, "molgan", "order", epoch).Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
	}
	return t.order[t.Iteration%each*t.Batch:][:t.Batch]
}

func (t *trainer) molecules(of []int32) []Molecule {
	return lists.Take(t.data.Molecules, of)
}

// rewards begins to compute the rewards of real and drawn molecules, and returns a function
// that waits for them. Those of real ones are remembered.
func (t *trainer) rewards(ctx context.Context, batch []int32, drawn []Molecule) (wait func() ([]float32, error)) {
	unknown := lists.Filter(batch, func(k int32) bool { return t.worth[k] != t.worth[k] })
	var scores []Score
	var err error
	var work par.Group
	// An iteration is not interrupted within, and lasts milliseconds.
	work.Go(func() {
		scores, err = t.options.Judge.Scores(context.WithoutCancel(ctx), append(t.molecules(unknown), drawn...))
	})
	return func() ([]float32, error) {
		work.Wait()
		if err != nil {
			return nil, err
		}
		for i, k := range unknown {
			t.worth[k] = float32(scores[i].reward(t.Reward))
		}
		out := make([]float32, 0, len(batch)+len(drawn))
		for _, k := range batch {
			out = append(out, t.worth[k])
		}
		for _, s := range scores[len(unknown):] {
			out = append(out, float32(s.reward(t.Reward)))
		}
		return out, nil
	}
}

// discriminate updates the discriminator; ok is false where the loss is not finite.
func (t *trainer) discriminate(real, fake graphs, eps []float32) (ok bool) {
	tape := t.arena.Tape()
	defer tape.Close()
	l := newCriticLoss(&nn.Pass{Tape: tape, Train: true}, t.discriminator, t.layouts, real, fake, eps, t.Config)
	t.Sums.Distance.add(l.distance.Item())
	t.Sums.Penalty.add(l.penalty.Item())
	return t.step(0, tape, l.total)
}

func (t *trainer) learnReward(real, fake graphs, rewards []float32) (ok bool) {
	tape := t.arena.Tape()
	defer tape.Close()
	l := rewardLoss(&nn.Pass{Tape: tape, Train: true}, t.reward, t.layouts, real, fake, rewards)
	t.Sums.Reward.add(l.Item())
	return t.step(1, tape, l)
}

// learnGenerator draws the graphs of noise again, now with a gradient.
func (t *trainer) learnGenerator(n noise) (ok bool) {
	tape := t.arena.Tape()
	defer tape.Close()
	fake, _ := t.generator.generate(&nn.Pass{Tape: tape, Train: true}, n)
	l := generatorLoss(&nn.Pass{Tape: tape}, t.discriminator, t.reward, fake, t.lambda())
	t.Sums.Generator.add(l.Item())
	return t.step(2, tape, l)
}

// learnTogether updates generator and reward network as ReferenceLoss has it.
func (t *trainer) learnTogether(real graphs, n noise, rewards []float32) (ok bool) {
	tape := t.arena.Tape()
	defer tape.Close()
	pass := &nn.Pass{Tape: tape, Train: true}
	fake, _ := t.generator.generate(pass, n)
	l := rewardLoss(pass, t.reward, t.layouts, real, fake, rewards)
	t.Sums.Reward.add(l.Item())
	l = l.Add(t.discriminator.forward(&nn.Pass{Tape: tape}, fake).Mean().Neg())
	t.Sums.Generator.add(l.Item())
	return t.step(2, tape, l)
}

// lambda is 1 in the first epoch, in which the reward network knows nothing.
func (t *trainer) lambda() float64 {
	if t.Iteration < len(t.train)/t.Batch {
		return 1
	}
	return t.Lambda
}

// step updates a side, unless its loss is not finite.
func (t *trainer) step(of int, tape *tensor.Tape, loss *tensor.Tensor) (ok bool) {
	if !finite(loss.Item()) {
		return false
	}
	factor := 1.0
	if t.Decay {
		factor = 1 - float64(t.Iteration)/float64(t.Iterations)
	}
	t.sides[of].step(tape, loss, factor)
	return true
}

// point measures the generator and writes a checkpoint, unless a weight is not finite.
func (t *trainer) point(ctx context.Context) error {
	begin := time.Now()
	for _, p := range t.params() {
		if !finite(p.Value.Data()...) {
			t.Diverged = t.Iteration
			return nil
		}
	}
	p := Point{Iteration: t.Iteration, Distance: t.Sums.Distance.take(), Penalty: t.Sums.Penalty.take(), Reward: t.Sums.Reward.take(), Generator: t.Sums.Generator.take()}
	r := rng.Stream(t.Seed, "molgan", "samples", t.Iteration)
	var drawn []Molecule
	for n := t.Samples; n > 0; n -= drawnSlice {
		drawn = append(drawn, t.generator.sample(t.arena, r, min(n, drawnSlice))...)
	}
	var err error
	if p.Metrics, err = t.meter.measure(ctx, drawn); err != nil {
		return err
	}
	p.Dead = t.dead()
	t.Points = append(t.Points, p)
	t.keep()
	t.Measuring += time.Since(begin).Seconds()
	return t.save()
}

// calls is Result.Calls so far.
func (t *trainer) calls() int64 { return t.Calls + t.options.Judge.Calls() - t.called }

// keep copies the generator.
func (t *trainer) keep() {
	t.kept = t.kept[:0]
	for _, p := range t.generator.Params() {
		t.kept = append(t.kept, slices.Clone(p.Value.Data()))
	}
}

// dead is Metrics.Dead, of the first molecules of the training part.
func (t *trainer) dead() float64 {
	if t.discriminator.edges == nil {
		return 0
	}
	tape := t.arena.Tape()
	defer tape.Close()
	g := t.layouts.oneHot(t.molecules(t.train[:t.Batch]))
	types := tape.Bind(g.bonds).Slice(1, 1, bondCodes)
	weight := types.SumAxis(1)
	h := t.discriminator.edges.nodes(&nn.Pass{Tape: tape}, g.layout, types, weight)
	dead, bonds := 0, 0
	for p, most := range h.MaxAxis(1).Data() {
		if weight.Data()[p] == 0 {
			continue
		}
		bonds++
		if most == 0 {
			dead++
		}
	}
	return percent(dead, bonds)
}
