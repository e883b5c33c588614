package pool_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// countdown is a context that ends when it has been asked some times.
type countdown struct {
	context.Context
	left atomic.Int32
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A chain is given up wherever the context ends while it is built, and nothing of it is
// left: the next pass has the same numbers as one that was never disturbed.
func TestHaarPoolHeeds(t *testing.T) {
	r := rng.Stream(59, "heed")
	g := loopy(r, 60, 120, 2, false)
	want := pool.NewHaarPool(pool.HaarPoolConfig{Seed: 3}).Forward(pass(t, false), must(graph.Collate([]*graph.Graph{g})).View).View.X.Data()
	layer, v := pool.NewHaarPool(pool.HaarPoolConfig{Seed: 3}), must(graph.Collate([]*graph.Graph{g})).View
	interrupted := 0
	for after := int32(0); ; after++ {
		p := pass(t, false)
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(after)
		p.Tape.SetContext(ctx)
		err := func() (err error) {
			defer tensor.Catch(&err)
			if got := layer.Forward(p, v).View.X.Data(); !slices.Equal(got, want) {
				t.Error("another result after an interruption")
			}
			return nil
		}()
		if err == nil {
			break
		}
		if interrupted++; !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
	}
	if interrupted < 10 {
		t.Errorf("the context was asked %d times while the chain was built, want it often", interrupted)
	}
}
