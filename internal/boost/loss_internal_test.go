package boost

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ehgnn/ehgnn/internal/par"
)

// The log loss without weights equals the log loss with weight 1 for each row, for scores of any size.
func TestLogLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, rows := range []int{1, factors - 1, factors, lossBlock, 2*lossBlock + factors + 7} {
		for _, size := range []float64{0, 1e-9, 1, 30, 2000} {
			y, w := make([]float32, rows), make([]float32, rows)
			for i := range y {
				y[i], w[i] = float32(r.IntN(2)), 1
			}
			s, err := newScored(Config{Objective: LogLoss}.filled(), rows, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.score {
				s.score[i] = size * r.NormFloat64()
			}
			got := s.loss(par.New(2))
			s.w = w
			if want := s.loss(par.New(1)); math.Abs(got-want) > 1e-13*math.Max(want, 1) {
				t.Errorf("%d rows with scores of about %g: %v, expected %v", rows, size, got, want)
			}
		}
	}
}
