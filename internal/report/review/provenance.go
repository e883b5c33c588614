package review

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// trainingSection describes the training data, the selection, and the settings; given settings are bold.
func (r *Review) trainingSection() ([]report.Part, error) {
	res := r.environment.Result
	var sizes []string
	for _, part := range []struct{ of, name string }{{source.PartTrain, "training"}, {source.PartValid, "validation"}, {source.PartTest, "test"}} {
		if p := r.session.Parts[part.of]; p != nil {
			sizes = append(sizes, report.Count(r.size(p))+" "+part.name)
		}
	}
	facts := report.Definitions{{"data", fmt.Sprintf("%s: %s %s, split %s", r.settings.Data.Name, strings.Join(sizes, ", "), levels[r.session.Task.Level], r.settings.Split.Kind)},
		{"model", fmt.Sprintf("%s, %s parameters", r.settings.ModelName, report.Count(res.Params))}}
	if res.Leaderboard != nil {
		name, note := keptName(res)
		facts[1][1] = name + ", " + note
		if text := session.Verdict(res.Leaderboard); text != "" {
			facts = append(facts, [2]string{"validation", text})
		}
	} else {
		facts = append(facts, [2]string{"training", fmt.Sprintf("%d epochs, the best is %d, in %s", res.Epochs, res.BestEpoch, report.Seconds(res.Seconds))})
	}
	choice, _, _ := strings.Cut(task.Selection(*r.settings), ",")
	if r.outcome != nil {
		choice += "; the test set was read once"
	}
	facts = append(facts, [2]string{"choice", choice})
	parts := []report.Part{report.Heading{Name: "How it was trained", Title: "How it was trained"}, facts}
	if l := r.learners(); l != nil {
		parts = append(parts, l)
	}
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "setting", Left: true}, {Name: "value", Left: true}}, Fold: "All settings; bold: asked for; config.yaml has all digits"}
	flat := r.settings.Flat()
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		if r.wasGiven(name) {
			list.Strong = append(list.Strong, len(list.Rows))
		}
		list.Rows = append(list.Rows, []string{name, shortened(report.ShortDecimals(flat[name]), 120)})
	}
	if r.scores != nil {
		parts = append(parts, r.allScores())
	}
	return append(parts, list), nil
}

// size is the number of items in a part.
func (r *Review) size(p *source.Part) int {
	if p.Items != nil {
		return len(p.Items)
	}
	n := 0
	for _, g := range p.Graphs {
		n += task.CountOf(g, r.session.Task.Level)
	}
	return n
}

// reproduce is the command of the run and everything that its result depends on.
func (r *Review) reproduce() ([]report.Part, error) {
	e := r.environment
	c := report.Command{Line: e.Command, Facts: report.Definitions{
		{"program", "ehgnn " + e.Version.Name() + ", " + e.Version.Go},
		{"machine", fmt.Sprintf("%s/%s, %s, %s, %s", e.Version.OS, e.Version.Arch, report.Counted(e.Version.CPUs, "processor"), e.Version.SIMD, report.Counted(e.Threads, "thread"))},
		{"seed", strconv.FormatUint(e.Seed, 10)}, {"data", r.settings.Data.Name + ", checksum " + e.DataChecksum}}}
	if e.Chemistry != "" {
		c.Facts = append(c.Facts, [2]string{"chemistry", e.Chemistry})
	}
	c.Facts = append(c.Facts, [2]string{"same result", "The command gives the same weights to the bit on this kind of processor."})
	return []report.Part{report.Heading{Name: "Reproduce", Title: "Reproduce"}, c}, nil
}

// wasGiven reports whether a setting with this name was given.
func (r *Review) wasGiven(setting string) bool {
	last := setting[strings.LastIndex(setting, ".")+1:]
	for name := range r.environment.Given {
		if strings.ReplaceAll(name, "-", "_") == last {
			return true
		}
	}
	return false
}
