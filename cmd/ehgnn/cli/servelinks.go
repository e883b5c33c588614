package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/serve"
	"github.com/ehgnn/ehgnn/internal/links/run"
)

// linkRuns opens the runs of link prediction among folders, and lists the others.
func linkRuns(ctx context.Context, a *app, dirs []string) (others []string, linked serve.Links, err error) {
	for _, dir := range dirs {
		if !run.IsRun(dir) {
			others = append(others, dir)
			continue
		}
		r, err := run.Load(ctx, dir, run.LoadOptions{Threads: a.threads})
		if err != nil {
			return nil, nil, err
		}
		if linked == nil {
			linked = serve.Links{}
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, err
		}
		name := filepath.Base(path)
		if linked[name] != nil {
			return nil, nil, usage(fmt.Errorf("two runs are called %q; a run is called by the name of its folder", name))
		}
		linked[name] = r
	}
	return others, linked, nil
}
