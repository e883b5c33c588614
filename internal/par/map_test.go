package par_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// Results are in the order of the items for any number of threads.
func TestMap(t *testing.T) {
	items := make([]int, 100)
	var want []int
	for i := range items {
		items[i] = i
		want = append(want, i*i)
	}
	for _, threads := range []int{0, 1, 3, 200} {
		got, err := par.Map(t.Context(), threads, items, func(i int) int { return i * i })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d threads: %v, %v", threads, got, err)
		}
	}
	if got, err := par.Map(t.Context(), 2, nil, func(int) int { return 1 }); err != nil || len(got) != 0 {
		t.Errorf("no items: %v, %v", got, err)
	}
}

// If the context ends, the work stops. A panic reaches the caller.
func TestMapStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	_, err := par.Map(ctx, 2, make([]int, 1000), func(int) int {
		switch n := calls.Add(1); {
		case n == 5:
			cancel()
		case n > 5: // the other thread, before the context has ended
			<-ctx.Done()
		}
		return 0
	})
	if !errors.Is(err, context.Canceled) || calls.Load() > 6 {
		t.Errorf("%d calls, error %v", calls.Load(), err)
	}
	defer func() {
		if recover() != "stop" {
			t.Error("the panic is lost")
		}
	}()
	_, _ = par.Map(t.Context(), 2, []int{1, 2}, func(int) int { panic("stop") })
}
