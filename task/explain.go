package task

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Methods by which the edges are found that a prediction for a graph hangs on.
const (
	// Occlusion scores an edge by how much the value falls when it is taken away.
	Occlusion = "occlusion"
	// Gradient scores an edge by the gradient of the value by its features, times these.
	Gradient = "gradient"
	// Chance scores edges at random, to compare with.
	Chance = "random"
)

// Explanation says on which edges the prediction for a graph hangs, and how far that is so.
type Explanation struct {
	Method string `json:"method"`
	// Target is the class, number or label that is explained; Value what the model gives for
	// it: of a class by how much its logit is above that of the next, of a label the logit, of
	// a number the number.
	Target string    `json:"target"`
	Value  float64   `json:"value"`
	Scores []float32 `json:"scores"` // of each edge: how much of the value hangs on it
	// Spread is the deviation of each score over several starts, of methods that learn them.
	Spread []float32 `json:"spread,omitempty"`
	// Fidelity has a row for each share of the edges, those with the highest scores.
	Fidelity []Fidelity `json:"fidelity"`
}

// Fidelity says what becomes of the prediction without some edges, and with these alone,
// beside as many edges at random. Of classes and labels changes are of the probability of the
// target, of numbers of the number. A good explanation has a high change without its edges,
// and one near 0 with these alone (fidelity+ and fidelity- of Yuan et al., 2020).
type Fidelity struct {
	Share   float64 `json:"share"`
	Edges   int     `json:"edges"`
	Without Change  `json:"without"`
	Alone   Change  `json:"alone"`
	// RandomWithout and RandomAlone are means over choices at random.
	RandomWithout Change `json:"random_without"`
	RandomAlone   Change `json:"random_alone"`
}

// Change is how a prediction differs from that for the whole graph.
type Change struct {
	Fall    float64 `json:"fall"`    // of the probability, or of the number
	Changed float64 `json:"changed"` // share of predictions whose class is another; 0 for numbers
}

// mostOccluded is the number of edges above which they are not taken away one by one.
const mostOccluded = 2000

// fidelityShares are the shares of edges at which explanations are checked, fidelityDraws how
// many choices at random stand beside each.
var fidelityShares = []float64{0.05, 0.1, 0.2, 0.5}

const fidelityDraws = 5

// Explains reports whether predictions of the run can be explained: those for graphs.
func (s *Session) Explains() bool { return s.task.Items == Graphs && !s.task.Reconstructs }

// Explain says for graphs of a part, named as in predictions, on which edges the prediction of
// a target hangs; without names for the first graph. An empty target is the predicted class, or
// the one number or label. Predictions for nodes and edges are not explained.
func (s *Session) Explain(ctx context.Context, part, method, target string, names ...string) ([]GraphRecord, error) {
	if !s.Explains() {
		return nil, misuse("task: method %s explains predictions for graphs, this run has the task %s; the method record shows what its model did", method, s.task.Name)
	}
	whole, at, err := s.named(part, names)
	if err != nil {
		return nil, err
	}
	out := s.plain(whole, at)
	for k, i := range at {
		x := &explained{session: s, graph: whole.Graphs[i], method: method}
		if out[k].Explanation, err = x.explain(ctx, target); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// explained is a graph whose prediction is explained.
type explained struct {
	session *Session
	graph   *graph.Graph
	method  string
	target  int // the output
	full    predicted
}

// predicted is what the model gives for a graph and the target.
type predicted struct {
	value float64 // Explanation.Value
	share float64 // the probability, or the number
	class int     // the predicted class, label or 0
}

func (x *explained) explain(ctx context.Context, target string) (*Explanation, error) {
	if err := x.aim(ctx, target); err != nil {
		return nil, err
	}
	e := &Explanation{Method: x.method, Target: x.targetName(), Value: x.full.value}
	var err error
	switch x.method {
	case Occlusion:
		e.Scores, err = x.occlude(ctx)
	case Gradient:
		e.Scores, err = x.slope(ctx)
	case Mask:
		e.Scores, e.Spread, err = x.mask(ctx)
	case Chance:
		e.Scores = chances(x.graph.NumEdges(), x.session.Settings.Train.Seed, 0)
	default:
		return nil, misuse("task: method %q, expected %s, %s, %s or %s", x.method, Occlusion, Gradient, Mask, Chance)
	}
	if err != nil {
		return nil, err
	}
	e.Fidelity, err = x.check(ctx, e.Scores)
	return e, err
}

// aim sets the target and what is predicted for the whole graph.
func (x *explained) aim(ctx context.Context, target string) error {
	s := x.session
	names := s.Settings.Target.Names
	if s.Settings.classifies() {
		names = nil
		for k := range s.Settings.Model.Out {
			names = append(names, className(s.Settings.Target.Classes, int32(k)))
		}
	}
	x.target = -1
	switch {
	case target != "":
		if x.target = slices.Index(names, target); x.target < 0 {
			return misuse("task: no target %q, expected one of %q", target, names)
		}
	case len(names) == 1:
		x.target = 0
	case !s.Settings.classifies():
		return misuse("task: the run predicts %d targets, expected the name of one of %q", len(names), names)
	}
	rows, err := x.outputs(ctx, []*graph.Graph{x.graph})
	if err != nil {
		return err
	}
	if x.target < 0 {
		x.target = int(argmax(rows[0]))
	}
	x.full = x.read(rows[0])
	return nil
}

func (x *explained) targetName() string {
	t := &x.session.Settings.Target
	if x.session.Settings.classifies() {
		return className(t.Classes, int32(x.target))
	}
	return t.Names[x.target]
}

// predict is what the model gives for forms of the graph.
func (x *explained) predict(ctx context.Context, forms []*graph.Graph) ([]predicted, error) {
	rows, err := x.outputs(ctx, forms)
	out := make([]predicted, len(rows))
	for i, row := range rows {
		out[i] = x.read(row)
	}
	return out, err
}

// outputs runs the model over forms of the graph.
func (x *explained) outputs(ctx context.Context, forms []*graph.Graph) (rows [][]float32, err error) {
	err = x.session.each(ctx, &Part{Graphs: forms}, func(y *model.Output, b *graph.Batch, _ int) error {
		d := y.Graph.Dim(1)
		for i := range b.N {
			rows = append(rows, slices.Clone(y.Graph.Data()[i*d:][:d]))
		}
		return nil
	})
	return rows, err
}

// read takes the target from a row of outputs.
func (x *explained) read(row []float32) (p predicted) {
	set := &x.session.Settings
	switch {
	case set.classifies():
		p.class = int(argmax(row))
		own := row[x.target]
		p.value = float64(own - row[rival(row, x.target)])
		total := 0.0
		for _, z := range row {
			total += math.Exp(float64(z - own))
		}
		p.share = 1 / total
	case set.Target.Units != nil:
		u := set.Target.Units[x.target]
		p.value = float64(row[x.target])*u.Scale + u.Mean
		p.share = p.value
	default:
		p.value = float64(row[x.target])
		p.share = 1 / (1 + math.Exp(-p.value))
		if p.value > 0 {
			p.class = 1
		}
	}
	return p
}

// rival is the other class with the highest logit.
func rival(row []float32, class int) int {
	best := -1
	for k, z := range row {
		if k != class && (best < 0 || z > row[best]) {
			best = k
		}
	}
	return best
}

// occlude takes the edges away one by one.
func (x *explained) occlude(ctx context.Context) ([]float32, error) {
	m := x.graph.NumEdges()
	if m > mostOccluded {
		return nil, misuse("task: the graph has %d edges, method %s takes up to %d away one by one; %s needs one pass", m, Occlusion, mostOccluded, Gradient)
	}
	scores := make([]float32, 0, m)
	for lo := 0; lo < m; lo += formsAtOnce {
		var forms []*graph.Graph
		for e := lo; e < min(lo+formsAtOnce, m); e++ {
			forms = append(forms, x.graph.WithEdges(func(k int32) bool { return int(k) != e }))
		}
		got, err := x.predict(ctx, forms)
		if err != nil {
			return nil, err
		}
		for _, p := range got {
			scores = append(scores, float32(x.full.value-p.value))
		}
	}
	return scores, nil
}

// formsAtOnce bounds the memory of forms of a graph.
const formsAtOnce = 256

// slope is the sum over the features of each edge of gradient times feature.
func (x *explained) slope(ctx context.Context) (scores []float32, err error) {
	s := x.session
	err = train.ForEachBatch(ctx, []*graph.Graph{x.graph}, s.config(), func(p *nn.Pass, _ int, b *graph.Batch) error {
		with := *b
		with.E = p.Tape.Variable(b.E)
		y := s.Model.Forward(p, &with).Graph
		sign := tensor.New(1, y.Dim(1))
		sign.Data()[x.target] = 1
		if s.Settings.classifies() {
			sign.Data()[rival(y.Data(), x.target)] = -1
		} else if u := s.Settings.Target.Units; u != nil {
			sign.Data()[x.target] = float32(u[x.target].Scale)
		}
		slope := p.Tape.Grad(y.Mul(sign).Sum(), with.E)[0]
		d := with.E.Dim(1)
		scores = make([]float32, x.graph.NumEdges())
		for e := range scores {
			for k, v := range with.E.Data()[e*d:][:d] {
				scores[e] += v * slope.Data()[e*d+k]
			}
		}
		return nil
	})
	return scores, err
}

// chances are scores at random.
func chances(edges int, seed uint64, draw int) []float32 {
	random := rng.Stream(seed, "explain", draw)
	out := make([]float32, edges)
	for e := range out {
		out[e] = random.Float32()
	}
	return out
}

// check takes the edges with the highest scores away, and leaves them alone.
func (x *explained) check(ctx context.Context, scores []float32) ([]Fidelity, error) {
	m := len(scores)
	if m == 0 {
		return nil, nil
	}
	choices := [][]int32{byScore(scores)}
	for draw := range fidelityDraws {
		choices = append(choices, byScore(chances(m, x.session.Settings.Train.Seed, draw+1)))
	}
	var out []Fidelity
	for _, share := range fidelityShares {
		f := Fidelity{Share: share, Edges: model.Share(share, m)}
		var forms []*graph.Graph
		for _, order := range choices {
			chosen := make([]bool, m)
			for _, e := range order[:f.Edges] {
				chosen[e] = true
			}
			forms = append(forms, x.graph.WithEdges(func(e int32) bool { return !chosen[e] }), x.graph.WithEdges(func(e int32) bool { return chosen[e] }))
		}
		got, err := x.predict(ctx, forms)
		if err != nil {
			return nil, err
		}
		f.Without, f.Alone = x.change(got[0]), x.change(got[1])
		for k := range fidelityDraws {
			f.RandomWithout.add(x.change(got[2+2*k]), 1.0/fidelityDraws)
			f.RandomAlone.add(x.change(got[3+2*k]), 1.0/fidelityDraws)
		}
		out = append(out, f)
	}
	return out, nil
}

func (x *explained) change(p predicted) Change {
	c := Change{Fall: x.full.share - p.share}
	if p.class != x.full.class {
		c.Changed = 1
	}
	return c
}

func (c *Change) add(other Change, times float64) {
	c.Fall += times * other.Fall
	c.Changed += times * other.Changed
}

// byScore are edges from the highest score to the lowest.
func byScore(scores []float32) []int32 {
	order := make([]int32, len(scores))
	for e := range order {
		order[e] = int32(e)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}
