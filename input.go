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

// Input is a graph whose attributes a Model has checked and encoded. A server checks each graph
// before it queues it, and computes graphs that wait at the same time in one pass.
type Input struct {
	graph  *graph.Graph // in the form that the model takes
	plain  *graph.Graph // as given
	names  []string     // of its nodes; nil if they have numbers only
	unseen []Unseen
	said   []string
	cost   float64
}

// Cost returns Model.Cost of the graph.
func (in *Input) Cost() float64 { return in.cost }

// Unseen counts the categories that do not occur in training.
func (in *Input) Unseen() []Unseen { return in.unseen }

// Remarks say how the graph was read (Prediction.Remarks).
func (in *Input) Remarks() []string { return in.said }

// Input checks and encodes a graph. It returns an error if the model certainly needs more memory
// than is free.
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

// Bytes estimates the memory that the encoded graph takes while it waits for a pass.
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

// graphBytes returns the memory of a graph's slices.
func graphBytes(g *graph.Graph) int64 {
	numbers := len(g.Ends) + len(g.Node.Dense) + len(g.Node.Code) + len(g.Edge.Dense) + len(g.Edge.Code) +
		len(g.Targets) + len(g.NodeLabel) + len(g.EdgeLabel) + len(g.NodeTargets) + len(g.EdgeTargets)
	if s := g.Observed; s != nil {
		numbers += len(s.Label) + len(s.Group) + 2*len(s.Time)
	}
	return int64(unsafe.Sizeof(*g)) + 4*int64(numbers)
}

// PredictBatch predicts for graphs in one pass of the model. For many small graphs this takes less
// time than one pass each. The result for a graph has the same bits as that of Predict.
func (m *Model) PredictBatch(ctx context.Context, graphs ...*Input) ([]Prediction, error) {
	return batch(ctx, m, graphs, func(o *model.Output, of []*Input) ([]Prediction, error) { return m.predictions(o, of), nil })
}

// EmbedBatch is Embed for graphs in one pass of the model.
func (m *Model) EmbedBatch(ctx context.Context, level Level, graphs ...*Input) ([]Embedding, error) {
	return batch(ctx, m, graphs, func(o *model.Output, of []*Input) ([]Embedding, error) { return m.embeddings(o, level, of) })
}

// batch runs the model on all graphs in one pass. A model that draws random numbers when it
// predicts gets the graphs one by one, because its draws for a graph must depend on that graph
// alone.
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

// Explanation is the result of Model.Explain for a graph.
type Explanation = explain.GraphRecord

// Explains reports whether predictions of the run can be explained. Classes, labels and numbers
// can, the reconstruction of a graph cannot.
func (m *Model) Explains() bool { return !m.task.Reconstructs }

// Explain returns the edges of a graph that matter most for a prediction, by one of the methods of
// ehgnn explain. The method "record" returns what the model kept, dropped and clustered. target is
// a class, number or label; empty means the predicted class, or the only number or label. If the
// run predicts for nodes or edges, item is the one whose prediction is explained, empty for the
// first: a node by its name (Graph.NodeNames) or its number, an edge by its number or as
// SOURCE:TARGET.
func (m *Model) Explain(ctx context.Context, method, target, item string, g *Input) (*Explanation, error) {
	x, err := explain.One(m.run, ctx, g.plain, g.names, method, target, item, m.threads)
	if err != nil {
		return nil, fmt.Errorf("ehgnn: %w", err)
	}
	return x, nil
}

// pass runs the model on graphs as one batch. drawn says whether the model drew random numbers. The
// output is valid only while f runs.
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

// draws is the source of randomness for models that draw when they predict. It depends on the graph
// alone, so that a graph always gets the same prediction.
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

// hash returns a hash of the content of a graph.
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
