package nn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// The encoder is a sum of rows of its tables, by the codes themselves, and its
// gradient adds up in the rows that were looked up.
func TestEncoder(t *testing.T) {
	const dim = 4
	f := graph.Features{Codes: []int{5, 3, 1}, Code: []int32{
		4, 0, 0,
		0, 2, -1,
		4, -1, 0,
		-1, -1, -1,
	}}
	const rows = 4
	e := nn.NewEncoder(nn.NewInit(1).In("node_encoder"), f.Blocks(), dim)
	checkNames(t, e, "node_encoder.weight")
	if !slices.Equal(e.Weight.Value.Shape(), []int{9, dim}) {
		t.Fatalf("weight of shape %v", e.Weight.Value.Shape())
	}
	up := random(rng.Stream(1, "encoder"), rows, dim)
	want, wantGrad := make([]float32, rows*dim), make([]float32, 9*dim)
	table := []int{0, 5, 8} // first row of each
	for i, code := range f.Code {
		if code < 0 {
			continue
		}
		row := table[i%3] + int(code)
		for k := range dim {
			want[i/3*dim+k] += e.Weight.Value.Data()[row*dim+k]
			wantGrad[row*dim+k] += up.Data()[i/3*dim+k]
		}
	}
	b := must(graph.Collate([]*graph.Graph{must(graph.New(graph.Graph{NumNodes: rows, Node: f}))}))
	p := pass(t, true)
	y := e.Forward(p, b.X)
	near(t, "embedding", y.Data(), want, 1e-6)
	near(t, "gradient", gradients(p, y, up, p.Tape.Watch(e.Weight))[0].Data(), wantGrad, 1e-6)
	if y := e.Forward(p, tensor.New(0, 9)); !slices.Equal(y.Shape(), []int{0, dim}) {
		t.Errorf("no rows give %v", y.Shape())
	}
	mustPanic(t, "another width", func() { e.Forward(p, tensor.New(4, 8)) })
}

// Every table starts within bounds of its own, and fills them.
func TestEncoderInit(t *testing.T) {
	const dim = 64
	blocks := []int{119, 5, 2}
	w := nn.NewEncoder(nn.NewInit(7), blocks, dim).Weight.Value.Data()
	for _, k := range blocks {
		bound := math.Sqrt(6 / float64(k+dim))
		largest, sum := 0.0, 0.0
		for _, v := range w[:k*dim] {
			largest, sum = max(largest, math.Abs(float64(v))), sum+float64(v)
		}
		if n := float64(k * dim); largest > bound || largest < 0.95*bound || math.Abs(sum/n) > 4*bound/math.Sqrt(3*n) {
			t.Errorf("table of %d rows: largest weight %v, mean %v, want the bound %v nearly reached", k, largest, sum/n, bound)
		}
		w = w[k*dim:]
	}
	if len(w) != 0 {
		t.Errorf("%d weights too many", len(w))
	}
	if none := nn.NewEncoder(nn.NewInit(7), nil, dim); none.Weight.Value.Size() != 0 {
		t.Errorf("an encoder of nothing has a weight of shape %v", none.Weight.Value.Shape())
	}
}
