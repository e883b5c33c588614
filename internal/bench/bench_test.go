package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/tensor"
)

// Every measurement has a name, a time above zero, and a rate where there is
// work to count; how fast this machine is is not looked at.
func TestMeasurements(t *testing.T) {
	k := &kernels{ctx: t.Context(), arena: tensor.NewArena(2), pool: par.New(2)}
	k.gemm("product", 12, 10, 8)
	k.gather(50, 200, 8)
	k.convs(40, 90, 4)
	rates := []bool{true, true, true, false, false}
	if len(k.results) != len(rates) {
		t.Fatalf("%d results, want %d: %+v", len(k.results), len(rates), k.results)
	}
	for i, r := range k.results {
		if r.Name == "" || !(r.Seconds > 0) || rates[i] != (r.Rate > 0 && r.Unit != "") {
			t.Errorf("result %d is %+v", i, r)
		}
	}
	if r := k.results[0]; r.Rate*r.Seconds*1e9 < 2*12*10*8-1 || r.Rate*r.Seconds*1e9 > 2*12*10*8+1 {
		t.Errorf("a product of 12x8 by 8x10 counts %v operations, want %d", r.Rate*r.Seconds*1e9, 2*12*10*8)
	}
}

func TestKernels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if results, err := Kernels(ctx, 1); !errors.Is(err, context.Canceled) || len(results) != 0 {
		t.Errorf("cancelled: %v, %v", results, err)
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	results, err := Kernels(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range results {
		names = append(names, strings.Fields(r.Name)[0])
	}
	for _, want := range []string{"copy", "matmul", "gather", "segment", "GCN", "hypergraph"} {
		if !slices.Contains(names, want) {
			t.Errorf("nothing of %s among %v", want, names)
		}
	}
}

// least calls at least five times and takes no longer time than any call.
func TestLeast(t *testing.T) {
	calls := 0
	if took := least(func() { calls++ }); calls < 5 || took < 0 || took > 0.1 {
		t.Errorf("%d calls of nothing, the fastest %v s", calls, took)
	}
}

// The peak covers what was held, also after it is gone.
func TestPeakMemory(t *testing.T) {
	before := PeakMemory()
	held := make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 { // pages count once they are touched
		held[i] = 1
	}
	peak := PeakMemory()
	if before <= 0 || peak < int64(len(held)) || peak < before {
		t.Errorf("peak %d before and %d after holding %d bytes", before, peak, len(held))
	}
	if again := PeakMemory(); again < peak {
		t.Errorf("the peak fell from %d to %d", peak, again)
	}
}
