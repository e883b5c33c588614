package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/page"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/serve"
	"github.com/ehgnn/ehgnn/internal/links/run"
)

// linkRuns separates runs of link prediction from other folders: it opens them, and lists them for the page.
func linkRuns(cmd *cobra.Command, a *app, dirs []string) (others []string, linked serve.Links, listed []page.Listed, err error) {
	for _, dir := range dirs {
		if !run.IsRun(dir) {
			others = append(others, dir)
			continue
		}
		if err := notForLinks(cmd, dir, "threshold"); err != nil {
			return nil, nil, nil, err
		}
		r, err := run.Load(cmd.Context(), dir, run.LoadOptions{Threads: a.threads})
		if err != nil {
			return nil, nil, nil, err
		}
		if linked == nil {
			linked = serve.Links{}
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, nil, err
		}
		name := filepath.Base(path)
		if linked[name] != nil {
			return nil, nil, nil, usage(fmt.Errorf("two runs are called %q; a run is called by the name of its folder", name))
		}
		linked[name] = r
		l, err := listedLink(name, dir)
		if err != nil {
			return nil, nil, nil, err
		}
		l.Partners = func(ctx context.Context, id string, top int, known bool) ([]run.Recommendation, error) {
			return r.Recommend(ctx, run.Query{For: []string{id}, Top: top, Known: known, Why: true})
		}
		listed = append(listed, l)
	}
	return others, linked, listed, nil
}

// listedLink is a run of link prediction in the list of the page.
func listedLink(name, dir string) (page.Listed, error) {
	r, finished, err := run.ReadResult(dir)
	if err != nil {
		return page.Listed{}, err
	}
	l := page.Listed{Name: name, Dir: dir, Data: r.Data, Task: r.Task, Model: r.Model, Seconds: r.Seconds, Finished: finished}
	l.ScoreName, l.Score, l.Interval, l.Value = r.Headline()
	return l, nil
}
