package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// Space is the search space: one dimension for each setting, in the given order.
type Space []Dimension

// Dimension is a searched setting with its possible values.
type Dimension struct {
	Option string // name in settings.Options
	Text   string // text that it was parsed from: "log:1e-4..1e-2"
	// Low and High are the ends of a range and belong to it. Step is the distance of its values, 0 for
	// any number. Log samples it on a logarithmic scale. Whole says that values are ints.
	Low, High, Step float64
	Log, Whole      bool
	// Choices are the values if there is no range.
	Choices []any
}

// sameForAll are settings that cannot be searched: they change the items or the score, so that
// trials could not be compared.
var sameForAll = []string{"split", "folds", "fold", "fractions", "pairs", "unweighted", "calibrate", "coverage", "budget"}

// ParseSpace parses dimensions from a command line: NAME=VALUES, where VALUES is a range LOW..HIGH,
// LOW..HIGH:STEP or log:LOW..HIGH, or a list of choices separated by commas.
func ParseSpace(texts []string) (Space, error) {
	if len(texts) == 0 {
		return nil, settings.Misuse("sweep: there is no setting to search; --space lr=log:1e-4..1e-2 names one")
	}
	var s Space
	for _, text := range texts {
		d, err := parseDimension(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s, func(o Dimension) bool { return o.Option == d.Option }) {
			return nil, settings.Misuse("sweep: --space %s: %s is there twice", text, d.Option)
		}
		s = append(s, d)
	}
	return s, nil
}

func parseDimension(text string) (Dimension, error) {
	name, values, ok := strings.Cut(text, "=")
	if !ok || name == "" || values == "" {
		return Dimension{}, settings.Misuse("sweep: --space is %q, expected NAME=VALUES, such as lr=log:1e-4..1e-2, hidden=32..256:32 or conv=gcn,gin", text)
	}
	refused := func(format string, args ...any) error {
		return settings.Misuse("sweep: --space %s: "+format, append([]any{text}, args...)...)
	}
	o, ok := settings.FindOption(name)
	if !ok {
		return Dimension{}, refused("%w", settings.Values{name: nil}.Validate())
	}
	switch {
	case o.Of == settings.OfData, slices.Contains(sameForAll, o.Name):
		return Dimension{}, refused("%s cannot be searched: trials with different values have scores that cannot be compared", o.Name)
	}
	d := Dimension{Option: o.Name, Text: values}
	var err error
	switch o.Kind.(type) {
	case int, float64:
		_, d.Whole = o.Kind.(int)
		if strings.Contains(values, "..") {
			err = d.parseRange(values)
		} else {
			err = d.parseChoices(values, o.Kind)
		}
	case bool, string:
		err = d.parseChoices(values, o.Kind)
	default:
		err = fmt.Errorf("%s takes lists, which cannot be searched", o.Name)
	}
	if err != nil {
		return Dimension{}, refused("%w", err)
	}
	ends := d.Choices
	if ends == nil {
		low, high := d.bounds()
		ends = []any{d.value(low), d.value(high)}
	}
	for _, v := range ends {
		if err := (settings.Values{o.Name: v}).Validate(); err != nil {
			return Dimension{}, refused("%w", err)
		}
	}
	return d, nil
}

// mostWhole is the largest whole number of a range: beyond it, float64 cannot represent all whole numbers.
const mostWhole = 1 << 53

func (d *Dimension) parseRange(text string) (err error) {
	text, d.Log = strings.CutPrefix(text, "log:")
	bounds, step, stepped := strings.Cut(text, ":")
	low, high, _ := strings.Cut(bounds, "..")
	if d.Low, err = d.number(low); err != nil {
		return err
	}
	if d.High, err = d.number(high); err != nil {
		return err
	}
	switch {
	case stepped && d.Log:
		return fmt.Errorf("a range on a logarithmic scale has no step")
	case stepped:
		if d.Step, err = d.number(step); err != nil {
			return err
		}
	case d.Whole && !d.Log:
		d.Step = 1
	}
	switch {
	case !(d.Low < d.High):
		return fmt.Errorf("the range begins at %s, expected less than its end, %s", low, high)
	case math.IsInf(d.High-d.Low, 0):
		return fmt.Errorf("the range is longer than a number can say")
	case d.Log && d.Low <= 0:
		return fmt.Errorf("the range begins at %s, expected above 0 on a logarithmic scale", low)
	case stepped && !(d.Step > 0 && d.Step <= d.High-d.Low):
		return fmt.Errorf("the step is %s, expected above 0 and at most %v, the length of the range", step, d.High-d.Low)
	}
	if d.Step > 0 { // so that the end is a value
		d.High = round(d.Low + d.Step*math.Floor((d.High-d.Low)/d.Step+1e-9))
	}
	return nil
}

// number reads a finite number of the dimension's type.
func (d *Dimension) number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%q is no finite number", text)
	case d.Whole && (v != math.Trunc(v) || math.Abs(v) > mostWhole):
		return 0, fmt.Errorf("%s is no whole number of at most %d", text, mostWhole)
	}
	return v, nil
}

func (d *Dimension) parseChoices(text string, kind any) error {
	for word := range strings.SplitSeq(text, ",") {
		var v any = word
		switch kind.(type) {
		case int, float64:
			f, err := d.number(word)
			if err != nil {
				return err
			}
			if v = f; d.Whole {
				v = int(f)
			}
		case bool:
			b, err := strconv.ParseBool(word)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", word)
			}
			v = b
		}
		if slices.Contains(d.Choices, v) {
			return fmt.Errorf("%v is there twice", v)
		}
		d.Choices = append(d.Choices, v)
	}
	if len(d.Choices) < 2 {
		return fmt.Errorf("there is one value, expected two or more; --%s %s sets it for all trials", d.Option, text)
	}
	return nil
}

// unread lists searched settings that a training does not read, with these settings alone or with a
// choice of another dimension.
func (s Space) unread(base *settings.Settings) (out []settings.Values) {
	spec, _ := model.Find(base.ModelName) // the settings were made with this name
	given := base.Given()
	for _, d := range s {
		o, _ := settings.FindOption(d.Option)
		some := settings.Values{d.Option: d.example()}
		if o.Of != settings.OfModel {
			if len(o.At(base)) == 0 {
				out = append(out, some)
			}
			continue
		}
		with := []settings.Values{{}}
		for _, other := range s {
			for _, c := range other.Choices {
				if other.Option != d.Option {
					with = append(with, settings.Values{other.Option: c})
				}
			}
		}
		for _, values := range with {
			if !settings.Reads(spec, d.Option, given.Over(values)) {
				out = append(out, values.Over(some))
			}
		}
	}
	return out
}

// example is one of the values.
func (d Dimension) example() any {
	if d.Choices != nil {
		return d.Choices[0]
	}
	low, high := d.bounds()
	return d.value((low + high) / 2)
}

// A point of a space has a coordinate for each dimension: the index of a choice, or the value or
// its logarithm.

// bounds are the bounds of the coordinate. For rounded values they extend half a step beyond the
// ends, so that each value has the same probability.
func (d Dimension) bounds() (low, high float64) {
	switch half := d.Step / 2; {
	case d.Choices != nil:
		return 0, float64(len(d.Choices))
	case d.Log && d.Whole:
		return math.Log(d.Low - 0.5), math.Log(d.High + 0.5)
	case d.Log:
		return math.Log(d.Low), math.Log(d.High)
	default:
		return d.Low - half, d.High + half
	}
}

// value returns the value of the setting at a coordinate.
func (d Dimension) value(x float64) any {
	if d.Choices != nil {
		return d.Choices[min(max(int(x), 0), len(d.Choices)-1)]
	}
	if d.Log {
		x = math.Exp(x)
	}
	if d.Step > 0 {
		x = round(d.Low + d.Step*math.Round((x-d.Low)/d.Step))
	}
	x = min(max(x, d.Low), d.High)
	if d.Whole {
		return int(math.Round(x))
	}
	return x
}

// coordinate returns the coordinate of a value, or -1 if it is not a choice.
func (d Dimension) coordinate(v any) float64 {
	if d.Choices != nil {
		return float64(slices.Index(d.Choices, v))
	}
	x, ok := v.(float64)
	if !ok {
		x = float64(v.(int))
	}
	if d.Log {
		return math.Log(x)
	}
	return x
}

// round removes rounding errors of sums of steps, for example in 0.30000000000000004.
func round(x float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 14, 64), 64)
	return v
}

// distribution describes the dimension like Optuna, as JSON text.
func (d Dimension) distribution() string {
	var v any
	switch {
	case d.Choices != nil:
		v = map[string]any{"name": "CategoricalDistribution", "attributes": map[string]any{"choices": d.Choices}}
	case d.Whole:
		v = map[string]any{"name": "IntDistribution", "attributes": map[string]any{"low": int(d.Low), "high": int(d.High), "log": d.Log, "step": max(int(d.Step), 1)}}
	default:
		var step any
		if d.Step > 0 {
			step = d.Step
		}
		v = map[string]any{"name": "FloatDistribution", "attributes": map[string]any{"low": d.Low, "high": d.High, "log": d.Log, "step": step}}
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	return string(text)
}

// texts returns the texts that the space was parsed from.
func (s Space) texts() []string {
	return lists.Map(s, func(d Dimension) string { return d.Option + "=" + d.Text })
}
