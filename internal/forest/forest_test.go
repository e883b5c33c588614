package forest_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/forest"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/metric"
)

// rows returns random bits. Rows with at least two of the first three bits are positive.
func rows(n, bits int) (*forest.Bits, []bool) {
	r := rng.Stream(1, "rows")
	x, positive := forest.NewBits(n, bits), make([]bool, n)
	for i := range n {
		for b := range bits {
			if r.IntN(2) == 1 {
				x.Set(i, b)
			}
		}
		w := x.Row(i)[0]
		positive[i] = w&1+w>>1&1+w>>2&1 >= 2
	}
	return x, positive
}

func train(t *testing.T, x *forest.Bits, positive []bool, c forest.Config) *forest.Forest {
	t.Helper()
	f, err := forest.Train(t.Context(), x, positive, c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A forest learns the majority of three bits among seventy, also for rows that it was not trained
// on.
func TestLearns(t *testing.T) {
	x, positive := rows(3000, 70)
	known := make([]int, 2000)
	for i := range known {
		known[i] = i
	}
	f := train(t, x.Take(known), positive[:2000], forest.Config{Trees: 40, Seed: 3})
	var score, target []float32
	for i := 2000; i < 3000; i++ {
		score, target = append(score, float32(f.Score(x.Row(i)))), append(target, 0)
		if positive[i] {
			target[len(target)-1] = 1
		}
	}
	auc, err := metric.ROCAUC(score, target)
	if err != nil || auc < 0.97 {
		t.Errorf("ROC-AUC %v, %v, expected at least 0.97", auc, err)
	}
}

// If every bit is a candidate, the split is the best one: one tree separates by a single bit with
// two leaves.
func TestBestSplit(t *testing.T) {
	x, positive := forest.NewBits(40, 9), make([]bool, 40)
	for i := range 40 {
		positive[i] = i%2 == 0
		if positive[i] {
			x.Set(i, 7)
		}
		if i%3 == 0 {
			x.Set(i, 2)
		}
	}
	f := train(t, x, positive, forest.Config{Trees: 5, Candidates: 9, Seed: 1})
	if f.Nodes() != 15 {
		t.Errorf("%d nodes, expected 3 for each of 5 trees", f.Nodes())
	}
	for i := range 40 {
		if s := f.Score(x.Row(i)); (s == 1) != positive[i] || s != 0 && s != 1 {
			t.Errorf("row %d scores %v", i, s)
		}
	}
}

// Equal rows are in one leaf with their share of positive rows. The mean of this share over trees
// is that of the data.
func TestEqualRows(t *testing.T) {
	x, positive := forest.NewBits(200, 5), make([]bool, 200)
	for i := range 50 {
		positive[i] = true
	}
	f := train(t, x, positive, forest.Config{Trees: 200, Seed: 1})
	if s := f.Score(x.Row(0)); math.Abs(s-0.25) > 0.02 {
		t.Errorf("score %v, expected 0.25", s)
	}
	if f.Nodes() != 200 {
		t.Errorf("%d nodes, expected a leaf for each of 200 trees", f.Nodes())
	}
}

func TestThreadsAndBinary(t *testing.T) {
	x, positive := rows(500, 70)
	f := train(t, x, positive, forest.Config{Trees: 7, Seed: 3, Threads: 1})
	want, _ := f.MarshalBinary()
	got, _ := train(t, x, positive, forest.Config{Trees: 7, Seed: 3, Threads: 4}).MarshalBinary()
	if !bytes.Equal(got, want) {
		t.Error("four threads grow another forest than one")
	}
	if other, _ := train(t, x, positive, forest.Config{Trees: 7, Seed: 4}).MarshalBinary(); bytes.Equal(other, want) {
		t.Error("another seed grows the same forest")
	}
	var read forest.Forest
	if err := read.UnmarshalBinary(want); err != nil {
		t.Fatal(err)
	}
	if read.Bits() != 70 {
		t.Errorf("%d bits", read.Bits())
	}
	for i := range 200 {
		if got, want := read.Score(x.Row(i)), f.Score(x.Row(i)); got != want {
			t.Fatalf("row %d: %v, expected %v", i, got, want)
		}
	}
	for n := range want {
		if err := new(forest.Forest).UnmarshalBinary(want[:n]); err == nil {
			t.Fatalf("read %d of %d bytes", n, len(want))
		}
	}
	for _, bad := range [][]byte{{0, 1, 0, 0, 1}, {1, 0}, {1, 1, 0, 2, 1}, {1, 1, 0, 0, 0}, {1, 1, 0, 0, 1, 9}, {1, 1, 2, 0, 0, 1, 0, 0, 1}} {
		if err := new(forest.Forest).UnmarshalBinary(bad); err == nil {
			t.Errorf("read % x", bad)
		}
	}
}

func TestRefused(t *testing.T) {
	x := forest.NewBits(2, 4)
	for _, c := range []struct {
		labels int
		config forest.Config
	}{{2, forest.Config{}}, {1, forest.Config{Trees: 1}}, {2, forest.Config{Trees: 1, Candidates: 5}}} {
		if _, err := forest.Train(t.Context(), x, make([]bool, c.labels), c.config); err == nil {
			t.Errorf("trained with %d labels and %+v", c.labels, c.config)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := forest.Train(ctx, x, make([]bool, 2), forest.Config{Trees: 1}); err == nil {
		t.Error("trained although the context has ended")
	}
}
