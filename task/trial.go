package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/train"
)

// Some settings of tasks on edges say what a model reads. Whether that helps depends on the
// data, so where such a setting is left open, validation decides: small models are trained with
// and without, from the same seed, and compared on the validation part by the score that the
// training keeps epochs by. Before a question is asked, the rules of edgeshown.go,
// edgestructure.go, edgetime.go and nodevectors.go say what holds without an answer; the other side must win
// by more than chance would give it. All trials together take at most trialShare of the work
// of the training; where that is too little to tell, the rules stand.
//
// The models are small because they must be trained to the end. What is easily learned is
// learned first: after a tenth of a training labels of neighbours seem to be worth a lot, also
// where the other features say more in the end.
const (
	trialShare   = 0.25 // of the work of a training
	leastVectors = 2    // width of a trial's vectors of nodes
	trialRate    = 2    // times the learning rate, as there are fewer steps
	trialCost    = 0.1  // of a full epoch that one of a trial takes at least
	leastTrial   = 80   // epochs, below which a trial tells nothing
	mostTrial    = 100  // epochs
	leastGain    = 0.05 // of the loss, or of what a score lacks to 1
	leastSigma   = 2    // standard errors of the gain
	trialFolds   = 8    // of the validation part, for that error
)

// question is a setting that is left to validation.
type question struct {
	option  string
	on, off any
	isOn    bool // by rule
}

// ask lists the questions that a request leaves open, once settings are resolved by rule, those
// that tend to matter most first.
func (s *Session) ask() {
	t := s.Settings.Data.Tables
	if t == nil || s.task.Items != Edges || s.parts[PartValid] == nil || s.labelled(s.parts[PartValid]) < trialFolds ||
		len(s.parts[PartTrain].Items) < enoughTrial {
		return
	}
	open := s.request.Defaults.Over(s.request.Given).leavesOpen
	if open("label-context") && mayReadLabels(s.parts) {
		s.questions = append(s.questions, question{"label-context", contextOn, contextOff, t.LabelContext == contextOn})
	}
	if open("node-embedding") && meetsAgain(s.parts) >= leastMet {
		s.questions = append(s.questions, question{"node-embedding", nodeWidth, 0, t.NodeEmbedding > 0})
	}
	if own := len(t.Encoder.Nodes) + len(t.Encoder.Edges); open("structure") && own > 0 {
		s.questions = append(s.questions, question{"structure", []string{structureAll}, []string{structureNone}, t.Structure[0] != structureNone})
	}
	if c, ok := s.Data.(*columnData); ok && open("time-features") && c.set.Time != nil {
		s.questions = append(s.questions, question{"time-features", contextOn, contextOff, t.TimeFeatures == contextOn})
	}
	for len(s.questions) > 0 && s.trialEpochs() < leastTrial {
		s.questions = s.questions[:len(s.questions)-1] // fewer trials are longer
	}
}

// trialEpochs is how long each trial is: one with what holds by rule and one for each question.
func (s *Session) trialEpochs() int {
	work := func(hidden, layers int) float64 { return float64(hidden) * float64(max(layers, 1)) }
	m := &s.Settings.Model
	hidden, layers := max(m.Largest("hidden"), 1), m.Largest("layers")
	cost := max(work(min(hidden, trialHidden), min(layers, trialLayers))/work(hidden, layers)/float64(max(m.Members, 1)), trialCost)
	return min(int(trialShare*float64(s.Settings.Train.Epochs)/cost/float64(1+len(s.questions))), mostTrial)
}

// trial is a small model's score on the validation part, and those without one fold each.
type trial struct {
	score float64
	folds [trialFolds]float64
}

// try trains a small model with some settings.
func (s *Session) try(ctx context.Context, values Values) (t trial, err error) {
	r := s.request
	small := Values{"epochs": s.trialEpochs(), "lr": trialRate * s.Settings.Train.LR, "members": 1, "coverage": 0.0}
	for name, most := range map[string]int{"hidden": trialHidden, "layers": trialLayers, "widen-input": 1} {
		if s.Settings.Model.Reads(name) {
			small[name] = min(s.Settings.Model.Largest(name), most)
		}
	}
	if width, ok := values["node-embedding"].(int); ok && width > 0 { // as much smaller as the model
		small["node-embedding"] = max(width*trialHidden/max(s.Settings.Model.Largest("hidden"), trialHidden), leastVectors)
	}
	r.Given = r.Given.Over(values).Over(small)
	sub, err := OpenOn(ctx, r, s.input)
	if err != nil {
		return t, err
	}
	if _, err := sub.Foresee(""); err != nil {
		return t, err
	}
	_, err = train.Fit(ctx, sub.problem(), sub.trainingGraphs(), sub.Graphs(PartValid), sub.config(), train.Options{Gradients: s.Gradients})
	if diverged := (*train.DivergedError)(nil); errors.As(err, &diverged) {
		err = nil // what is kept is from before that
	}
	if err != nil {
		return t, err
	}
	if t.score, err = sub.monitored(ctx, sub.parts[PartValid]); err != nil {
		return t, err
	}
	for k := range t.folds {
		if t.folds[k], err = sub.monitored(ctx, sub.parts[PartValid].without(k, trialFolds)); err != nil {
			return t, err
		}
	}
	return t, nil
}

// monitored is the score of a part that epochs are kept by.
func (s *Session) monitored(ctx context.Context, p *Part) (float64, error) {
	scores, err := train.Evaluate(ctx, s.problem(), p.Graphs, s.config())
	v, ok := scores.Get(s.scoreName())
	if !ok {
		v = math.NaN()
	}
	return v, err
}

// scoreName is the name of the score that epochs are kept by.
func (s *Session) scoreName() string {
	if name := s.Settings.Train.Monitor.Metric; name != "" {
		return name
	}
	return "loss"
}

// without is a part of edges in which every n-th, from the k-th on, has no label to be scored
// by.
func (p *Part) without(k, n int) *Part {
	g := *p.Graphs[0]
	g.EdgeLabel, g.EdgeTargets = slices.Clone(g.EdgeLabel), slices.Clone(g.EdgeTargets)
	for i := k; i < len(p.Items); i += n {
		if e := p.Items[i]; g.EdgeLabel != nil {
			g.EdgeLabel[e] = graph.NoLabel
		} else {
			g.EdgeTargets[e] = float32(math.NaN())
		}
	}
	return &Part{Graphs: []*graph.Graph{&g}, Items: p.Items}
}

// beats reports whether a trial is better than another by more than chance: by leastSigma
// standard errors, by the jackknife over the folds (Efron 1982), and by leastGain.
func (t trial) beats(other trial, maximise bool) bool {
	worse := func(v float64) float64 {
		if maximise {
			return 1 - v
		}
		return v
	}
	var gains [trialFolds]float64
	mean := 0.0
	for k := range gains {
		gains[k] = worse(other.folds[k]) - worse(t.folds[k])
		mean += gains[k] / trialFolds
	}
	variance := 0.0
	for _, g := range gains {
		variance += (g - mean) * (g - mean) * (trialFolds - 1) / trialFolds
	}
	gain := worse(other.score) - worse(t.score)
	return gain > leastSigma*math.Sqrt(variance) && gain > leastGain*worse(other.score) // false for NaN
}

// answer has validation decide what is left open, question by question, and tells of each
// choice. An answer holds for the trials that follow.
func (s *Session) answer(ctx context.Context, tell func(Choice)) (Values, []Choice, error) {
	values, choices := Values{}, []Choice(nil)
	for _, q := range s.questions { // by rule, until answered
		values[q.option] = q.value(q.isOn)
	}
	best, err := s.try(ctx, values)
	for _, q := range s.questions {
		if err != nil {
			break
		}
		var other trial
		if other, err = s.try(ctx, values.Over(Values{q.option: q.value(!q.isOn)})); err != nil {
			break
		}
		if sum := best.score + other.score; math.IsNaN(sum) || math.IsInf(sum, 0) {
			continue // nothing to compare: the rule stands
		}
		c := Choice{Setting: q.option, Value: choiceOff, Score: s.scoreName(), With: best.score, Without: other.score, Epochs: s.trialEpochs()}
		if !q.isOn {
			c.With, c.Without = other.score, best.score
		}
		on := q.isOn
		if other.beats(best, s.Settings.Train.Monitor.Maximize) {
			on, best = !on, other
		}
		if on {
			c.Value = choiceOn
		}
		values[q.option] = q.value(on)
		if choices = append(choices, c); tell != nil {
			tell(c)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("task: trials of what to read: %w", err)
	}
	return values, choices, nil
}

func (q question) value(on bool) any {
	if on {
		return q.on
	}
	return q.off
}

// decide answers the questions of a session and resolves its settings by the answers. A run
// that was begun has them in its settings.
func (s *Session) decide(ctx context.Context, begun *Settings, tell func(Choice)) error {
	if begun != nil {
		return s.decideAs(ctx, begun.answers(s.questions), begun.Choices)
	}
	if len(s.questions) == 0 {
		return nil
	}
	values, choices, err := s.answer(ctx, tell)
	if err != nil {
		return err
	}
	return s.decideAs(ctx, values, choices)
}

// decideAs resolves the settings of a session by answers.
func (s *Session) decideAs(ctx context.Context, values Values, choices []Choice) error {
	changed := slices.ContainsFunc(s.questions, func(q question) bool { return !sameValue(values[q.option], q.value(q.isOn)) })
	s.questions = nil
	if changed {
		r := s.request
		r.Given = r.Given.Over(values)
		again, err := OpenOn(ctx, r, s.input)
		if err != nil {
			return err
		}
		s.Settings, s.Model, s.parts = again.Settings, again.Model, again.parts
	}
	s.Settings.Choices = choices
	return nil
}

func sameValue(a, b any) bool { return string(mustJSON(a)) == string(mustJSON(b)) }

// answers are what settings say about questions.
func (s *Settings) answers(questions []question) Values {
	out := Values{}
	for _, q := range questions {
		o, _ := FindOption(q.option)
		v, _ := o.value(s)
		on := !sameValue(v, q.off)
		out[q.option] = q.value(on)
	}
	return out
}
