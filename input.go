package ehgnn

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Input is a graph whose attributes a Model has checked and encoded. A server checks graphs
// before it queues them, and computes those that wait together.
type Input struct {
	graph  *graph.Graph // in the form that the model takes
	plain  *graph.Graph // as it was given
	names  []string     // of its nodes; nil for numbers
	unseen []Unseen
	said   []string
	cost   float64
}

// Cost is Model.Cost of the graph.
func (in *Input) Cost() float64 { return in.cost }

// Unseen counts categories that do not occur in training.
func (in *Input) Unseen() []Unseen { return in.unseen }

// Remarks are on how the graph was read (Prediction.Remarks).
func (in *Input) Remarks() []string { return in.said }

// Input checks and encodes a graph. It refuses one for which the model is certain to need more
// memory than is free.
func (m *Model) Input(g *Graph) (*Input, error) {
	in, err := m.input(g)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	return in, nil
}

func (m *Model) input(g *Graph) (*Input, error) {
	plain, unseen, said, err := m.encode(g)
	if err != nil {
		return nil, err
	}
	to := plain
	if m.form != nil {
		if to, err = m.form(plain); err != nil {
			return nil, err
		}
	}
	size := model.SizeOf(to)
	l := m.load(size)
	return &Input{graph: to, plain: plain, names: g.NodeNames, unseen: unseen, said: said, cost: m.cost(size, l)}, m.fits(to, l)
}

// Bytes is about how much memory the encoded graph takes while it waits for a pass.
func (in *Input) Bytes() int64 {
	n := graphBytes(in.plain)
	if in.graph != in.plain {
		n += graphBytes(in.graph)
	}
	for _, name := range in.names {
		n += int64(unsafe.Sizeof(name)) + int64(len(name))
	}
	return n + int64(unsafe.Sizeof(*in)) + int64(len(in.unseen))*int64(unsafe.Sizeof(Unseen{}))
}

// graphBytes is what the slices of a graph take.
func graphBytes(g *graph.Graph) int64 {
	numbers := len(g.Ends) + len(g.Node.Dense) + len(g.Node.Code) + len(g.Edge.Dense) + len(g.Edge.Code) +
		len(g.Targets) + len(g.NodeLabel) + len(g.EdgeLabel) + len(g.NodeTargets) + len(g.EdgeTargets)
	if s := g.Observed; s != nil {
		numbers += len(s.Label) + len(s.Unit) + 2*len(s.Time)
	}
	return int64(unsafe.Sizeof(*g)) + 4*int64(numbers)
}

// PredictBatch predicts for graphs in one pass of the model, which for many small graphs takes
// less time than a pass for each. The result for a graph has the same bits as that of Predict.
func (m *Model) PredictBatch(ctx context.Context, graphs ...*Input) ([]Prediction, error) {
	return batch(ctx, m, graphs, func(o *model.Output, of []*Input) ([]Prediction, error) { return m.predictions(o, of), nil })
}

// EmbedBatch is Embed for graphs in one pass of the model.
func (m *Model) EmbedBatch(ctx context.Context, level Level, graphs ...*Input) ([]Embedding, error) {
	return batch(ctx, m, graphs, func(o *model.Output, of []*Input) ([]Embedding, error) { return m.embeddings(o, level, of) })
}

// batch runs the model on graphs together or, where it draws when it predicts, one by one: what
// is drawn for a graph must depend on the graph alone.
func batch[T any](ctx context.Context, m *Model, graphs []*Input, f func(*model.Output, []*Input) ([]T, error)) (out []T, err error) {
	together := len(graphs)
	for len(graphs) > 0 {
		if m.draws.Load() {
			together = 1
		}
		some := graphs[:together]
		var got []T
		drawn, err := m.pass(ctx, some, func(o *model.Output) (err error) {
			got, err = f(o, some)
			return err
		})
		switch {
		case drawn && together > 1:
			m.draws.Store(true)
			continue
		case err != nil:
			return nil, fmt.Errorf("ehgnn: %w", err)
		}
		out, graphs = append(out, got...), graphs[together:]
	}
	return out, nil
}

// Explanation is what Model.Explain says about a graph.
type Explanation = explain.GraphRecord

// Explains reports whether predictions of the run can be explained: those of classes, labels and
// numbers, not of what reconstructs graphs.
func (m *Model) Explains() bool { return !m.task.Reconstructs }

// Explain says on which edges of a graph the prediction of a target hangs, by one of the
// methods of ehgnn explain, or with task.Recorded what the model kept, dropped and clustered.
// An empty target is the predicted class, or the one number or label. Where the run predicts for
// nodes or edges, item is the one whose prediction is explained, empty for the first: a node by its
// name (Graph.NodeNames) or else its number, an edge by its number or as SOURCE:TARGET.
func (m *Model) Explain(ctx context.Context, method, target, item string, g *Input) (*Explanation, error) {
	x, err := explain.One(m.run, ctx, g.plain, g.names, method, target, item, m.threads)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	return x, nil
}

// pass runs the model on graphs as one batch, and says whether the model drew random numbers.
// The output is valid only while f runs.
func (m *Model) pass(ctx context.Context, graphs []*Input, f func(o *model.Output) error) (drawn bool, err error) {
	arena, err := m.borrow(ctx)
	if err != nil {
		return false, err
	}
	defer func() { m.arenas <- arena }()
	defer tensor.Catch(&err)
	gs := lists.Map(graphs, func(in *Input) *graph.Graph { return in.graph })
	b, err := graph.Collate(gs)
	if err != nil {
		return false, err
	}
	tape := arena.Tape()
	defer tape.Close()
	tape.SetContext(ctx)
	random := &draws{graph: gs[0]}
	err = f(m.model.Forward(&nn.Pass{Tape: tape, Rand: rand.New(random)}, b))
	return random.source != nil, err
}

// draws is the source of randomness for models that draw when they predict. It depends on the
// graph alone, so that a graph always gets the same prediction.
type draws struct {
	graph  *graph.Graph
	source rand.Source // nil before the first draw
}

// Uint64 implements rand.Source.
func (d *draws) Uint64() uint64 {
	if d.source == nil {
		d.source = rand.NewPCG(hash(d.graph), uint64(d.graph.NumNodes))
	}
	return d.source.Uint64()
}

// hash is a hash of what is in a graph.
func hash(g *graph.Graph) uint64 {
	h := fnv.New64a()
	var buf [4]byte
	add := func(v uint32) {
		binary.LittleEndian.PutUint32(buf[:], v)
		h.Write(buf[:])
	}
	for _, v := range g.Ends {
		add(uint32(v))
	}
	for _, f := range []graph.Features{g.Node, g.Edge} {
		for _, c := range f.Code {
			add(uint32(c))
		}
		for _, v := range f.Dense {
			add(math.Float32bits(v))
		}
	}
	return h.Sum64()
}
