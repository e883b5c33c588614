package ehgnn_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn"
)

// checkBatches fails unless a model gives each graph the same bits alone, in batches of any
// size and in any company, and from several goroutines.
func checkBatches(t *testing.T, m *ehgnn.Model, graphs []*ehgnn.Graph) {
	t.Helper()
	var in []*ehgnn.Input
	var want []ehgnn.Prediction
	for _, g := range graphs {
		one, err := m.Input(g)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := m.Predict(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if n := one.Bytes(); n < int64(8*len(g.Ends)/2) {
			t.Errorf("%d bytes for %d edges", n, len(g.Ends)/2)
		}
		in, want = append(in, one), append(want, alone...)
	}
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			size := []int{1, 2, 3, 5, 8, 13, 32, len(in)}[k]
			for at := 0; at < len(in); at += size {
				lo, hi := at, min(at+size, len(in))
				got, err := m.PredictBatch(t.Context(), in[lo:hi]...)
				if a, b := fmt.Sprint(got), fmt.Sprint(want[lo:hi]); err != nil || a != b {
					t.Errorf("graphs %d to %d in batches of %d: %v\n%s, alone\n%s", lo, hi-1, size, err, a, b)
					return
				}
			}
		})
	}
	wg.Wait()
}
