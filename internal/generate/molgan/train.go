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

// Options are settings of a training that do not change its results.
type Options struct {
	Judge *Judge // used only by this training, because its calls are counted
	// Threads is the number of threads for tensors, 0 for all processors. The judge has its own
	// threads.
	Threads int
	// Dir is the folder of checkpoints; empty for none. With Resume, a training continues from the
	// checkpoint in it, if there is one.
	Dir    string
	Resume bool
	// OnIteration is called with the number of finished iterations and the mean of Point.Distance
	// since the last measurement. It may be nil.
	OnIteration func(done int, distance float64)
}

// Point is a measurement. Losses are means over the iterations since the previous one.
type Point struct {
	Iteration int     `json:"iteration"`
	Distance  float64 `json:"distance"` // mean D(fake) - mean D(real)
	Penalty   float64 `json:"penalty"`
	Reward    float64 `json:"reward_loss"`
	Generator float64 `json:"generator_loss"`
	Metrics
}

// Result is the result of a training.
type Result struct {
	Generator *Generator
	// Points are the measurements. The first is that of the untrained generator.
	Points []Point
	// Diverged is the iteration whose loss was not finite, which ended the training, or 0. The
	// generator is then that of the last measurement.
	Diverged int
	// Seconds is the time of iterations, Measuring the time of measurements.
	Seconds, Measuring float64
	// Calls is the number of graphs that the toolkit read. Graphs whose scores were lost in an
	// interruption count again.
	Calls int64
}

// Train trains on the molecules of d that train lists. If a loss is not finite, it ends early
// without an error (Result.Diverged). When ctx ends, it writes a checkpoint and returns the error
// of ctx.
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

// trainer is a training in progress.
type trainer struct {
	Config
	progress
	options Options
	data    *Data
	train   []int32
	order   []int32   // order of the molecules in the epoch
	epoch   int       // epoch of order, or -1
	worth   []float32 // rewards of real molecules; NaN if not computed yet
	meter   *meter
	arena   *tensor.Arena

	layouts   *layouts
	generator *Generator
	// discriminator and reward are trained together with the generator.
	discriminator, reward *critic
	sides                 [3]*side    // discriminator, reward network and generator; with ReferenceLoss the third is reward network and generator
	kept                  [][]float32 // the generator at the last measurement
	called                int64       // calls of the judge before the training
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

// iterate makes one update of the discriminator and, every few iterations, of the other two
// networks. A loss that is not finite is no error: it sets Diverged.
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

// fake returns generated graphs without a tape.
func (t *trainer) fake(n noise) (graphs, []Molecule) {
	tape := t.arena.Tape()
	defer tape.Close()
	g, drawn := t.generator.generate(&nn.Pass{Tape: tape}, n)
	g.bonds, g.atoms = g.bonds.Clone(), g.atoms.Clone()
	return g, drawn
}

// batch lists the molecules of the iteration. Every epoch has its own order. The rest that does not
// fill a batch is left out.
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

// rewards starts computing the rewards of real and drawn molecules, and returns a function that
// waits for them. It stores the rewards of real molecules.
func (t *trainer) rewards(ctx context.Context, batch []int32, drawn []Molecule) (wait func() ([]float32, error)) {
	unknown := lists.Filter(batch, func(k int32) bool { return t.worth[k] != t.worth[k] })
	var scores []Score
	var err error
	var work par.Group
	// The work of one iteration is not interrupted: it takes milliseconds.
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

// discriminate updates the discriminator. ok is false if the loss is not finite.
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

// learnGenerator draws the graphs of the same noise again, with a gradient, and updates the
// generator.
func (t *trainer) learnGenerator(n noise) (ok bool) {
	tape := t.arena.Tape()
	defer tape.Close()
	fake, _ := t.generator.generate(&nn.Pass{Tape: tape, Train: true}, n)
	l := generatorLoss(&nn.Pass{Tape: tape}, t.discriminator, t.reward, fake, t.lambda())
	t.Sums.Generator.add(l.Item())
	return t.step(2, tape, l)
}

// learnTogether updates generator and reward network with ReferenceLoss.
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

// lambda returns 1 in the first epoch, in which the reward network is untrained, and then
// Config.Lambda.
func (t *trainer) lambda() float64 {
	if t.Iteration < len(t.train)/t.Batch {
		return 1
	}
	return t.Lambda
}

// step updates a side if its loss is finite.
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

// point measures the generator and writes a checkpoint, if all weights are finite.
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

// calls returns Result.Calls so far.
func (t *trainer) calls() int64 { return t.Calls + t.options.Judge.Calls() - t.called }

// keep copies the generator's parameters.
func (t *trainer) keep() {
	t.kept = t.kept[:0]
	for _, p := range t.generator.Params() {
		t.kept = append(t.kept, slices.Clone(p.Value.Data()))
	}
}

// dead returns Metrics.Dead for the first molecules of the training part.
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
