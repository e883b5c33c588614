package review

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/task"
)

// mostFindings is how many sentences are below the verdict.
const mostFindings = 3

func capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// lower is a sentence in the form that follows a colon.
func lower(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[n:]
}

// splitUnit splits the name of a number into the name and the unit in brackets, as in time [min].
func splitUnit(name string) (bare, unit string) {
	if before, after, ok := strings.Cut(name, "["); ok {
		if unit, _, ok := strings.Cut(after, "]"); ok {
			return strings.TrimSpace(before), unit
		}
	}
	switch _, err := strconv.Atoi(name); {
	case name == "":
		return "label", ""
	case err == nil: // the data number their labels
		return "label " + name, ""
	}
	return name, ""
}

// heading says what was predicted for which items.
func (r *Review) heading() string {
	of := fmt.Sprintf("%s of %s", levels[r.session.Task.Level], r.settings.Data.Name)
	if r.outcome == nil {
		return r.title()
	}
	switch o := r.outcome; {
	case o.Classes != nil && len(o.Classes.Names) == 2:
		name, label := o.Classes.Names[positive(r.settings.Target.Binary)], r.session.LabelName()
		if label != "" && schema.IsTruth(name) { // a name without information
			return fmt.Sprintf("%s with %s %s", capital(of), shortened(label, 40), name)
		}
		return capital(className(name, 40)) + " among the " + of
	case o.Classes != nil:
		return "Classes of the " + of
	case o.Labels && len(o.Targets) == 1:
		return fmt.Sprintf("Label %s of the %s", shortened(o.Targets[0].Name, 40), of)
	case o.Labels:
		return "Labels of the " + of
	case r.many():
		return fmt.Sprintf("%d numbers of the %s", len(o.Targets), of)
	case o.Targets != nil:
		name, _ := splitUnit(r.labelName())
		return capital(shortened(name, 40)) + " of the " + of
	}
	return r.title()
}

// aboutLine says in one line what was done.
func (r *Review) aboutLine() string {
	text := capital(strings.ReplaceAll(r.settings.Task, "-", " "))
	if name := r.labelName(); name != "" {
		text += " of " + name
	}
	text += " on " + r.settings.Data.Name
	if rows := r.rows(); len(rows) > 0 {
		text += fmt.Sprintf(" · test set of %s", r.items(len(rows)))
		if c := r.outcome.Classes; c != nil && len(c.Names) == 2 {
			k := positive(r.settings.Target.Binary)
			n := count(c.True, rows, k)
			text += fmt.Sprintf(", %s of them %s (%s)", report.Count(n), className(c.Names[k], 40), report.Percent(float64(n)/float64(len(rows))))
		}
	}
	return text + " · run " + filepath.Base(r.dir)
}

func count(class, rows []int32, k int) int {
	return lists.Count(rows, func(i int32) bool { return int(class[i]) == k })
}

// verdict says whether the model is good, what is certain, and what limits the result.
func (r *Review) verdict() ([]report.Part, error) {
	switch {
	case r.targetContests != nil:
		return r.verdictOnTargets(), nil
	case r.contest == nil:
		if len(r.scores) == 0 {
			return []report.Part{r.untested()}, nil
		}
		s := r.scores[0]
		return []report.Part{report.Verdict{Answer: fmt.Sprintf("%s of the test set: %s.", capital(task.ScoreTitle(s.name)), number(s.test))}}, nil
	}
	c := r.contest
	model, title := c.of[0], task.ScoreTitle(c.names[0])
	value, interval := c.value(model, c.names[0])
	unit := r.unit()
	if unit != "" {
		unit = " " + unit
	}
	v := c.verdict(fmt.Sprintf("%s %s%s", title, value, unit), interval, r.items(len(r.rows())))
	if n := len(r.rows()); v.Tone == "" && n > 0 && n < fewItems {
		v.Tone = report.Even
	}
	return append([]report.Part{v}, r.findings()...), nil
}

// untested is the verdict on a run without a test set: the validation score that selected its weights.
func (r *Review) untested() report.Verdict {
	v := report.Verdict{Tone: report.Even, Answer: "Not tested: the run has no test set.", Rest: "Train with --fractions 0.8,0.1,0.1 for a score that chose nothing."}
	names := append(slices.Clone(headline), "loss")
	if by := r.settings.Train.Monitor.Metric; by != "" && by != "loss" {
		names = append([]string{by}, names...)
	}
	for _, name := range names {
		averaged := smaller(name) && name != "loss" && len(r.settings.Target.Units) > 1
		if value, ok := r.environment.Result.Valid.Get(name); ok && !averaged {
			v.Answer = fmt.Sprintf("Not tested: validation %s %s.", task.ScoreTitle(name), number(value))
			v.Rest = "The run has no test set, and the validation set chose the weights, so its score is too good. " + v.Rest
			break
		}
	}
	return v
}

// verdict compares the model with the baselines and with the best other trained model; model is its score, interval the
// interval of this score.
func (c *contest) verdict(model, interval, items string) report.Verdict {
	simple := c.bestBut(func(x *contestant) bool { return x.simple })
	v, _ := c.value(simple, c.names[0])
	d, between := c.difference(simple)
	answer, rest := strings.TrimSpace(model+" "+interval)+" against "+v+".", "Its difference to the model is "+d+" "+between
	switch c.standing(simple) {
	case Level:
		return report.Verdict{Tone: report.Even, Answer: fmt.Sprintf("Level with the baseline %s: %s", simple.name, answer), Rest: rest + ", which contains 0: this test set does not show which is better."}
	case Ahead:
		return report.Verdict{Tone: report.Bad, Answer: fmt.Sprintf("The model does not beat the baseline %s: %s", simple.name, answer), Rest: rest + "; use the baseline, or more data."}
	}
	on := strings.TrimSpace(interval + " on " + items)
	next := c.bestBut(func(x *contestant) bool { return !x.simple })
	if next == nil {
		return report.Verdict{Answer: "Ahead of every baseline: " + model, Rest: fmt.Sprintf("%s, by %s; the best baseline, %s, has %s.", on, c.of[0].made(), simple.name, v)}
	}
	value, _ := c.value(next, c.names[0])
	d, between = c.difference(next)
	switch c.standing(next) {
	case Level:
		return report.Verdict{Tone: report.Even, Answer: fmt.Sprintf("Ahead of %s, level with %s alone: %s", simple.name, next.name, model),
			Rest: fmt.Sprintf("%s, by %s; %s alone has %s, a difference of %s %s.", on, c.of[0].made(), next.name, value, d, between)}
	case Ahead:
		return report.Verdict{Tone: report.Bad, Answer: fmt.Sprintf("The model does not beat %s alone: %s", next.name, strings.TrimSpace(model+" "+interval)+" against "+value+"."),
			Rest: fmt.Sprintf("Validation chose %s, but on %s the difference is %s %s.", c.of[0].made(), items, d, between)}
	}
	return report.Verdict{Answer: "Ahead of every baseline: " + model, Rest: fmt.Sprintf("%s, by %s; %s alone has %s.", on, c.of[0].made(), next.name, value)}
}

// made is the predictor, in the words of a sentence.
func (x *contestant) made() string {
	if x.name == "average" {
		return "the average " + x.note
	}
	return x.name
}

// Warnings are the warnings of a training: the model is behind a baseline, or behind one of the models that it was
// chosen from. A model that is level gives no warning, because a small test set may be the reason; the report mentions
// it.
func (r *Review) Warnings() (out []string) {
	c := r.contest
	switch {
	case r.targetContests != nil:
		for _, p := range r.verdictOnTargets() {
			if v, ok := p.(report.Verdict); ok && v.Tone == report.Bad {
				out = append(out, lower(v.Answer)+" "+v.Rest)
			}
		}
		return out
	case c == nil:
		return nil
	}
	value, interval := c.value(c.of[0], c.names[0])
	if v := c.verdict(task.ScoreTitle(c.names[0])+" "+value, interval, r.items(len(r.rows()))); v.Tone == report.Bad {
		out = append(out, lower(v.Answer)+" "+v.Rest)
	}
	if text := r.belowMajority(); text != "" {
		out = append(out, lower(text))
	}
	for i := range out { // for a terminal
		out[i] = strings.ReplaceAll(out[i], "−", "-")
	}
	return out
}

// verdictOnTargets counts the targets on which the model is ahead of the median.
func (r *Review) verdictOnTargets() []report.Part {
	of := map[Standing][]string{}
	for k, c := range r.targetContests {
		name, _ := splitUnit(r.outcome.Targets[k].Name)
		s := c.standing(c.of[len(c.of)-1])
		of[s] = append(of[s], shortened(name, 40))
	}
	v := report.Verdict{Answer: fmt.Sprintf("Ahead of always saying the median for %d of %d numbers", len(of[Behind]), len(r.targetContests)), Rest: fmt.Sprintf("on %s.", r.items(len(r.rows())))}
	switch {
	case len(of[Behind]) == 0 && len(of[Level]) > 0:
		v.Tone, v.Answer = report.Even, "Level with always saying the median"
	case len(of[Behind]) == 0:
		v.Tone, v.Answer = report.Bad, "The model does not beat always saying the median"
	}
	var f report.Findings
	for _, worse := range []struct {
		standing Standing
		text     string
	}{{Ahead, "Behind the median"}, {Level, "Level with the median"}} {
		if names := of[worse.standing]; len(names) > 0 && len(names) < len(r.targetContests) {
			f = append(f, report.Finding{Beware: true, Text: fmt.Sprintf("%s: %s.", worse.text, strings.Join(names[:min(len(names), 5)], ", "))})
		}
	}
	return []report.Part{v, f}
}

// findings returns at most three sentences.
func (r *Review) findings() []report.Part {
	var out report.Findings
	c := r.contest
	add := func(beware bool, text string) {
		if text != "" && len(out) < mostFindings {
			out = append(out, report.Finding{Beware: beware, Text: text})
		}
	}
	if n := len(r.rows()); n > 0 && n < fewItems {
		add(true, fmt.Sprintf("The test set has %s: too few to tell one model from another.", r.items(n)))
	}
	add(true, r.belowMajority())
	if next := c.bestBut(func(x *contestant) bool { return !x.simple }); next != nil {
		simple := c.bestBut(func(x *contestant) bool { return x.simple })
		d, between := c.difference(next)
		switch standing := c.standing(next); {
		case standing == Behind:
			add(false, fmt.Sprintf("Ahead of %s alone, the next best: its difference is %s %s on the same %s.", next.name, d, between, levels[r.outcome.Level]))
		case c.standing(simple) == Behind: // the verdict says so
		default:
			add(true, fmt.Sprintf("%s alone is %s: its difference is %s %s on the same %s.", capital(next.name), standing, d, between, levels[r.outcome.Level]))
		}
	}
	add(true, r.shifted())
	if dual := c.bestBut(func(x *contestant) bool { return x.messages }); dual != nil && c.standing(dual) == Behind {
		// The best model without message passing, possibly the chosen one.
		sorted := c.sorted()
		columns := slices.IndexFunc(sorted, func(x *contestant) bool { return !x.messages })
		if columns < slices.Index(sorted, dual) {
			v, _ := c.value(dual, c.names[0])
			add(true, fmt.Sprintf("A network on neighbouring edges alone has %s: the columns carry more than the neighbours.", v))
		}
	}
	add(false, r.typicalError())
	return []report.Part{out}
}

// belowMajority says that accuracy is lower than that of always predicting the most frequent class.
func (r *Review) belowMajority() string {
	for _, s := range r.scores {
		if s.name == "accuracy" && r.lessRight {
			return fmt.Sprintf("Accuracy %s is below %s, that of always saying the most frequent class; judge by %s.", report.Score(s.test), report.Score(s.usual), task.ScoreTitle(r.contest.names[0]))
		}
	}
	return ""
}

// shifted says that the positive class is much rarer or more frequent than in training.
func (r *Review) shifted() string {
	c := r.outcome.Classes
	if c == nil || len(c.Names) != 2 {
		return ""
	}
	k, rows, total := positive(r.settings.Target.Binary), r.rows(), 0
	counts := r.session.Usual().Counts
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return ""
	}
	here, there := float64(count(c.True, rows, k))/float64(len(rows)), float64(counts[k])/float64(total)
	if there == 0 || here < 2*there && here > there/2 {
		return ""
	}
	low := "low"
	if here < there {
		low = "high"
	}
	return fmt.Sprintf("%s is %s of the test set and %s of the training set: use the order; the probabilities are too %s.", capital(className(c.Names[k], 40)), report.Percent(here), report.Percent(there), low)
}

// typicalError is the median error of a number.
func (r *Review) typicalError() string {
	if r.outcome.Targets == nil || r.outcome.Labels {
		return ""
	}
	t := r.outcome.Targets[0]
	sizes := lists.Map(knownOf(t, r.rows()), func(i int32) float64 { return math.Abs(float64(t.Predicted[i]) - float64(t.True[i])) })
	slices.Sort(sizes)
	return strings.TrimSpace(fmt.Sprintf("Half of the %s are predicted within %s %s", levels[r.outcome.Level], report.Significant(quantile(sizes, 0.5)), r.unit())) + "."
}
