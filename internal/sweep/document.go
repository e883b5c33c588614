package sweep

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/train"
)

// shortRows is how many trials a short document lists.
const shortRows = 10

// Document returns the study as tables and figures. A short document, for a terminal, has only the
// best trials and no figures.
func (s *Study) Document(short bool) (*report.Document, error) {
	d := &report.Document{Title: s.title(), Parts: []report.Part{s.facts(short), s.listing(short)}, Value: s.value(), Sheets: []report.Sheet{s.sheet()}}
	if list, epoch := s.Importances(); list != nil {
		d.Parts = append(d.Parts, importanceListing(list))
		d.Remarks = append(d.Remarks, fmt.Sprintf("importance: the share of the variance of the ranks that the setting explains by itself, of scores up to epoch %d.", epoch))
	}
	if !short {
		d.Parts = append(d.Parts, s.figures()...)
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

func (s *Study) count(of State) int {
	return lists.Count(s.Trials, func(t *Trial) bool { return t.State == of })
}

// facts returns the main results of the sweep.
func (s *Study) facts(brief bool) report.Facts {
	text := pageText
	if brief {
		text = short
	}
	b := s.Winner.Trial
	settings := lists.Map(s.Config.Space, func(d Dimension) string { return d.Option + " " + text(b.Settings[d.Option]) })
	facts := report.Facts{
		{Name: "best trial", Value: strconv.Itoa(b.Number), Note: strings.Join(settings, ", ")},
		{Name: "validation " + s.scoreTitle(), Value: fmt.Sprintf("%.4f", b.Value), Note: fmt.Sprintf("the best of %d complete, %d pruned, %d failed", s.count(Complete), s.count(Pruned), s.count(Failed))},
	}
	if test := s.Winner.Result.Test; test != nil {
		var list []string
		for _, v := range test {
			if len(list) < 3 {
				list = append(list, fmt.Sprintf("%s %.3f", task.ScoreTitle(v.Name), v.Value))
			}
		}
		facts = append(facts, report.Fact{Name: "test set", Value: strings.Join(list, ", "), Note: "scored once, for the best trial"})
	}
	return append(facts, report.Fact{Name: "run", Value: filepath.Join(s.Dir, b.Run), Note: "its report.html and config.yaml, for train --config"})
}

// ranked returns the trials, best first: completed trials, then trials by the number of their
// epochs.
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
	text := pageText // formats a value
	if brief {
		text = short
	}
	for i, t := range trials {
		score := report.Fixed(t.Value, 4)
		if brief {
			score = short(t.Value)
		}
		values := lists.Map(s.Config.Space, func(d Dimension) string { return text(t.Settings[d.Option]) })
		row := []string{strconv.Itoa(t.Number), t.State.String(), score, strconv.Itoa(len(t.Scores))}
		l.Rows = append(l.Rows, append(row, values...))
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

// pageText formats a value for pages.
func pageText(v any) string {
	if f, ok := v.(float64); ok {
		return report.Significant(f)
	}
	return fmt.Sprint(v)
}

// short formats a value for the terminal.
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

// figures returns charts of the best score so far, of the settings of all trials in parallel coordinates, and of the
// scores by each setting.
func (s *Study) figures() []report.Part {
	each, best := report.Series{Name: "trial", Kind: report.Dots, Colour: "c5"}, report.Series{Name: "best so far", Colour: "c1", Best: true}
	top, low, high := math.NaN(), math.Inf(1), math.Inf(-1)
	for _, t := range s.Trials {
		if t.State != Complete {
			continue
		}
		if s.better(t.Value, top) {
			top = t.Value
		}
		low, high = min(low, t.Value), max(high, t.Value)
		each.X, each.Y = append(each.X, float64(t.Number)), append(each.Y, t.Value)
		if n := len(best.Y); n > 0 && best.Y[n-1] != top { // a step in the line
			best.X, best.Y = append(best.X, float64(t.Number)), append(best.Y, best.Y[n-1])
		}
		best.X, best.Y = append(best.X, float64(t.Number)), append(best.Y, top)
	}
	parts := []report.Part{report.Heading{Name: "Trials", Title: "Trials"}}
	if len(each.X) > 0 {
		parts = append(parts, &report.Chart{Title: "Best so far", X: report.LinearAxis("trial", 0, float64(len(s.Trials))), Y: report.LinearAxis("validation "+s.scoreTitle(), low, high), Series: []report.Series{best, each},
			Caption: "Trials that were trained to their end, and the best of them so far."})
	}
	if c := s.parallel(); c != nil {
		parts = append(parts, c)
	}
	var settings []report.Part
	for i, d := range s.Config.Space {
		if c := s.bySetting(i, d); c != nil {
			settings = append(settings, c)
		}
	}
	if settings != nil {
		parts = append(parts, report.Heading{Name: "Settings", Title: "Score by setting", Lines: []string{"The best validation score of each trial by one setting; pruned trials are among them."}}, report.Cards{Three: len(settings) > 2, Parts: settings})
	}
	return parts
}

// scored returns the trials that have a score, best first.
func (s *Study) scored() []*Trial {
	return slices.DeleteFunc(s.ranked(), func(t *Trial) bool { return math.IsNaN(t.Value) })
}

// mostParallel is how many of the best trials have a line in parallel coordinates.
const mostParallel = 200

// parallel draws a line for each trial through its settings and its score; nil for fewer than two trials.
func (s *Study) parallel() *report.Chart {
	trials := s.scored()
	if len(trials) < 2 {
		return nil
	}
	trials = trials[:min(len(trials), mostParallel)]
	var columns []report.ChartColumn
	var at []func(t *Trial) float64
	column := func(name string, value func(t *Trial) float64, text func(v float64) string) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, t := range trials {
			low, high = min(low, value(t)), max(high, value(t))
		}
		columns = append(columns, report.ChartColumn{Name: shortName(name), Low: text(low), High: text(high)})
		at = append(at, func(t *Trial) float64 {
			if high == low {
				return 0.5
			}
			return (value(t) - low) / (high - low)
		})
	}
	for i, d := range s.Config.Space {
		column(d.Option, func(t *Trial) float64 { return t.at[i] }, func(v float64) string {
			switch k := int(v); {
			case d.Choices != nil && k >= 0 && k < len(d.Choices):
				return shortName(short(d.Choices[k]))
			case d.Log:
				v = math.Exp(v)
			}
			return report.Significant(v)
		})
	}
	column(s.scoreTitle(), func(t *Trial) float64 { return t.Value }, report.Significant)
	c := &report.Chart{Title: "Settings of all trials", Tall: true, Columns: columns, Caption: "A line for each trial, through its settings and its score; the best trial is blue."}
	c.X, c.Y = report.ParallelAxes(columns)
	for k, t := range slices.Backward(trials) {
		line := report.Series{Colour: "c5", Thin: true}
		if k == 0 {
			line = report.Series{Name: fmt.Sprintf("trial %d, the best", t.Number), Colour: "c1", Best: true}
		}
		for i, of := range at {
			line.X, line.Y = append(line.X, float64(i)), append(line.Y, of(t))
			if i < len(s.Config.Space) {
				line.Texts = append(line.Texts, pageText(t.Settings[s.Config.Space[i].Option]))
			} else {
				line.Texts = append(line.Texts, report.Significant(t.Value))
			}
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// shortName shortens a name for adjacent axes.
func shortName(name string) string {
	if r := []rune(name); len(r) > 12 {
		return string(r[:11]) + "…"
	}
	return name
}

// bySetting draws a dot for each trial by a setting; nil if no trial has a score.
func (s *Study) bySetting(i int, d Dimension) *report.Chart {
	trials := s.scored()
	if len(trials) == 0 {
		return nil
	}
	dots := report.Series{Name: s.scoreTitle(), Kind: report.Dots, Colour: "c1"}
	for _, t := range trials {
		x := t.at[i]
		if d.Log {
			x = math.Exp(x)
		}
		dots.X, dots.Y = append(dots.X, x), append(dots.Y, t.Value)
		dots.Texts = append(dots.Texts, fmt.Sprintf("%s, trial %d", report.Significant(t.Value), t.Number))
	}
	c := &report.Chart{Title: d.Option, Series: []report.Series{dots}, Y: report.LinearAxis("validation "+s.scoreTitle(), slices.Min(dots.Y), slices.Max(dots.Y))}
	switch {
	case d.Choices != nil:
		names := lists.Map(d.Choices, func(v any) string { return shortName(short(v)) })
		c.X = report.ChoiceAxis(d.Option, names)
	case d.Log:
		c.X = report.LogAxis(d.Option, d.Low, d.High)
	default:
		c.X = report.LinearAxis(d.Option, d.Low, d.High)
	}
	return c
}

// The study as values for programs.
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
