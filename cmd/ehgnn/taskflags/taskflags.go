// Package taskflags makes flags from the settings of runs.
package taskflags

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// Add adds a flag for each setting of a run in some groups.
func Add(f *pflag.FlagSet, groups ...settings.Group) {
	AddIf(f, func(o settings.Option) bool { return slices.Contains(groups, o.Of) })
}

// AddIf adds a flag for each wanted setting of a run.
func AddIf(f *pflag.FlagSet, wanted func(settings.Option) bool) {
	for _, o := range settings.Options() {
		if !wanted(o) || f.Lookup(o.Name) != nil {
			continue
		}
		switch o.Kind.(type) {
		case int:
			f.Int(o.Name, 0, o.Help)
		case float64:
			f.Float64(o.Name, 0, o.Help)
		case bool:
			f.Bool(o.Name, false, o.Help)
		case string:
			f.String(o.Name, "", o.Help)
		case []string:
			f.StringSlice(o.Name, nil, o.Help)
		case []float64:
			f.Float64Slice(o.Name, nil, o.Help)
			f.Lookup(o.Name).DefValue = ""
		default:
			panic(fmt.Sprintf("taskflags: option %s is of type %T", o.Name, o.Kind)) // a programming error in the table
		}
	}
}

// Given returns the values of the settings whose flags were given.
func Given(f *pflag.FlagSet) settings.Values {
	out := settings.Values{}
	for _, o := range settings.Options() {
		if !f.Changed(o.Name) {
			continue
		}
		var v any
		switch o.Kind.(type) { // AddIf chose these types, so there are no errors
		case int:
			v, _ = f.GetInt(o.Name)
		case float64:
			v, _ = f.GetFloat64(o.Name)
		case bool:
			v, _ = f.GetBool(o.Name)
		case string:
			v, _ = f.GetString(o.Name)
		case []string:
			v, _ = f.GetStringSlice(o.Name)
		case []float64:
			v, _ = f.GetFloat64Slice(o.Name)
		}
		out[o.Name] = v
	}
	return out
}
