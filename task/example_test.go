package task_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/task"
)

// A run is trained, loaded and used; what differs between tasks and kinds of data is in
// the settings.
func Example() {
	ctx := context.Background()
	work, err := os.MkdirTemp("", "ehgnn")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(work)
	s, err := task.Open(ctx, task.Request{
		Path: filepath.Join("..", "testdata", "sets", "payments"), Model: "ehgnn-edge", Seed: 42,
		Given: task.Values{"split": "time", "epochs": 3, "hidden": 8},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir := filepath.Join(work, "run")
	if _, err := s.Train(ctx, task.TrainOptions{Dir: dir}); err != nil {
		fmt.Println(err)
		return
	}
	if s, err = task.Load(ctx, dir, task.LoadOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	e, err := s.Evaluate(ctx, task.PartTest)
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := s.Predict(ctx, task.PartAll)
	fmt.Println(s.Settings.Task, e.PositiveClass, e.Edges, table.Rows(), err)
	// Output: edge-classification fraud 24 120 <nil>
}
