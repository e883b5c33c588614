package tabular

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// Data has the rows that a model is trained and validated on.
type Data struct {
	Static Block
	// Draws are several versions of the label columns of the training rows; an epoch uses one of them
	// at random. Empty for no label columns.
	Draws   []Block
	Targets Targets
	// PerEpoch is the number of rows that an epoch draws, if the rows are snapshots of the same edges;
	// 0 for all.
	PerEpoch int
	Valid    Rows
	// Around returns the neighbours that the rows of a group may see in a draw. A batch has rows of one group only. Around
	// is called once for each group when an epoch starts a new draw. Group has the group of each row in each draw; nil if
	// all rows are one group. Around is nil for a network without message passing.
	Around func(draw int, group int8) (*Neighbours, error)
	Group  [][]int8
	// Component is the connected component of each row, numbered from 0, or nil. The rows of a component are in the same
	// batch. They share neighbours, so the batch reads fewer of them.
	Component    []int32
	ValidTargets Targets
}

// rows returns the training rows with the label columns of a draw.
func (d *Data) rows(draw int) Rows {
	r := Rows{Static: d.Static}
	if len(d.Draws) > 0 {
		r.Labels = d.Draws[draw]
	}
	return r
}

// perEpoch is the number of rows of an epoch.
func (d *Data) perEpoch() int {
	n := d.rows(0).Len()
	if d.PerEpoch > 0 {
		n = min(n, d.PerEpoch)
	}
	return n
}

func (d *Data) check(s *Spec) error {
	for i := range max(len(d.Draws), 1) {
		r := d.rows(i)
		if err := r.check("training rows"); err != nil {
			return err
		}
		if len(d.Draws) > 0 && r.Labels.Cols != d.Draws[0].Cols {
			return fmt.Errorf("tabular: draw %d of the label columns has %d, and the first has %d", i, r.Labels.Cols, d.Draws[0].Cols)
		}
		if len(d.Draws) > 0 && r.Len() != d.rows(0).Len() {
			return fmt.Errorf("tabular: draw %d of the label columns has %d rows, and the first has %d", i, r.Len(), d.rows(0).Len())
		}
	}
	if d.PerEpoch < 0 {
		return fmt.Errorf("tabular: %d rows an epoch, expected 0 or more", d.PerEpoch)
	}
	if err := d.Valid.check("validation rows"); err != nil {
		return err
	}
	t, v := d.rows(0), d.Valid
	if t.Static.Cols != v.Static.Cols || t.Labels.Cols != v.Labels.Cols {
		return fmt.Errorf("tabular: validation rows have %d static and %d label columns, and training rows %d and %d",
			v.Static.Cols, v.Labels.Cols, t.Static.Cols, t.Labels.Cols)
	}
	if err := d.Targets.check("training rows", s, t.Len()); err != nil {
		return err
	}
	if d.Around != nil && d.Valid.Around == nil {
		return fmt.Errorf("tabular: training rows have neighbours, and validation rows have none")
	}
	return d.ValidTargets.check("validation rows", s, v.Len())
}

// Train fits the inputs and trains a model. It returns the weights of the epoch with the lowest
// validation loss. If ctx ends, Train returns its error.
func Train(ctx context.Context, d Data, c Config) (model *Model, err error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	spec := c.shape()
	if err := d.check(&spec); err != nil {
		return nil, err
	}
	in, err := FitInputs(d.rows(0), c.Plain, c.Seed, c.Threads)
	if err != nil {
		return nil, err
	}
	spec.Inputs = *in
	if d.Around != nil {
		n, err := d.Around(0, d.group(0, 0))
		if err != nil {
			return nil, err
		}
		if spec.Messages, err = fitMessages(n, c.Hops, &c); err != nil {
			return nil, err
		}
	}
	spec.Mean, spec.Deviation = standard(&spec, d.Targets.Numbers)
	defer tensor.Catch(&err)
	t := newTrainer(d, c, spec)
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	return t.model, nil
}

// standard returns the mean and the deviation that standardise targets.
func standard(s *Spec, y []float32) (mean, deviation float64) {
	if !s.numbers() {
		return 0, 1
	}
	mean, deviation, _ = moments(y)
	if d := float32(deviation); d == 0 || !finite(d) || !finite(1/d) {
		deviation = 1
	}
	return mean, deviation
}

// trainer is the state of one training.
type trainer struct {
	data   Data
	cfg    Config
	model  *Model
	arena  *tensor.Arena
	pool   *par.Pool
	update *updater
	masks  masks
	random *rand.Rand
	order  []int32 // all training rows; the rows of the epoch come first
	class  []int32 // classes of a batch, repeated for each member
	scale  float32 // factor that gives row weights the mean 1
	steps  int
	best   []float32 // parameters of the best epoch
	valid  []float32 // predictions of the validation rows
	// With message passing, the validated parameters are running means over about an epoch of steps.
	mean     []*tensor.Param
	keys     []uint64          // keys of the dropout masks of a step
	around   *sampler          // sampler of the current batch; nil without message passing
	draw     int               // draw of the current epoch
	samplers map[int8]*sampler // samplers of the groups of the draw
}

func newTrainer(d Data, c Config, spec Spec) *trainer {
	t := &trainer{data: d, cfg: c, arena: tensor.NewArena(c.Threads), pool: par.New(c.Threads), scale: 1, samplers: map[int8]*sampler{}}
	t.model = newModel(spec, newNetwork(nn.NewInit(c.Seed), &spec))
	t.model.Threads = c.Threads
	t.update = newUpdater(t.model.net.Params())
	t.masks = masks{pool: t.pool, rate: c.Dropout}
	t.random = rng.Stream(c.Seed, "tabular", "epochs")
	t.order = make([]int32, d.rows(0).Len())
	for i := range t.order {
		t.order[i] = int32(i)
	}
	if w := d.Targets.Weights; w != nil {
		sum := 0.0
		for _, v := range w {
			sum += float64(v)
		}
		t.scale = float32(float64(len(w)) / sum)
	}
	t.keys = make([]uint64, 2)
	if d.Around != nil {
		t.keys = make([]uint64, 2+c.Hops)
		for _, p := range t.update.params {
			t.mean = append(t.mean, &tensor.Param{Value: tensor.New(p.Value.Shape()...)})
		}
	}
	t.valid = make([]float32, d.Valid.Len()*spec.Outputs())
	return t
}

// run trains until Patience, MaxEpochs or MaxSteps is reached, and restores the best epoch.
func (t *trainer) run(ctx context.Context) error {
	best, bad := math.Inf(1), 0
	for e := 1; e <= t.cfg.MaxEpochs && bad < t.cfg.Patience && t.steps < t.cfg.MaxSteps; e++ {
		info := Epoch{Epoch: e}
		if len(t.data.Draws) > 0 {
			info.Draw = t.random.IntN(len(t.data.Draws))
		}
		var err error
		if info.Train, err = t.epoch(ctx, info.Draw); err != nil {
			return err
		}
		if t.mean != nil {
			optim.SwapValues(t.update.params, t.mean)
		}
		if err := t.model.predict(ctx, t.arena, t.pool, t.data.Valid, t.valid); err != nil {
			return err
		}
		info.Steps = t.steps
		info.Valid = t.model.spec.LossOf(t.valid, t.data.ValidTargets)
		if math.IsNaN(info.Valid) || math.IsInf(info.Valid, 0) {
			return fmt.Errorf("tabular: validation loss %v after step %d, expected a finite number", info.Valid, t.steps)
		}
		if info.Best = best-info.Valid > leastGain*best || math.IsInf(best, 1); info.Best {
			best, bad = info.Valid, 0
			t.best = t.update.copyParams(t.best)
		} else if bad++; t.mean != nil && bad == slowAfter {
			t.update.rate *= slower
		}
		if t.mean != nil {
			optim.SwapValues(t.update.params, t.mean)
		}
		if t.cfg.OnEpoch != nil {
			t.cfg.OnEpoch(info)
		}
	}
	t.update.setParams(t.best)
	return nil
}

// epoch takes one step for each batch and returns the mean loss.
func (t *trainer) epoch(ctx context.Context, draw int) (float64, error) {
	rows := t.data.rows(draw)
	if draw != t.draw {
		t.draw, t.samplers = draw, map[int8]*sampler{}
	}
	n := t.data.perEpoch()
	for i := range n {
		j := i + t.random.IntN(len(t.order)-i)
		t.order[i], t.order[j] = t.order[j], t.order[i]
	}
	sum, count := 0.0, 0
	for _, ids := range t.batches(t.order[:n], draw) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if t.steps >= t.cfg.MaxSteps {
			break
		}
		if len(ids) == 1 && count > 0 {
			continue // the gradient of a single row is mostly noise
		}
		if err := t.lookAround(draw, ids[0]); err != nil {
			return 0, err
		}
		loss, err := t.step(rows, ids)
		if err != nil {
			return 0, err
		}
		sum += loss
		count++
	}
	return sum / float64(count), nil
}

// lookAround sets the sampler of a batch, given one of its rows.
func (t *trainer) lookAround(draw int, row int32) error {
	if t.data.Around == nil {
		return nil
	}
	group := t.data.group(draw, row)
	if t.samplers[group] == nil {
		n, err := t.data.Around(draw, group)
		if err != nil {
			return err
		}
		t.samplers[group] = t.model.net.messages.sampler(n, t.pool)
	}
	t.around = t.samplers[group]
	return nil
}

// BatchRows is the number of rows in a batch if an epoch has so many rows.
func BatchRows(epoch int) int { return min(max(epoch/batchesEpoch, leastBatch), mostBatch) }

// joinComponents reorders rows so that the rows of a component are adjacent. Components keep the order of their first rows.
func (t *trainer) joinComponents(rows []int32) {
	of := t.data.Component
	if of == nil {
		return
	}
	first := map[int32]int{}
	for i, r := range rows {
		if _, ok := first[of[r]]; !ok {
			first[of[r]] = i
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return first[of[a]] - first[of[b]] })
}

// batches divides the rows of an epoch into batches, each with rows of one group.
func (t *trainer) batches(rows []int32, draw int) [][]int32 {
	size := BatchRows(len(rows))
	t.joinComponents(rows)
	if t.data.Group == nil {
		return slices.Collect(slices.Chunk(rows, size))
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return int(t.data.group(draw, a)) - int(t.data.group(draw, b)) })
	var out [][]int32
	for lo := 0; lo < len(rows); {
		hi := lo + 1
		for hi < len(rows) && hi-lo < size && t.data.group(draw, rows[hi]) == t.data.group(draw, rows[lo]) {
			hi++
		}
		out = append(out, rows[lo:hi])
		lo = hi
	}
	t.random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// group returns the group of a row in a draw.
func (d *Data) group(draw int, row int32) int8 {
	if d.Group == nil {
		return 0
	}
	return d.Group[draw][row]
}

// step updates the parameters by the rows ids and returns their loss.
func (t *trainer) step(rows Rows, ids []int32) (float64, error) {
	tape := t.arena.Tape()
	defer tape.Close()
	t.steps++
	keys := rng.Source(t.cfg.Seed, "tabular", "dropout", t.steps)
	for i := range t.keys {
		t.keys[i] = keys.Uint64()
	}
	if t.around != nil {
		t.around.key = keys.Uint64() | 1
	}
	l := t.loss(tape, rows, ids)
	loss := float64(l.Item())
	if norm := t.update.step(tape, l); !finite(float32(loss)) || !finite(norm) {
		return 0, fmt.Errorf("tabular: loss %v and gradient norm %v at step %d, expected finite numbers", loss, norm, t.steps)
	}
	if t.around != nil {
		optim.Follow(t.mean, t.update.params, 1/float32(min(t.steps, batchesEpoch)))
	}
	return loss, nil
}

// loss is the training loss of the rows ids, recorded on the tape.
func (t *trainer) loss(tape *tensor.Tape, rows Rows, ids []int32) *tensor.Tensor {
	m := t.model
	x := m.expander.inputs(tape, t.pool, rows, ids)
	p := &pass{Pass: nn.Pass{Tape: tape, Train: true}}
	if t.cfg.Dropout > 0 {
		p.mask = func(layer int, like *tensor.Tensor) *tensor.Tensor {
			mask := tape.Like(like)
			t.masks.fill(mask.Data(), t.keys[layer])
			return mask
		}
	}
	return lossOf(&m.spec, m.net.forward(p, m.net.withMessages(p, x, t.around, ids)), t.targets(tape, ids))
}

// targets returns the targets of the rows ids.
func (t *trainer) targets(tape *tensor.Tape, ids []int32) *batchTargets {
	s, from := &t.model.spec, &t.data.Targets
	b := &batchTargets{y: tape.New(1, len(ids), 1)}
	y := b.y.Data()
	for k, i := range ids {
		if s.numbers() {
			y[k] = float32((float64(from.Numbers[i]) - s.Mean) / s.Deviation)
		} else {
			y[k] = float32(from.Classes[i])
		}
	}
	if s.Loss == CrossEntropy && s.Classes > 2 {
		t.class = t.class[:0]
		for range s.Members {
			for _, i := range ids {
				t.class = append(t.class, from.Classes[i])
			}
		}
		b.class = t.class
	}
	if from.Weights != nil {
		b.weight = tape.New(1, len(ids), 1)
		for k, i := range ids {
			b.weight.Data()[k] = from.Weights[i] * t.scale
		}
	}
	return b
}
