package sweep

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// shortRows is how many trials a short document lists.
const shortRows = 10

// Document is the study as tables and figures. A short one, for a terminal, has the best trials
// alone and no figures.
func (s *Study) Document(short bool) (*report.Document, error) {
	d := &report.Document{Title: s.title(), Parts: []report.Part{s.facts(), s.listing(short)}, Value: s.value(), Sheets: []report.Sheet{s.sheet()}}
	if list, epoch := s.Importances(); list != nil {
		d.Parts = append(d.Parts, importanceListing(list))
		d.Remarks = append(d.Remarks, fmt.Sprintf("importance: the share of the variance of the ranks that the setting explains by itself, of scores up to epoch %d.", epoch))
	}
	if !short {
		figures, err := s.figures()
		if err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, figures...)
	}
	if n := s.count(Failed); n > 0 {
		i := slices.IndexFunc(s.Trials, func(t *Trial) bool { return t.State == Failed })
		d.Problems = append(d.Problems, fmt.Sprintf("Failed: %s, the first of which is trial %d: %s", report.Counted(n, "trial"), s.Trials[i].Number, s.Trials[i].Error))
	}
	return d, nil
}

func (s *Study) title() string {
	return fmt.Sprintf("Sweep on %s: %s by validation %s", s.Data, report.Counted(len(s.Trials), "trial"), s.scoreTitle())
}

func (s *Study) scoreTitle() string { return task.ScoreTitle(s.Score) }

func (s *Study) count(of State) (n int) {
	for _, t := range s.Trials {
		if t.State == of {
			n++
		}
	}
	return n
}

// facts are what the sweep has found.
func (s *Study) facts() report.Facts {
	b := s.Winner.Trial
	var settings []string
	for _, d := range s.Config.Space {
		settings = append(settings, d.Option+" "+short(b.Settings[d.Option]))
	}
	facts := report.Facts{
		{Name: "best trial", Value: strconv.Itoa(b.Number), Note: strings.Join(settings, ", ")},
		{Name: "validation " + s.scoreTitle(), Value: fmt.Sprintf("%.4f", b.Value), Note: fmt.Sprintf("the best of %d complete, %d pruned, %d failed", s.count(Complete), s.count(Pruned), s.count(Failed))},
	}
	if test := s.Winner.Result.Test; test != nil {
		var list []string
		for _, v := range test {
			if len(list) < 3 {
				list = append(list, fmt.Sprintf("%s %.4f", task.ScoreTitle(v.Name), v.Value))
			}
		}
		facts = append(facts, report.Fact{Name: "test part", Value: strings.Join(list, ", "), Note: "scored once, for the best trial"})
	}
	return append(facts, report.Fact{Name: "run", Value: filepath.Join(s.Dir, b.Run), Note: "its report.html and config.yaml, for train --config"})
}

// ranked are the trials, the best first: those that were trained to their end, then those that
// came furthest.
func (s *Study) ranked() []*Trial {
	order := map[State]int{Complete: 0, Pruned: 1, Running: 1, Failed: 2}
	return slices.SortedStableFunc(slices.Values(s.Trials), func(a, b *Trial) int {
		switch {
		case order[a.State] != order[b.State]:
			return order[a.State] - order[b.State]
		case a.State != Complete && len(a.Scores) != len(b.Scores):
			return len(b.Scores) - len(a.Scores)
		case s.better(a.Value, b.Value):
			return -1
		case s.better(b.Value, a.Value):
			return 1
		}
		return a.Number - b.Number
	})
}

func (s *Study) listing(brief bool) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "trial"}, {Name: "state", Left: true}, {Name: s.scoreTitle()}, {Name: "epochs"}}, Strong: []int{0}}
	for _, d := range s.Config.Space {
		l.Columns = append(l.Columns, report.ListingColumn{Name: d.Option, Left: d.Choices != nil})
	}
	trials := s.ranked()
	if brief {
		trials = trials[:min(len(trials), shortRows)]
	}
	for i, t := range trials {
		row := []string{strconv.Itoa(t.Number), t.State.String(), short(t.Value), strconv.Itoa(len(t.Scores))}
		for _, d := range s.Config.Space {
			row = append(row, short(t.Settings[d.Option]))
		}
		l.Rows = append(l.Rows, row)
		if t.State != Complete {
			l.Faint = append(l.Faint, i)
		}
	}
	return l
}

func importanceListing(of []Importance) *report.Listing {
	l := &report.Listing{Columns: []report.ListingColumn{{Name: "setting", Left: true}, {Name: "importance"}}}
	for _, i := range of {
		l.Rows = append(l.Rows, []string{i.Setting, fmt.Sprintf("%.2f", i.Share)})
	}
	return l
}

// short is a value for people.
func short(v any) string {
	f, ok := v.(float64)
	switch {
	case !ok:
		return fmt.Sprint(v)
	case math.IsNaN(f):
		return "–"
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}

// sheet has every trial, with all digits.
func (s *Study) sheet() report.Sheet {
	out := report.Sheet{Name: "table", Header: []string{"trial", "state", s.Score, "epochs"}}
	for _, d := range s.Config.Space {
		out.Header = append(out.Header, d.Option)
	}
	for _, t := range s.Trials {
		value := ""
		if !math.IsNaN(t.Value) {
			value = strconv.FormatFloat(t.Value, 'g', -1, 64)
		}
		row := []string{strconv.Itoa(t.Number), t.State.String(), value, strconv.Itoa(len(t.Scores))}
		for _, d := range s.Config.Space {
			row = append(row, fmt.Sprint(t.Settings[d.Option]))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

const panelWidth, panelHeight = 320, 230 // points

// figures are the best score so far over the trials, and the scores by each setting of a range.
func (s *Study) figures() ([]report.Part, error) {
	var each, best draw.Curve
	each.Faint, best.Name = true, "best so far"
	each.Name = "trial"
	top := math.NaN()
	for _, t := range s.Trials {
		if t.State != Complete {
			continue
		}
		if s.better(t.Value, top) {
			top = t.Value
		}
		each.X, each.Y = append(each.X, float64(t.Number)), append(each.Y, t.Value)
		best.X, best.Y = append(best.X, float64(t.Number)), append(best.Y, top)
	}
	curves := draw.Figure{Columns: 1, Width: 2 * panelWidth, Height: panelHeight,
		Panels: []draw.Panel{draw.Curves{X: "trial", Y: s.scoreTitle(), Curves: []draw.Curve{best, each}, Headroom: 0.2}}}
	picture, err := report.Drawn("best", "Validation "+s.scoreTitle()+" of trials that were trained to their end, and the best so far", curves)
	if err != nil {
		return nil, err
	}
	parts := []report.Part{picture}
	slices := draw.Figure{Columns: 2, Width: panelWidth, Height: panelHeight}
	for i, d := range s.Config.Space {
		if p := s.slice(i, d); len(p.Points) > 0 {
			slices.Panels = append(slices.Panels, p)
		}
	}
	if slices.Panels != nil {
		picture, err := report.Drawn("settings", "Best validation "+s.scoreTitle()+" of each trial by its settings; pruned trials are among them", slices)
		if err != nil {
			return nil, err
		}
		parts = append(parts, picture)
	}
	return parts, nil
}

// slice is the panel of a setting; of choices none.
func (s *Study) slice(i int, d Dimension) draw.Scatter {
	p := draw.Scatter{X: d.Option, Y: s.scoreTitle()}
	if d.Choices != nil {
		return p
	}
	if d.Log {
		p.X = "log10 of " + d.Option
	}
	for _, t := range s.Trials {
		v := t.Value
		if math.IsNaN(v) {
			continue
		}
		x := t.at[i]
		if d.Log {
			x /= math.Ln10
		}
		p.Points = append(p.Points, [2]float64{x, v})
	}
	return p
}

// Value types: the study for programs.
type studyValue struct {
	Out        string       `json:"out"`
	Data       string       `json:"data"`
	Task       string       `json:"task"`
	Model      string       `json:"model"`
	Score      string       `json:"score"`
	Maximise   bool         `json:"maximise"`
	Sampler    string       `json:"sampler"`
	Pruner     string       `json:"pruner"`
	Seed       uint64       `json:"seed"`
	Space      []string     `json:"space"`
	Best       trialValue   `json:"best"`
	Valid      train.Scores `json:"valid"`
	Test       train.Scores `json:"test,omitempty"`
	Importance []Importance `json:"importance,omitempty"`
	Trials     []trialValue `json:"trials"`
}

type trialValue struct {
	Trial    int             `json:"trial"`
	State    State           `json:"state"`
	Value    *float64        `json:"value"`
	Epochs   int             `json:"epochs"`
	Settings settings.Values `json:"settings"`
	Run      string          `json:"run"`
	Error    string          `json:"error,omitempty"`
}

func (s *Study) value() studyValue {
	res := s.Winner.Result
	v := studyValue{Out: s.Dir, Data: s.Data, Task: res.Task, Model: res.Model, Score: s.Score, Maximise: s.Maximise, Sampler: s.Config.Sampler, Pruner: s.Config.Pruner,
		Seed: s.Config.Request.Seed, Space: s.Config.Space.texts(), Best: s.trialValue(s.Winner.Trial), Valid: res.Valid, Test: res.Test}
	v.Importance, _ = s.Importances()
	for _, t := range s.Trials {
		v.Trials = append(v.Trials, s.trialValue(t))
	}
	return v
}

func (s *Study) trialValue(t *Trial) trialValue {
	out := trialValue{Trial: t.Number, State: t.State, Epochs: len(t.Scores), Settings: t.Settings, Run: filepath.Join(s.Dir, t.Run), Error: t.Error}
	if !math.IsNaN(t.Value) {
		out.Value = &t.Value
	}
	return out
}
