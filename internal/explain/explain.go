package explain

import (
	"context"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/train"
)

// Methods that find the edges on which a prediction for a graph depends.
const (
	// Occlusion scores an edge by the decrease of the value when the edge is removed.
	Occlusion = "occlusion"
	// Gradient scores an edge by gradient times features, summed over its features.
	Gradient = "gradient"
	// Chance gives edges random scores, for comparison.
	Chance = "random"
)

// Explanation has the attributions of edges for a prediction, and their fidelity.
type Explanation struct {
	Method string `json:"method"`
	// Target is the explained class, number or label. Value is the model's output for it: for a class
	// the difference between its logit and the next highest, for a label the logit, for a number the
	// number.
	Target string  `json:"target"`
	Value  float64 `json:"value"`
	// Score is the predicted probability of the target, or the number. Unit says which, and gives the unit of Value: LogOdds or Number.
	Score float64 `json:"score"`
	Unit  string  `json:"unit"`
	// OfClass says that Target is one of several classes that exclude each other.
	OfClass bool      `json:"of_class,omitempty"`
	Scores  []float32 `json:"scores"` // attribution of each edge
	// Spread is the deviation of each score over several starts, for methods that learn scores.
	Spread []float32 `json:"spread,omitempty"`
	// Item is the node or edge that the prediction is for; nil for a graph. With an Item the record
	// has only its surroundings, and an explained edge has the score 0.
	Item *ExplainedItem `json:"item,omitempty"`
	// Fidelity has a row for each share of the edges with the highest scores.
	Fidelity []Fidelity `json:"fidelity"`
}

// Explains reports whether predictions of the run can be explained: predictions of classes, labels
// and numbers, but not reconstructions.
func Explains(s *session.Session) bool { return !s.Task.Reconstructs }

// Predicts is the level of the run's predictions.
func Predicts(s *session.Session) settings.Level { return s.Task.Level }

// Graphs explains predictions of a target for graphs of a part, which are named as in predictions;
// without names for the first graph. An empty target is the predicted class, or the only number or
// label. Items explains predictions for nodes and edges.
func Graphs(s *session.Session, ctx context.Context, part, method, target string, names ...string) ([]GraphRecord, error) {
	if s.Task.Level != settings.Graphs || !Explains(s) {
		return nil, settings.Misuse("method %s explains predictions for graphs here, this run has the task %s; the method record shows what its model did", method, s.Task.Name)
	}
	whole, at, err := namedGraphs(s, part, names)
	if err != nil {
		return nil, err
	}
	out := plain(s, whole, at)
	for k, i := range at {
		x := &explained{session: s, graph: whole.Graphs[i], method: method}
		if out[k].Explanation, err = x.explain(ctx, target); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// explained is the prediction to explain: for a graph, or for a node or edge in it.
type explained struct {
	session *session.Session
	graph   *graph.Graph
	method  string
	item    int32       // number of the node or edge
	edges   []int32     // edges that may be removed; for a graph all, also if nil
	form    source.Form // converts graphs to the form of the model; nil if they have it
	target  int         // index of the output
	full    predicted
}

// predicted is the model's output of the target for a graph.
type predicted struct {
	value float64 // see Explanation.Value
	share float64 // probability, or number
	class int     // predicted class, label or 0
}

func (x *explained) explain(ctx context.Context, target string) (*Explanation, error) {
	if x.edges == nil {
		if x.session.Task.Level != settings.Graphs {
			return nil, settings.Misuse("predictions of the run are for each %s; name one", x.session.Task.Level)
		}
		x.edges = lists.Range[int32](x.graph.NumEdges())
	}
	if err := x.aim(ctx, target); err != nil {
		return nil, err
	}
	e := &Explanation{Method: x.method, Target: x.targetName(), Value: x.full.value, Score: x.full.share, Unit: LogOdds, OfClass: x.session.Settings.Classifies()}
	if x.session.Settings.Target.Units != nil {
		e.Unit = Number
	}
	var err error
	switch x.method {
	case Occlusion:
		e.Scores, err = x.occlude(ctx)
	case Gradient:
		e.Scores, err = x.slope(ctx)
	case Mask:
		e.Scores, e.Spread, err = x.mask(ctx)
	case Chance:
		e.Scores = chances(len(x.edges), x.session.Settings.Train.Seed, 0)
	default:
		return nil, settings.Misuse("method %q, expected %s, %s, %s or %s", x.method, Occlusion, Gradient, Mask, Chance)
	}
	if err != nil {
		return nil, err
	}
	e.Fidelity, err = x.Check(ctx, e.Scores)
	return e, err
}

// aim sets the target and the prediction for the whole graph.
func (x *explained) aim(ctx context.Context, target string) error {
	var err error
	if x.target, err = findTarget(x.session, target); err != nil {
		return err
	}
	rows, err := x.outputs(ctx, 1, func(int) variant { return x.variantWith(func(int32) bool { return true }) })
	if err != nil {
		return err
	}
	if x.target < 0 {
		x.target = x.classOf(probabilities(rows[0]))
	}
	x.full = x.read(rows[0])
	return nil
}

// findTarget is the index of a target by its name; without a name it is the first target, or -1 for the predicted class.
func findTarget(s *session.Session, target string) (int, error) {
	names := targets(s)
	switch {
	case target != "":
		k := slices.Index(names, target)
		if k < 0 {
			return k, settings.Misuse("no target %q, expected one of %q", target, names)
		}
		return k, nil
	case len(names) == 1, !s.Settings.Classifies():
		return 0, nil
	}
	return -1, nil
}

// targets returns the names of what the run predicts: classes, labels or numbers.
func targets(s *session.Session) []string {
	t := &s.Settings.Target
	if !s.Settings.Classifies() {
		if t.Names == nil { // the only label of edges of tables
			return []string{s.Settings.Data.Tables.Label}
		}
		return t.Names
	}
	var out []string
	for k := range s.Settings.Model.Out {
		out = append(out, settings.ClassName(t.Classes, int32(k)))
	}
	return out
}

func (x *explained) targetName() string { return targets(x.session)[x.target] }

// variant is the graph without some edges, in the form of the model, and the item in it.
type variant struct {
	graph *graph.Graph
	item  int32
}

// variantWith is the graph with only the edges for which keep is true, and the item.
func (x *explained) variantWith(keep func(e int32) bool) variant {
	v := variant{item: x.item}
	ofEdge := x.session.Task.Level == settings.Edges
	v.graph = x.graph.WithEdges(func(e int32) bool {
		kept := keep(e) || ofEdge && e == x.item
		if ofEdge && e < x.item && !kept {
			v.item--
		}
		return kept
	})
	return v
}

// predict returns predictions for n variants of the graph.
func (x *explained) predict(ctx context.Context, n int, of func(i int) variant) ([]predicted, error) {
	rows, err := x.outputs(ctx, n, of)
	return lists.Map(rows, x.read), err
}

// Limits of the memory of variants of a graph in one batch: the memory of a model may grow with the
// square of the nodes (dense pools) or of the edges (the line graph of a star).
const (
	variantsAtOnce = 256
	squaresAtOnce  = 1 << 24
)

// forward runs the model on a batch; some rows of outputs are read.
func (x *explained) forward(p *nn.Pass, b *graph.Batch, rows []int) *model.Output {
	if m, ok := x.session.Model.(*model.Auto); ok {
		return m.ForwardEdges(p, b, lists.Convert[int32](rows))
	}
	return x.session.Model.Forward(p, b)
}

// outputs runs the model on n variants of the graph.
func (x *explained) outputs(ctx context.Context, n int, of func(i int) variant) (rows [][]float32, err error) {
	items := x.session.Task.Level
	size := max(x.graph.NumNodes, x.graph.NumEdges(), 1)
	atOnce := max(1, min(variantsAtOnce, squaresAtOnce/size/size))
	for lo := 0; lo < n; lo += atOnce {
		p, item := &source.Part{}, []int32{}
		for i := lo; i < min(lo+atOnce, n); i++ {
			v := of(i)
			if x.form != nil {
				if v.graph, err = x.form(v.graph); err != nil {
					return nil, err
				}
			}
			p.Graphs, item = append(p.Graphs, v.graph), append(item, v.item)
		}
		err = train.ForEachBatch(ctx, p.Graphs, x.session.Config(), func(pass *nn.Pass, first int, b *graph.Batch) error {
			at := lists.Map(lists.Range[int](b.N), func(i int) int { return rowOf(items, b, i, item[first+i]) })
			out := task.OutputOf(items, x.forward(pass, b, at))
			d := out.Dim(1)
			for _, row := range at {
				rows = append(rows, slices.Clone(out.Data()[row*d:][:d]))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// rowOf is the row of a batch for the item of graph i.
func rowOf(items settings.Level, b *graph.Batch, i int, item int32) int {
	of := b.VertexOf
	switch items {
	case settings.Graphs:
		return i
	case settings.Edges:
		of = b.EdgeOf
	}
	start, _ := of.Segments()
	return int(start[i] + item)
}

// read reads the target from a row of outputs.
func (x *explained) read(row []float32) (p predicted) {
	set := &x.session.Settings
	switch {
	case set.Classifies():
		p.value = float64(row[x.target] - row[runnerUp(row, x.target)])
		share := probabilities(row)
		p.class = x.classOf(share)
		settings.Calibrate(&set.Target, share)
		p.share = share[x.target]
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

// probabilities is the softmax of a row of logits.
func probabilities(row []float32) []float64 {
	out, sum, most := make([]float64, len(row)), 0.0, slices.Max(row)
	for k, z := range row {
		out[k] = math.Exp(float64(z - most))
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// classOf is the predicted class, given probabilities.
func (x *explained) classOf(probability []float64) int {
	row := lists.Convert[float32](probability)
	return int(x.session.Settings.Target.Decide(row))
}

// runnerUp is the other class with the highest logit.
func runnerUp(row []float32, class int) int {
	best := -1
	for k, z := range row {
		if k != class && (best < 0 || z > row[best]) {
			best = k
		}
	}
	return best
}
