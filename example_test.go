package ehgnn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/task"
)

// Example opens a run and asks for the class of a graph.
func Example() {
	ctx := context.Background()
	work, err := os.MkdirTemp("", "ehgnn")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(work)
	dir := filepath.Join(work, "run")
	// As: ehgnn train testdata/sets/RINGS --model hyperdrop --out DIR
	s, err := task.Open(ctx, task.Request{Path: filepath.Join("testdata", "sets", "RINGS"), Model: "hyperdrop", Seed: 42,
		Given: task.Values{"epochs": 60, "hidden": 16, "lr": 0.01, "constant-lr": true}})
	if err != nil {
		panic(err)
	}
	if _, err := s.Train(ctx, task.TrainOptions{Dir: dir}); err != nil {
		panic(err)
	}

	m, err := ehgnn.Open(ctx, dir, ehgnn.Options{})
	if err != nil {
		panic(err)
	}
	ring := &ehgnn.Graph{NumNodes: 4, Ends: []int32{0, 1, 1, 2, 2, 3, 3, 0},
		Node: ehgnn.Columns{"label": ehgnn.Numbers{5, 5, 5, 5}},
		Edge: ehgnn.Columns{"label": ehgnn.Numbers{1, 1, 1, 1}}}
	ps, err := m.Predict(ctx, ring)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Task(), m.Classes(), ps[0].Class)
	// Output: graph-classification [-1 1] -1
}
