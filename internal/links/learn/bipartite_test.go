package learn

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/links"
	"github.com/ehgnn/ehgnn/internal/lists"
)

type bipartiteFixture struct {
	Interactions [][]float64
	KNN          struct {
		Shrink float64
		Scores [][]float64
	} `json:"item_knn"`
	IALS struct {
		Alpha  float64     `json:"alpha0"`
		Lambda float64     `json:"lambda_"`
		Before [][]float64 `json:"items_before"`
		Users  [][]float64 `json:"users_after_half_step"`
		Items  [][]float64 `json:"items_after_full_step"`
	}
	LightGCN struct {
		Layers             int
		Start, Out, Scores [][]float64
	}
	EASE struct {
		Lambda  float64 `json:"lambda_"`
		Weights [][]float64
		Scores  [][]float64
	}
}

func readBipartite(t *testing.T) (f bipartiteFixture, d *links.Data, g *links.Graph) {
	t.Helper()
	text, err := os.ReadFile("../testdata/bipartite.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	table := links.Table{Kind: links.Bipartite, IDs: []string{"u0", "u1", "u2", "u3", "v0", "v1", "v2", "v3", "v4"}}
	for u, row := range f.Interactions {
		for i, x := range row {
			if x > 0 {
				table.Ends = append(table.Ends, int32(u), int32(4+i))
			}
		}
	}
	if d, err = links.NewData(table); err != nil {
		t.Fatal(err)
	}
	return f, d, links.GraphOf(links.Bipartite, d.Hash, d.Pairs)
}

func TestItemKNN(t *testing.T) {
	f, _, g := readBipartite(t)
	knn, err := NewKNN(t.Context(), g, f.KNN.Shrink, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := knn.Worker(nil)
	out := [][]float64{make([]float64, 5)}
	for u, want := range f.KNN.Scores {
		w.Score(int32(u), false, []int32{4, 5, 6, 7, 8}, out)
		for i, x := range out[0] {
			if math.Abs(x-want[i]) > 1e-12 {
				t.Errorf("score(%d,%d) is %v, want %v", u, i, x, want[i])
			}
		}
	}
}

func TestIALSSweep(t *testing.T) {
	f, d, g := readBipartite(t)
	c := IALSConfig{Dim: 2, Alpha: f.IALS.Alpha, Lambda: f.IALS.Lambda}
	m := NewIALS(d, c)
	items := slices.Concat(f.IALS.Before...)
	sources, _ := d.Ends()
	users := make([]float64, 2*len(sources))
	if err := solveAll(t.Context(), 2, c, items, users, sources, g.Out.Of, m.place); err != nil {
		t.Fatal(err)
	}
	compareRows(t, "users", users, f.IALS.Users)
	if err := solveAll(t.Context(), 2, c, users, items, m.Targets, g.In.Of, []int32{0, 1, 2, 3, -1, -1, -1, -1, -1}); err != nil {
		t.Fatal(err)
	}
	compareRows(t, "items", items, f.IALS.Items)
}

func TestEASE(t *testing.T) {
	f, d, g := readBipartite(t)
	m, err := NewEASE(t.Context(), d, g, f.EASE.Lambda, 2)
	if err != nil {
		t.Fatal(err)
	}
	compareRows(t, "weights", m.weights, f.EASE.Weights)
	out := [][]float64{make([]float64, 5)}
	for u, want := range f.EASE.Scores {
		m.Worker(nil).Score(int32(u), false, []int32{4, 5, 6, 7, 8}, out)
		compareRows(t, "scores", out[0], [][]float64{want})
	}
	m.Worker(nil).Score(6, true, []int32{0, 1, 2, 3}, [][]float64{out[0][:4]})
	for u, x := range out[0][:4] {
		if math.Abs(x-f.EASE.Scores[u][2]) > 1e-12 {
			t.Errorf("score(%d,2) from the target is %v, want %v", u, x, f.EASE.Scores[u][2])
		}
	}
}

// With enough steps, conjugate gradients return the solution of the equations, for any number of
// threads.
func TestGradients(t *testing.T) {
	_, d, g := readBipartite(t)
	c := IALSConfig{Dim: 8, Alpha: 0.1, Lambda: 0.02}
	m := NewIALS(d, c)
	items := make([]float64, len(m.Items))
	for i := range items {
		items[i] = math.Sin(float64(3*i + 1))
	}
	want := make([]float64, 4*c.Dim)
	if err := solveAll(t.Context(), 1, c, items, want, m.sources, g.Out.Of, m.place); err != nil {
		t.Fatal(err)
	}
	var last []float32
	for _, threads := range []int{1, 2, 7} {
		got := make([]float32, len(want))
		if err := newGradients(c, lists.Convert[float32](items)).solveAll(t.Context(), threads, 2*c.Dim, got, m.sources, g.Out.Of, m.place); err != nil {
			t.Fatal(err)
		}
		for i, x := range got {
			if math.Abs(float64(x)-want[i]) > 1e-4 {
				t.Errorf("number %d is %v, want %v", i, x, want[i])
			}
		}
		if last != nil && !slices.Equal(got, last) {
			t.Errorf("%d threads give other numbers", threads)
		}
		last = got
	}
}

func TestLightGCNLayers(t *testing.T) {
	f, d, g := readBipartite(t)
	m := NewLightGCN(d, LightGCNConfig{Width: 2, Layers: f.LightGCN.Layers}, 1)
	for v, row := range f.LightGCN.Start {
		for k, x := range row {
			m.vectors.Value.Data()[2*v+k] = float32(x)
		}
	}
	sc, err := m.On(links.NewColumns(g, nil), "lightgcn", 1)
	if err != nil {
		t.Fatal(err)
	}
	out := [][]float64{make([]float64, 5)}
	for u, want := range f.LightGCN.Scores {
		sc.Worker(nil).Score(int32(u), false, []int32{4, 5, 6, 7, 8}, out)
		for i, x := range out[0] {
			if math.Abs(x-want[i]) > 1e-6 { // tolerance of single precision
				t.Errorf("score(%d,%d) is %v, want %v", u, i, x, want[i])
			}
		}
	}
}

func compareRows(t *testing.T, name string, got []float64, want [][]float64) {
	t.Helper()
	for i, row := range want {
		for k, x := range row {
			if math.Abs(got[i*len(row)+k]-x) > 1e-10 {
				t.Errorf("%s[%d][%d] is %v, want %v", name, i, k, got[i*len(row)+k], x)
			}
		}
	}
}

// The solution for rows with few partners equals the solution of the full equations.
func TestFewPartners(t *testing.T) {
	_, d, g := readBipartite(t)
	c := IALSConfig{Dim: 20, Alpha: 0.1, Lambda: 0.02}
	m := NewIALS(d, c)
	items := make([]float64, len(m.Items))
	for i := range items {
		items[i] = math.Sin(float64(3*i + 1))
	}
	s, err := newRidge(c, items)
	if err != nil {
		t.Fatal(err)
	}
	few, whole := make([]float64, c.Dim), make([]float64, c.Dim)
	for u := range int32(4) {
		w := s.worker()
		n := len(g.Out.Of(u))
		if !w.solveFew(g.Out.Of(u), m.place, n, few) || !w.solveWhole(g.Out.Of(u), m.place, n, whole) {
			t.Fatal("no solution")
		}
		compareRows(t, "solution", few, [][]float64{whole})
	}
}
