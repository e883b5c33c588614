package review

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// contestant is a model or a baseline with its predictions for the test set.
type contestant struct {
	name, note string
	simple     bool // a baseline: a constant prediction or a linear model
	chosen     bool
	messages   bool // it passes messages between edges
	colour     string
	seconds    float64 // NaN if unknown
	outcome    *task.Outcome
	scores     train.Scores
	intervals  map[string][2]float64
	// behind is the first score minus that of the chosen model; interval is the interval of this paired difference.
	behind   float64
	interval [2]float64 // NaN for none
}

// contest compares models by their main scores on the test set; the chosen model is first.
type contest struct {
	names  [2]string // of the scores
	target int       // index, if there are several targets
	of     []*contestant
}

// contestants returns the chosen model, other trained models, and the constant baseline.
func (r *Review) contestants() ([]*contestant, error) {
	res := r.environment.Result
	chosen := &contestant{name: r.settings.ModelName, chosen: true, seconds: res.Seconds, outcome: r.outcome, note: fmt.Sprintf("%s parameters", report.Count(res.Params))}
	out := []*contestant{chosen}
	if board := res.Leaderboard; board != nil {
		chosen.name, chosen.note = keptName(res)
		chosen.messages = slices.ContainsFunc(board, func(e auto.Entry) bool { return e.Kept && e.Learner == model.LearnerDual })
		baselines, err := session.Baselines(r.dir, board, r.outcome)
		if err != nil {
			return nil, err
		}
		for _, b := range baselines {
			out = append(out, &contestant{name: b.Learner, note: learnerNotes[b.Learner], simple: b.Learner == "linear", messages: b.Learner == model.LearnerDual, seconds: b.Seconds, outcome: b.Outcome})
		}
	}
	name, note := r.usualName()
	out = append(out, &contestant{name: name, note: note, simple: true, outcome: usualOutcome(r.outcome, r.session.Usual(), true)})
	colour := 0
	for _, c := range out {
		if c.colour = report.ColourOf(colour); c.simple {
			c.colour = "c5"
			continue
		}
		colour++
	}
	return out, nil
}

// ModelName is the name of a trained model in reports; for model.Auto it names the learners in the final predictor.
func ModelName(res *session.TrainResult) string {
	if res.Leaderboard == nil {
		return res.Model
	}
	name, _ := keptName(res)
	return name
}

// keptName is the name of the final predictor of model.Auto, and its learners.
func keptName(res *session.TrainResult) (name, note string) {
	var kinds []string
	kept := 0
	for _, e := range res.Leaderboard {
		if e.Kept {
			kept++
			if !slices.Contains(kinds, e.Learner) {
				kinds = append(kinds, e.Learner)
			}
		}
	}
	if kept == 1 {
		return kinds[0], learnerNotes[kinds[0]]
	}
	if len(kinds) == 1 {
		return "average", fmt.Sprintf("of %d learners, all %s", kept, plural(kinds[0]))
	}
	return "average", fmt.Sprintf("of %d learners: %s", kept, strings.Join(kinds, " and "))
}

// plural is the name of a kind of learner, in the plural.
func plural(kind string) string {
	if strings.HasSuffix(kind, "network") {
		return kind + "s"
	}
	return kind
}

var learnerNotes = map[string]string{
	"linear": "linear model of the columns", "trees": "gradient-boosted trees on the columns",
	"network": "small network on the columns", "graph network": "message passing on the graphs", "dual network": "layers over neighbouring edges",
}

// usualName is the name of the constant baseline.
func (r *Review) usualName() (name, note string) {
	switch o := r.outcome; {
	case o.Classes != nil:
		return "majority", "no model: the share of each class"
	case o.Labels:
		return "base rate", "no model: the share of each label"
	}
	return "median", "no model: one number for every item"
}

// compare computes the scores of contestants, with intervals of the scores and of their differences from the
// first, by a bootstrap that draws the same items for all.
func (r *Review) compare(ctx context.Context, of []*contestant, target int) (*contest, error) {
	c := &contest{names: mainScores(r.outcome), target: target, of: of}
	score := make([]weighing, len(of))
	for k, x := range of {
		score[k] = weighingOf(x.outcome, r.settings.Target.Binary, target)
		x.scores = score[k](nil)
		x.behind, x.interval = c.main(x)-c.main(of[0]), [2]float64{math.NaN(), math.NaN()}
	}
	rows := r.rows()
	samples, units := samplesOf(len(rows)), unitsOf(r.outcome, r.manyGraphs(), rows)
	if samples == 0 || len(units) < 2 {
		return c, nil
	}
	scores := make([][]train.Scores, samples) // of each contestant
	err := draws(ctx, rng.Stream(r.environment.Seed, "review", "contest"), samples, units, len(r.outcome.At), r.session.Threads, func(sample int, times []int32) error {
		for k := range of {
			scores[sample] = append(scores[sample], score[k](times))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, x := range of {
		x.intervals = map[string][2]float64{}
		for i, s := range x.scores {
			if low, high, ok := middle(lists.Map(scores, func(of []train.Scores) float64 { return of[k][i].Value }), samples); ok {
				x.intervals[s.Name] = [2]float64{low, high}
			}
		}
		if low, high, ok := middle(lists.Map(scores, func(of []train.Scores) float64 { return of[k][0].Value - of[0][0].Value }), samples); ok {
			x.interval = [2]float64{low, high}
		}
	}
	return c, nil
}

// main is the most important score.
func (c *contest) main(x *contestant) float64 {
	v, _ := x.scores.Get(c.names[0])
	return v
}

// sorted returns the contestants, best first.
func (c *contest) sorted() []*contestant {
	return slices.SortedStableFunc(slices.Values(c.of), func(a, b *contestant) int {
		x, y := c.main(a), c.main(b)
		if smaller(c.names[0]) {
			x, y = y, x
		}
		switch {
		case x > y:
			return -1
		case y > x:
			return 1
		}
		return 0
	})
}

// standing is the standing of a contestant relative to the chosen one.
func (c *contest) standing(x *contestant) Standing {
	if x.chosen {
		return ""
	}
	return standingOf(c.names[0], x.behind, x.interval[0], x.interval[1])
}

// bestBut is the best contestant other than the chosen one for which is holds; nil for none.
func (c *contest) bestBut(is func(x *contestant) bool) *contestant {
	for _, x := range c.sorted() {
		if !x.chosen && is(x) {
			return x
		}
	}
	return nil
}

// decimals is the number of decimals of a score: three for scores in [0, 1], else enough for two digits of the standard
// error of the widest interval.
func (c *contest) decimals(name string) int {
	if !smaller(name) {
		return 3
	}
	widest := 0.0
	for _, x := range c.of {
		if i, ok := x.intervals[name]; ok {
			widest = max(widest, (i[1]-i[0])/3.92)
		}
	}
	return report.DecimalsFor(widest)
}

// value is a score of a contestant and its interval in brackets, empty for none.
func (c *contest) value(x *contestant, name string) (value, interval string) {
	v, _ := x.scores.Get(name)
	d := c.decimals(name)
	value = formatted(name, v, d)
	if i, ok := x.intervals[name]; ok && i[0] < i[1] {
		interval = "[" + formatted(name, i[0], d) + ", " + formatted(name, i[1], d) + "]"
	}
	return value, interval
}

func formatted(name string, v float64, decimals int) string {
	if smaller(name) || name == "r2" {
		return report.Fixed(v, decimals)
	}
	return report.Score(v)
}

// difference is the difference of a contestant from the chosen one, with its interval.
func (c *contest) difference(x *contestant) (value, interval string) {
	d := c.decimals(c.names[0])
	low, high := x.interval[0], x.interval[1]
	if math.IsNaN(low) {
		return report.Signed(x.behind, d), ""
	}
	zero := func(v float64) bool { return report.Signed(v, d) == "0" }
	for low*high > 0 && (zero(low) || zero(high)) && d < mostDecimals { // the interval does not contain 0, and its rounded ends must show this
		d++
	}
	return report.Signed(x.behind, d), "[" + report.Signed(low, d) + ", " + report.Signed(high, d) + "]"
}

// mostDecimals is the largest number of decimals of a difference.
const mostDecimals = 4
