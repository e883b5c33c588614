package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/model"
)

// Option is a setting that a user may give: one row of the table Options. It defines a flag, a key
// of --config and config.yaml, an override in experiments, and an entry in the lists of options in
// help and docs.
type Option struct {
	Name string // name of the flag; files may write _ for -
	Of   Group
	Help string
	// Kind is a zero value of the type: 0, 0.0, false, "", []string(nil) or []float64(nil).
	Kind any
	// At lists where settings keep the value, as pointers to the type of Kind; empty if the run does
	// not read the option.
	At func(*Settings) []any
	// Check returns what values are expected if a value is invalid. Nil accepts every value of the
	// type.
	Check func(value any) error
	// Set stores a value in settings if an assignment to At is not enough. Nil assigns.
	Set func(s *Settings, value any)
	// Get reads the value back. It is set if and only if Set is.
	Get func(s *Settings) any
}

// Group is the part of a run that an option belongs to.
type Group string

// The groups of options, in the order of their application.
const (
	OfData  Group = "data"  // how data are read
	OfSplit Group = "split" // how data are divided
	OfTask  Group = "task"  // loss and predictions
	OfModel Group = "model"
	OfTrain Group = "training"
)

// FindOption returns an option by name, written with _ or -.
func FindOption(name string) (Option, bool) {
	name = strings.ReplaceAll(name, "_", "-")
	i := slices.IndexFunc(registry, func(o Option) bool { return o.Name == name })
	if i < 0 {
		return Option{}, false
	}
	return registry[i], true
}

// Values are the given settings by option name; each value has the type of Option.Kind.
type Values map[string]any

// Over returns v, with the values of by replacing its own.
func (v Values) Over(by Values) Values {
	out := maps.Clone(v)
	if out == nil {
		out = Values{}
	}
	maps.Copy(out, by)
	return out
}

// DecodeValues decodes JSON values to the types of their options.
func DecodeValues(text []byte) (Values, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, Misuse("options: %w", err)
	}
	out := Values{}
	for name, value := range raw {
		o, ok := FindOption(name)
		if !ok {
			return nil, Misuse("unknown option %q", name)
		}
		at := reflect.New(reflect.TypeOf(o.Kind))
		if err := json.Unmarshal(value, at.Interface()); err != nil {
			return nil, Misuse("--%s is %s, expected %s", o.Name, value, o.Expected())
		}
		out[o.Name] = at.Elem().Interface()
	}
	return out, out.Validate()
}

// Each lists the given options in the order of the table.
func (v Values) Each() iter.Seq2[Option, any] {
	return func(yield func(Option, any) bool) {
		for _, o := range registry {
			if value, ok := v[o.Name]; ok && !yield(o, value) {
				return
			}
		}
	}
}

// Validate checks names, types and values.
func (v Values) Validate() error {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		o, ok := FindOption(name)
		if !ok || o.Name != name {
			return Misuse("unknown option %q, did you mean %q?", name, didyoumean.Name(name, optionNames(), math.MaxInt-1))
		}
		if err := o.check(v[name]); err != nil {
			return err
		}
	}
	return nil
}

func (o Option) check(value any) error {
	if fmt.Sprintf("%T", value) != fmt.Sprintf("%T", o.Kind) {
		return Misuse("--%s is %v, expected %s", o.Name, value, o.Expected())
	}
	if o.Check != nil {
		if err := o.Check(value); err != nil {
			if text, ok := value.(string); ok {
				value = fmt.Sprintf("%q", text)
			}
			return Misuse("--%s is %v, expected %w", o.Name, value, err)
		}
	}
	return nil
}

// Expected describes the values of the option's type.
func (o Option) Expected() string {
	switch o.Kind.(type) {
	case int:
		return "a whole number"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case []string:
		return "a list of texts"
	case []float64:
		return "a list of numbers"
	}
	return "a text"
}

func optionNames() []string {
	return lists.Map(registry, func(o Option) string { return o.Name })
}

// places is At, except that model.Auto reads no training settings: it chooses how its learners are
// trained.
func (o Option) places(s *Settings) []any {
	if s.ModelName == model.AutoName && (o.Of == OfTrain || slices.Contains(ofSteps, o.Name)) {
		return nil
	}
	return o.At(s)
}

// ofSteps are options of other groups that only gradient training reads.
var ofSteps = []string{"unweighted", "label-smoothing"}

// OfNetwork returns the first given option that graph networks read and model.Auto does not; empty for none.
func (v Values) OfNetwork() string {
	for o := range v.Each() {
		if o.Of == OfTrain || o.Of == OfModel && o.Name != "quality" || slices.Contains(ofSteps, o.Name) {
			return o.Name
		}
	}
	return ""
}

// Apply stores a value in settings. It returns false if the run does not read the option.
func (o Option) Apply(s *Settings, value any) bool {
	places := o.places(s)
	if len(places) == 0 {
		return false
	}
	if o.Set != nil {
		o.Set(s, value)
		return true
	}
	for _, at := range places {
		reflect.ValueOf(at).Elem().Set(reflect.ValueOf(value))
	}
	return true
}

// Value is the current value of an option in settings; ok is false if the run does not read the option.
func (o Option) Value(s *Settings) (v any, ok bool) {
	places := o.places(s)
	if len(places) == 0 {
		return nil, false
	}
	if o.Get != nil {
		return o.Get(s), true
	}
	return reflect.ValueOf(places[0]).Elem().Interface(), true
}

// Apply puts the values of some groups into settings. A value that the run does not read is an
// error, because the user expects an effect. With skip it is ignored, which suits defaults for many
// models.
func (v Values) Apply(s *Settings, skip bool, groups ...Group) error {
	for o, value := range v.Each() {
		if !slices.Contains(groups, o.Of) || o.Apply(s, value) || skip {
			continue
		}
		return o.Unread(s)
	}
	return nil
}

// Unread is the error about an option that a run does not read.
func (o Option) Unread(s *Settings) error {
	if s.ModelName == model.AutoName && o.Of != OfData && (o.Of == OfModel || len(o.At(s)) > 0) {
		return Misuse("--%s does not apply to model %s, which chooses its learners and how they are trained; --quality bounds its work; name a model with --model to set more, such as ehgnn-roles", o.Name, s.ModelName)
	}
	switch o.Of {
	case OfModel:
		err := fmt.Sprintf("--%s does not apply to model %s", o.Name, s.ModelName)
		if own := modelOptions(s.ModelName); len(own) > 0 {
			err += "; its own options are --" + strings.Join(own, ", --")
		}
		return Misuse("%s", err)
	case OfData:
		return Misuse("--%s does not apply to %s", o.Name, cmp.Or(s.Data.Source, "these data"))
	}
	return Misuse("--%s does not apply to %s of %s", o.Name, s.Task, cmp.Or(s.Data.Source, "these data"))
}

// Given returns values that lead to the same settings again. It leaves out values that an option
// does not accept, such as 0 members.
func (s *Settings) Given() Values {
	out := Values{}
	for _, o := range registry {
		if v, ok := o.Value(s); ok && o.check(v) == nil {
			out[o.Name] = v
		}
	}
	return out
}

// Reads reports whether a model reads an option of OfModel, given other values.
func Reads(spec model.Spec, option string, values Values) bool {
	s := &Settings{ModelName: spec.Name, Model: spec.Config()}
	for o, v := range values.Each() {
		if o.Of == OfModel {
			o.Apply(s, v)
		}
	}
	return s.Model.Reads(option)
}

// Unread is the error about an option that a model does not read.
func Unread(spec model.Spec, option string) error {
	o, _ := FindOption(option)
	return o.Unread(&Settings{ModelName: spec.Name})
}
