package metric_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/metric"
)

// Four samples of four classes: second with a tie, last, last behind a class that is
// known to be true, first.
func TestRanks(t *testing.T) {
	score := []float32{
		0.125, 0.5, 0.5, 0.25,
		0.125, 0.5, 0.5, 0.25,
		0.125, 0.5, 0.5, 0.25,
		9, 9, 9, 9, // of no label
		-1, -2, -3, 4,
	}
	label := []int32{1, 0, 0, -1, 3}
	known := [][]int32{nil, nil, {1, 0}, {2}, {3}}
	rank, err := metric.Ranks(score, label, 4, known)
	if want := []float64{1.5, 4, 3, 1}; err != nil || !slices.Equal(rank, want) {
		t.Errorf("ranks %v (%v), want %v", rank, err, want)
	}
	if rank, err := metric.Ranks(score, label, 4, nil); err != nil || !slices.Equal(rank, []float64{1.5, 4, 4, 1}) {
		t.Errorf("ranks %v (%v) without a filter", rank, err)
	}
	got, err := metric.MRR(rank)
	equal(t, "MRR", got, err, (1/1.5+1./4+1./3+1)/4)
	for k, want := range map[int]float64{1: 0.25, 2: 0.5, 3: 0.75, 4: 1} {
		got, err := metric.HitsAt(rank, k)
		equal(t, "Hit@k", got, err, want)
	}
	for _, c := range []struct {
		score []float32
		label []int32
		known [][]int32
	}{{score[:4], []int32{4}, nil}, {score[:5], []int32{1}, nil}, {score[:4], []int32{1}, [][]int32{nil, nil}}, {[]float32{0, nan, 0, 0}, []int32{0}, nil}} {
		if _, err := metric.Ranks(c.score, c.label, 4, c.known); err == nil {
			t.Errorf("no error for %v", c)
		}
	}
	for _, f := range []func([]float64) (float64, error){metric.MRR, func(r []float64) (float64, error) { return metric.HitsAt(r, 1) }} {
		if _, err := f(nil); !errors.Is(err, metric.ErrUndefined) {
			t.Errorf("error %v without a rank", err)
		}
	}
}

// Without ties Hit@1 is the accuracy; a filter never makes a rank worse; scores that say
// nothing rank as a guess.
func TestRanksProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n, k := 1+r.IntN(40), 2+r.IntN(9)
		score, label, known, predicted := make([]float32, n*k), make([]int32, n), make([][]int32, n), make([]int32, n)
		for i := range score {
			score[i] = r.Float32()
		}
		for i := range label {
			label[i] = int32(r.IntN(k))
			row := score[i*k:][:k]
			predicted[i] = int32(slices.Index(row, slices.Max(row)))
			for range r.IntN(3) {
				known[i] = append(known[i], int32(r.IntN(k)))
			}
		}
		plain, err := metric.Ranks(score, label, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := metric.NewConfusion(predicted, label, k)
		want, _ := m.Accuracy()
		hits, err := metric.HitsAt(plain, 1)
		equal(t, "Hit@1", hits, err, want)
		filtered, err := metric.Ranks(score, label, k, known)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plain {
			if filtered[i] > plain[i] || filtered[i] < 1 {
				t.Fatalf("rank %v, filtered %v", plain[i], filtered[i])
			}
		}
		if flat, err := metric.Ranks(make([]float32, n*k), label, k, nil); err != nil || flat[0] != float64(k+1)/2 {
			t.Errorf("rank %v (%v) of %d equal scores", flat, err, k)
		}
	}
}

func TestRecallAt(t *testing.T) {
	score, target := []float32{0.9, 0.8, 0.8, 0.8, 0.1, 0.99}, []float32{1, 1, 0, 1, 0, nan}
	for n, want := range map[int]float64{1: 1. / 3, 2: (1 + 2./3) / 3, 3: (1 + 4./3) / 3, 4: 1, 5: 1, 99: 1} {
		got, err := metric.RecallAt(score, target, n)
		equal(t, "recall", got, err, want)
	}
	if _, err := metric.RecallAt(score, target, 0); err == nil {
		t.Error("no error for no sample at all")
	}
	if _, err := metric.RecallAt(score, []float32{0, 0, 0, 0, 0, 0}, 1); !errors.Is(err, metric.ErrUndefined) {
		t.Errorf("error %v without a positive", err)
	}
	// Ties count as the mean over all orders of them.
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		n := 2 + r.IntN(30)
		score, target, apart := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range score {
			score[i], target[i] = float32(r.IntN(4)), float32(r.IntN(2))
		}
		target[0] = 1
		at := 1 + r.IntN(n)
		mean := 0.0
		const orders = 4000
		for range orders {
			for i := range apart {
				apart[i] = score[i] + r.Float32()/2
			}
			v, err := metric.RecallAt(apart, target, at)
			if err != nil {
				t.Fatal(err)
			}
			mean += v / orders
		}
		if got, err := metric.RecallAt(score, target, at); err != nil || math.Abs(got-mean) > 0.04 {
			t.Errorf("recall %v (%v), mean over orders %v", got, err, mean)
		}
	}
}
