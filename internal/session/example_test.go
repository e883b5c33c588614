package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// A run is trained, loaded and used. Differences between tasks and kinds of data are in the
// settings.
func Example() {
	ctx := context.Background()
	work, err := os.MkdirTemp("", "ehgnn")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(work)
	s, err := session.Open(ctx, session.Request{
		Path: filepath.Join("..", "..", "testdata", "sets", "payments"), Model: "ehgnn-edge", Seed: 42,
		Given: settings.Values{"split": "time", "epochs": 3, "hidden": 8},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir := filepath.Join(work, "run")
	if _, err := s.Train(ctx, session.TrainOptions{Dir: dir}); err != nil {
		fmt.Println(err)
		return
	}
	if s, err = session.Load(ctx, dir, source.LoadOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	e, err := s.Evaluate(ctx, source.PartTest)
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := s.Predict(ctx, source.PartAll)
	fmt.Println(s.Settings.Task, e.PositiveClass, e.Edges, table.Rows(), err)
	// Output: edge-classification fraud 24 120 <nil>
}
