package pool_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseSortPool(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/sort_aggregation").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "k")
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, nil)
			batch := c.IDs("batch")
			of := tensor.MustIndex(batch, int(slices.Max(batch))+1)
			out := map[string]*tensor.Tensor{"out": pool.SortPool(vars["x"], of, c.Config.Int("k", 0))}
			golden.CheckOutputs(t, c, out, poolTol)
			golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
		})
	}
}

// The order and the padding by hand: an empty sample is all zeros, NaN goes last,
// ties stay.
func TestSortPoolOrder(t *testing.T) {
	x := tensor.FromSlice([]float32{1, 5, 2, 7, 3, 5, 4, nan, 5, 1}, 5, 2)
	of := tensor.MustIndex([]int32{0, 0, 0, 2, 2}, 4)
	got := pool.SortPool(x, of, 2)
	want := []float32{2, 7, 1, 5, 0, 0, 0, 0, 5, 1, 4, 0, 0, 0, 0, 0}
	if !slices.Equal(got.Shape(), []int{4, 4}) {
		t.Fatalf("shape %v", got.Shape())
	}
	for i, w := range want {
		if g := got.Data()[i]; g != w && !(i == 11 && g != g) {
			t.Errorf("element %d is %v, want %v", i, g, w)
		}
	}
	mustPanic(t, "no channel", "SortPool", func() { pool.SortPool(tensor.New(5, 0), of, 2) })
	mustPanic(t, "other rows", "SortPool", func() { pool.SortPool(tensor.New(4, 1), of, 2) })
	if got := pool.SortPool(tensor.New(0, 2), tensor.MustIndex(nil, 2), 3); !slices.Equal(got.Data(), make([]float32, 12)) {
		t.Errorf("a batch of empty samples gives %v", got)
	}
	mustPanic(t, "no places", "SortPool", func() { pool.SortPool(x, of, 0) })
}

func TestSortPoolSize(t *testing.T) {
	sizes := make([]int, 100)
	for i := range sizes {
		sizes[i] = 100 - i
	}
	for _, c := range []struct {
		sizes []int
		share float64
		want  int
	}{
		{sizes, 0.6, 60}, {sizes, 0.9, 90}, {sizes, 0.601, 61}, {sizes, 1, 100}, {sizes, 0.001, 10}, {sizes, 0, 10},
		{[]int{3, 4}, 0.6, 10}, {[]int{30}, 0.6, 30}, {nil, 0.6, 10},
	} {
		if got := pool.SortPoolSize(c.sizes, c.share); got != c.want {
			t.Errorf("share %v of %d sizes is %d, want %d", c.share, len(c.sizes), got, c.want)
		}
	}
	if sizes[0] != 100 {
		t.Error("the sizes were sorted in place")
	}
}

func TestCaseSortHead(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/sort_head").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "k", "d", "hidden")
			head := must(pool.NewSortHead(nn.NewInit(0), pool.SortHeadDims{K: c.Config.Int("k", 0), Dim: c.Config.Int("d", 0),
				Hidden: c.Config.Int("hidden", 0), Out: 2}, pool.SortHeadConfig{}))
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, head.Params())
			out := map[string]*tensor.Tensor{"out": head.Forward(p, vars["x"])}
			golden.CheckOutputs(t, c, out, poolTol)
			golden.CheckGrads(t, p.Tape, c, out, vars, poolGradTol)
		})
	}
}

func TestSortHeadConfig(t *testing.T) {
	head := must(pool.NewSortHead(nn.NewInit(1), pool.SortHeadDims{K: 10, Dim: 3, Out: 2}, pool.SortHeadConfig{}))
	if head.Hidden != 128 || len(head.Params()) != 8 {
		t.Errorf("hidden width %d, %d parameters", head.Hidden, len(head.Params()))
	}
	y := head.Forward(pass(t, false), random(rng.Stream(1, "head"), 4, 30))
	if !slices.Equal(y.Shape(), []int{4, 2}) {
		t.Errorf("shape %v", y.Shape())
	}
	mustPanic(t, "other width", "SortHead", func() { head.Forward(pass(t, false), tensor.New(4, 29)) })
	for want, c := range map[string]struct {
		d       pool.SortHeadDims
		dropout float64
	}{
		"pool: sort head: 9 vertices per sample, expected at least 10":             {pool.SortHeadDims{K: 9, Dim: 3, Out: 2}, 0},
		"pool: sort head: 0 channels, 0 hidden and 2 outputs, expected at least 1": {pool.SortHeadDims{K: 10, Out: 2}, 0},
		"pool: sort head: 3 channels, 0 hidden and 0 outputs, expected at least 1": {pool.SortHeadDims{K: 10, Dim: 3}, 0},
		"pool: sort head: dropout is 1, expected 0 or more and below 1":            {pool.SortHeadDims{K: 10, Dim: 3, Out: 2}, 1},
	} {
		if _, err := pool.NewSortHead(nn.NewInit(1), c.d, pool.SortHeadConfig{Dropout: c.dropout}); err == nil || err.Error() != want {
			t.Errorf("%+v: error %v, want %q", c, err, want)
		}
	}
}
