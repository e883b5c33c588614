package model_test

import (
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// The cluster of an edge has the largest weight over both heads; the first of equal ones.
func TestClusters(t *testing.T) {
	one, two := tensor.FromSlice([]float32{0.5, 0.25, 0.25, 0.5, 0.5, 0}, 2, 3), tensor.FromSlice([]float32{0, 0.75, 0.25, 0.5, 0.5, 0}, 2, 3)
	for _, test := range []struct {
		assign  pool.Attention
		edges   int
		cluster []int32
		weight  []float32
	}{
		{pool.Attention{one}, 2, []int32{0, 0}, []float32{0.5, 0.5}},
		{pool.Attention{one, two}, 2, []int32{1, 0}, []float32{0.5, 0.5}},
		{pool.Attention{one}, 3, nil, nil}, // of nodes
		{nil, 2, nil, nil},
	} {
		cluster, weight := (&model.Output{Assign: test.assign}).Clusters(test.edges)
		if !slices.Equal(cluster, test.cluster) || !slices.Equal(weight, test.weight) {
			t.Errorf("%d edges: %v, %v, want %v, %v", test.edges, cluster, weight, test.cluster, test.weight)
		}
	}
}
