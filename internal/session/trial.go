package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
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

// autoOption is a setting that is left to validation.
type autoOption struct {
	option  string
	on, off any
	isOn    bool // by rule
}

// findAutoOptions lists the questions that a request leaves open, once settings are resolved by rule, those
// that tend to matter most first.
func (s *Session) findAutoOptions() {
	t := s.Settings.Data.Tables
	if t == nil || s.Task.Level != settings.Edges || s.Parts[source.PartValid] == nil || s.labelled(s.Parts[source.PartValid]) < trialFolds ||
		len(s.Parts[source.PartTrain].Items) < settings.EnoughTrial {
		return
	}
	open := s.request.Defaults.Over(s.request.Given).LeavesOpen
	if open("label-context") && source.MayReadLabels(s.Parts) {
		s.autoOptions = append(s.autoOptions, autoOption{"label-context", settings.ContextOn, settings.ContextOff, t.LabelContext == settings.ContextOn})
	}
	if open("node-embedding") && source.SeenNodeShare(s.Parts) >= source.MinSeenShare {
		s.autoOptions = append(s.autoOptions, autoOption{"node-embedding", settings.NodeWidth, 0, t.NodeEmbedding > 0})
	}
	if own := len(t.Encoder.Nodes) + len(t.Encoder.Edges); open("structure") && own > 0 {
		s.autoOptions = append(s.autoOptions, autoOption{"structure", []string{settings.StructureAll}, []string{settings.StructureNone}, t.Structure[0] != settings.StructureNone})
	}
	if c, ok := s.Data.(*source.ColumnData); ok && open("time-features") && c.Set.Time != nil {
		s.autoOptions = append(s.autoOptions, autoOption{"time-features", settings.ContextOn, settings.ContextOff, t.TimeFeatures == settings.ContextOn})
	}
	for len(s.autoOptions) > 0 && s.trialEpochs() < leastTrial {
		s.autoOptions = s.autoOptions[:len(s.autoOptions)-1] // fewer trials are longer
	}
}

// trialEpochs is how long each trial is: one with what holds by rule and one for each question.
func (s *Session) trialEpochs() int {
	work := func(hidden, layers int) float64 { return float64(hidden) * float64(max(layers, 1)) }
	m := &s.Settings.Model
	hidden, layers := max(m.Largest("hidden"), 1), m.Largest("layers")
	cost := max(work(min(hidden, source.TrialHidden), min(layers, source.TrialLayers))/work(hidden, layers)/float64(max(m.Members, 1)), trialCost)
	return min(int(trialShare*float64(s.Settings.Train.Epochs)/cost/float64(1+len(s.autoOptions))), mostTrial)
}

// trial is a small model's score on the validation part, and those without one fold each.
type trial struct {
	score float64
	folds [trialFolds]float64
}

// runTrial trains a small model with some settings.
func (s *Session) runTrial(ctx context.Context, values settings.Values) (t trial, err error) {
	r := s.request
	small := settings.Values{"epochs": s.trialEpochs(), "lr": trialRate * s.Settings.Train.LR, "members": 1, "coverage": 0.0}
	for name, most := range map[string]int{"hidden": source.TrialHidden, "layers": source.TrialLayers, "widen-input": 1} {
		if s.Settings.Model.Reads(name) {
			small[name] = min(s.Settings.Model.Largest(name), most)
		}
	}
	if width, ok := values["node-embedding"].(int); ok && width > 0 { // as much smaller as the model
		small["node-embedding"] = max(width*source.TrialHidden/max(s.Settings.Model.Largest("hidden"), source.TrialHidden), leastVectors)
	}
	r.Given = r.Given.Over(values).Over(small)
	sub, err := OpenOn(ctx, r, s.input)
	if err != nil {
		return t, err
	}
	if _, err := sub.CheckMemory(""); err != nil {
		return t, err
	}
	_, err = train.Fit(ctx, sub.problem(), sub.trainingGraphs(), sub.Graphs(source.PartValid), sub.Config(), train.Options{Gradients: s.Gradients})
	if diverged := (*train.DivergedError)(nil); errors.As(err, &diverged) {
		err = nil // what is kept is from before that
	}
	if err != nil {
		return t, err
	}
	if t.score, err = sub.monitored(ctx, sub.Parts[source.PartValid]); err != nil {
		return t, err
	}
	for k := range t.folds {
		if t.folds[k], err = sub.monitored(ctx, without(sub.Parts[source.PartValid], k, trialFolds)); err != nil {
			return t, err
		}
	}
	return t, nil
}

// monitored is the score of a part that epochs are kept by.
func (s *Session) monitored(ctx context.Context, p *source.Part) (float64, error) {
	scores, err := train.Evaluate(ctx, s.problem(), p.Graphs, s.Config())
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
func without(p *source.Part, k, n int) *source.Part {
	g := *p.Graphs[0]
	g.EdgeLabel, g.EdgeTargets = slices.Clone(g.EdgeLabel), slices.Clone(g.EdgeTargets)
	for i := k; i < len(p.Items); i += n {
		if e := p.Items[i]; g.EdgeLabel != nil {
			g.EdgeLabel[e] = graph.NoLabel
		} else {
			g.EdgeTargets[e] = float32(math.NaN())
		}
	}
	return &source.Part{Graphs: []*graph.Graph{&g}, Items: p.Items}
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

// selectOptions has validation decide what is left open, question by question, and tells of each
// choice. An answer holds for the trials that follow.
func (s *Session) selectOptions(ctx context.Context, tell func(settings.Choice)) (settings.Values, []settings.Choice, error) {
	values, choices := settings.Values{}, []settings.Choice(nil)
	for _, q := range s.autoOptions { // by rule, until answered
		values[q.option] = q.Value(q.isOn)
	}
	best, err := s.runTrial(ctx, values)
	for _, q := range s.autoOptions {
		if err != nil {
			break
		}
		var other trial
		if other, err = s.runTrial(ctx, values.Over(settings.Values{q.option: q.Value(!q.isOn)})); err != nil {
			break
		}
		if sum := best.score + other.score; math.IsNaN(sum) || math.IsInf(sum, 0) {
			continue // nothing to compare: the rule stands
		}
		c := settings.Choice{Setting: q.option, Value: settings.ChoiceOff, Score: s.scoreName(), With: best.score, Without: other.score, Epochs: s.trialEpochs()}
		if !q.isOn {
			c.With, c.Without = other.score, best.score
		}
		on := q.isOn
		if other.beats(best, s.Settings.Train.Monitor.Maximize) {
			on, best = !on, other
		}
		if on {
			c.Value = settings.ChoiceOn
		}
		values[q.option] = q.Value(on)
		if choices = append(choices, c); tell != nil {
			tell(c)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("task: trials of what to read: %w", err)
	}
	return values, choices, nil
}

func (q autoOption) Value(on bool) any {
	if on {
		return q.on
	}
	return q.off
}

// resolveAuto answers the questions of a session and resolves its settings by the answers. A run
// that was begun has them in its settings.
func (s *Session) resolveAuto(ctx context.Context, begun *settings.Settings, tell func(settings.Choice)) error {
	if begun != nil {
		return s.resolveAutoAs(ctx, autoValues(begun, s.autoOptions), begun.Choices)
	}
	if len(s.autoOptions) == 0 {
		return nil
	}
	values, choices, err := s.selectOptions(ctx, tell)
	if err != nil {
		return err
	}
	return s.resolveAutoAs(ctx, values, choices)
}

// resolveAutoAs resolves the settings of a session by answers.
func (s *Session) resolveAutoAs(ctx context.Context, values settings.Values, choices []settings.Choice) error {
	changed := slices.ContainsFunc(s.autoOptions, func(q autoOption) bool { return !sameValue(values[q.option], q.Value(q.isOn)) })
	s.autoOptions = nil
	if changed {
		r := s.request
		r.Given = r.Given.Over(values)
		again, err := OpenOn(ctx, r, s.input)
		if err != nil {
			return err
		}
		s.Settings, s.Model, s.Parts = again.Settings, again.Model, again.Parts
	}
	s.Settings.Choices = choices
	return nil
}

func sameValue(a, b any) bool { return string(settings.MustJSON(a)) == string(settings.MustJSON(b)) }

// autoValues are what settings say about questions.
func autoValues(s *settings.Settings, questions []autoOption) settings.Values {
	out := settings.Values{}
	for _, q := range questions {
		o, _ := settings.FindOption(q.option)
		v, _ := o.Value(s)
		on := !sameValue(v, q.off)
		out[q.option] = q.Value(on)
	}
	return out
}
