package pool_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseDenseBatch(t *testing.T) {
	for _, c := range golden.Load(t, "layers/dense_batch").Cases {
		t.Run(c.Name, func(t *testing.T) {
			known(t, c.Config, "max_num_nodes", "fill_value", "batch_size")
			p := pass(t, true)
			vars := bind(t, p, c, nil)
			samples := c.Outputs["dense"].Shape[0]
			if n := c.Config.Int("batch_size", samples); n != samples {
				t.Fatalf("%d samples in a batch of %d", samples, n)
			}
			dense, mask := pool.DenseBatch(vars["x"], tensor.MustIndex(c.IDs("batch"), samples),
				c.Config.Int("max_num_nodes", 0), float32(c.Config.Float("fill_value", 0)))
			out := map[string]*tensor.Tensor{"dense": dense, "mask": mask}
			golden.CheckOutputs(t, c, out, 1e-6)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-6)
		})
	}
}

func TestDenseBatchEmpty(t *testing.T) {
	dense, mask := pool.DenseBatch(tensor.New(0, 3), tensor.MustIndex(nil, 2), 0, 1)
	if dense.Size() != 0 || mask.Size() != 0 {
		t.Errorf("shapes %v and %v of no rows", dense.Shape(), mask.Shape())
	}
	// Rows in any order go to their samples in theirs.
	dense, _ = pool.DenseBatch(tensor.FromSlice([]float32{1, 2, 3}, 3, 1), tensor.MustIndex([]int32{1, 0, 1}, 2), 2, 9)
	near(t, "unsorted rows", dense.Data(), []float32{2, 9, 1, 3}, 0)
}
