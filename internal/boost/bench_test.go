package boost_test

import (
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
)

// The benchmark has a large table and a small one. In the small one the fixed cost of a node matters.
func BenchmarkTrain(b *testing.B) {
	for _, s := range []struct{ rows, columns, rounds int }{{1_000_000, 50, 100}, {20_000, 60, 500}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%dx%d/%d rounds/%d threads", s.rows, s.columns, s.rounds, threads), func(b *testing.B) {
				t := newTable(1, s.rows, s.columns)
				y := t.classes(2)
				for b.Loop() {
					train(b, t.x, y, nil, nil, boost.Config{Rounds: s.rounds, Threads: threads})
				}
			})
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	t := newTable(1, 100_000, 50)
	small := newTable(1, 5000, 50)
	m := train(b, small.x, small.classes(5), nil, nil, boost.Config{Objective: boost.Softmax, Classes: 5, Rounds: 100})
	out := make([]float32, 5*100_000)
	for b.Loop() {
		if err := m.Predict(t.x, out); err != nil {
			b.Fatal(err)
		}
	}
}
