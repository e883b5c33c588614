package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/tensor"
)

// Every measurement has a time above zero and a share below its limit. The test does not check the
// speed of the machine.
func TestKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	seen := 0
	l, kernels, err := Kernels(t.Context(), Options{Threads: 2, Budget: time.Microsecond, Kernels: []string{"ADD 1000", "matmul nn 5000"},
		Progress: func(i, n int, name string) {
			if seen++; i != seen || i > n || name == "" {
				t.Errorf("measurement %d is announced as %q, %d of %d", seen, name, i, n)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if want := rounds * (1 + len(copySizes) + 2); seen != want {
		t.Errorf("%d measurements were announced, want %d", seen, want)
	}
	if !(l.FMA > 0) || len(l.Copy) != len(copySizes) {
		t.Fatalf("limits %+v", l)
	}
	for i, c := range l.Copy {
		if c.Bytes != copySizes[i] || !(c.Rate > 0) {
			t.Errorf("copying %+v", c)
		}
	}
	if len(kernels) != 2 {
		t.Fatalf("%d kernels: %+v", len(kernels), kernels)
	}
	for i, want := range []Kernel{
		{Name: "matmul NN 5000x128x128", Bytes: 4 * (2*5000*128 + 128*128), Flops: 2 * 5000 * 128 * 128},
		{Name: "add 1000x128", Bytes: 3 * 4 * 1000 * 128, Flops: 1000 * 128},
	} {
		k := kernels[i]
		if k.Name != want.Name || k.Bytes != want.Bytes || k.Flops != want.Flops || !(k.Seconds > 0) {
			t.Errorf("kernel %+v, want %+v", k, want)
		}
		work := float64(k.Bytes)
		if k.Limit == LimitFMA {
			work = float64(k.Flops)
		}
		if got := work / k.Seconds / 1e9; math.Abs(got/k.Rate()-1) > 1e-9 {
			t.Errorf("%s: rate %v, but the work comes to %v", k.Name, k.Rate(), got)
		}
	}
}

// Names are unique, because scripts select by them.
func TestKernelNames(t *testing.T) {
	names := KernelNames()
	sorted := slices.Sorted(slices.Values(names))
	if len(slices.Compact(sorted)) != len(names) || len(names) < 30 {
		t.Errorf("names of kernels: %q", names)
	}
	_, _, err := Kernels(t.Context(), Options{Kernels: []string{"no such kernel"}})
	if !errors.Is(err, ErrNoKernel) {
		t.Errorf("an unknown kernel gives %v", err)
	}
}

// Every kernel can be set up and run, and its work can be counted.
func TestJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	arena := tensor.NewArena(2)
	for _, k := range kernels() {
		j := k.prepare()
		tape := arena.Tape()
		j.run(tape)
		tape.Close()
		if j.bytes <= 0 || j.flops < 0 || j.inPlace < 0 || j.inPlace >= j.bytes {
			t.Errorf("%s: %d bytes, %d operations", k.name, j.bytes, j.flops)
		}
	}
}

func TestBind(t *testing.T) {
	l := Limits{FMA: 100, Copy: []Bandwidth{{1 << 10, 80}, {1 << 12, 40}, {1 << 20, 10}}}
	for _, test := range []struct {
		bytes int64
		want  float64
	}{{1, 80}, {1 << 10, 80}, {1 << 11, 60}, {1 << 12, 40}, {1 << 16, 25}, {1 << 20, 10}, {1 << 30, 10}} {
		if got := l.CopyRate(test.bytes); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("copying %d bytes: %v GB/s, want %v", test.bytes, got, test.want)
		}
	}
	if k := l.bind(Kernel{Seconds: 1, Bytes: 1 << 20, Footprint: 1 << 12}); k.LimitRate != 40 {
		t.Errorf("what is changed in place is held against %v GB/s, want the rate at its footprint, 40", k.LimitRate)
	}
	for _, test := range []struct {
		name         string
		bytes, flops int64
		limit        string
		rate, share  float64
	}{
		{"memory", 1 << 20, 1 << 20, LimitCopy, 10, float64(1<<20) / 10e9},
		{"arithmetic", 1 << 20, 1 << 24, LimitFMA, 100, float64(1<<24) / 100e9},
		{"nothing to compute", 1 << 10, 0, LimitCopy, 80, float64(1<<10) / 80e9},
	} {
		k := l.bind(Kernel{Seconds: 1, Bytes: test.bytes, Footprint: test.bytes, Flops: test.flops})
		if k.Limit != test.limit || k.LimitRate != test.rate || math.Abs(k.Share/test.share-1) > 1e-9 || k.LimitSeconds != k.Share {
			t.Errorf("%s: %+v, want limit %s at %v and share %v", test.name, k, test.limit, test.rate, test.share)
		}
	}
}

// steady counts the work of all threads and uses its best period.
func TestSteady(t *testing.T) {
	m := newMeter(t.Context(), Options{Threads: 2, Budget: time.Millisecond}, 1, 1)
	calls := make([]int, 2)
	rate := m.steady(4, func(thread int) {
		calls[thread]++
		time.Sleep(time.Millisecond)
	})
	// Two threads that sleep a millisecond in each call cannot make more than 2000 calls a second,
	// apart from calls that began before the period.
	if calls[0] < 5 || calls[1] < 5 || !(rate > 0) || rate > 4000 {
		t.Errorf("%v calls, %v a second", calls, rate)
	}
}

// least makes at least three calls, and its time is not above that of any call.
func TestLeast(t *testing.T) {
	m := newMeter(t.Context(), Options{Threads: 1, Budget: time.Microsecond}, 1, 1)
	calls := 0
	if took := m.least(func() { calls++ }); calls < 3 || took < 0 || took > 0.1 {
		t.Errorf("%d calls of nothing, the fastest %v s", calls, took)
	}
}

// Epochs are measured on generated data with the paper's models.
func TestEpochs(t *testing.T) {
	m := newMeter(t.Context(), Options{Threads: 2}, 1, 1)
	for _, s := range []sized{{"A", "hyperdrop", 130, 6, 7, 8, 0.5, false}, {"B", "hypercluster", 130, 6, 7, 8, 0.15, true}} {
		e, err := m.epochs(s, 2)
		if err != nil {
			t.Fatal(err)
		}
		if e.Dataset != s.like+"-sized" || e.Model != s.model || e.Graphs != 130 || e.Steps != 2 || len(e.Seconds) != 2 || !e.Generated {
			t.Errorf("%+v of %+v", e, s)
		}
		if e.Least != slices.Min(e.Seconds) || !(e.Least > 0) || e.PeakBytes <= 0 || !(e.Allocs > 0) || !(e.AllocBytes > 0) {
			t.Errorf("measured %+v", e)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := Options{Threads: 1}
	_, _, kernels := Kernels(ctx, o)
	_, layers := Layers(ctx, o)
	_, epochs := Epochs(ctx, o, 1)
	for _, err := range []error{kernels, layers, epochs} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func TestLayers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	results, err := Layers(t.Context(), Options{Threads: 2, Budget: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != numLayers {
		t.Errorf("%d layers, want %d: %+v", len(results), numLayers, results)
	}
	for _, r := range results {
		if r.Name == "" || !(r.Seconds > 0) {
			t.Errorf("layer %+v", r)
		}
	}
}

// The peak includes memory that has been freed, until it is reset.
func TestPeakMemory(t *testing.T) {
	before := memory.Peak()
	held := make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 { // pages count after they were written
		held[i] = 1
	}
	peak := memory.Peak()
	if before <= 0 || peak < int64(len(held)) || peak < before {
		t.Errorf("peak %d before and %d after holding %d bytes", before, peak, len(held))
	}
	if again := memory.Peak(); again < peak {
		t.Errorf("the peak fell from %d to %d", peak, again)
	}
	memory.ResetPeak()
	// The test still holds the memory, so that the peak may rise only by what the test itself needs.
	if after := memory.Peak(); after <= 0 || after > peak+16<<20 {
		t.Errorf("the peak rose from %d to %d when it was reset", peak, after)
	}
}
