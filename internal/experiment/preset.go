package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Names of presets.
const (
	presetQuick = "quick"
	presetPaper = "paper"
)

// remarks returns the texts that are not empty.
func remarks(texts ...string) []string {
	return lists.Filter(texts, func(text string) bool { return text != "" })
}

// orPreset is the value of an option, or the preset's if it is not given.
func orPreset[T any](c *call, name string, preset T) T {
	if c.given(name) {
		return value[T](c, name)
	}
	return preset
}

// someSeeds returns n consecutive seeds from --seed on.
func (c *call) someSeeds(n int) []uint64 {
	return lists.Map(lists.Range[int](max(n, 0)), func(k int) uint64 { return c.Seed + uint64(k) })
}

// named returns the elements of a list that an option names. An unknown name, or one given twice, is an error.
func named[T any](option string, names []string, of []T, nameOf func(T) string) ([]T, error) {
	if name, twice := duplicate(names, func(name string) string { return name }); twice {
		return nil, settings.Misuse("--%s has %s twice", option, name)
	}
	var out []T
	for _, name := range names {
		at := slices.IndexFunc(of, func(v T) bool { return nameOf(v) == name })
		if at < 0 {
			return nil, settings.Misuse("--%s is %q, expected one of %q", option, name, lists.Map(of, nameOf))
		}
		out = append(out, of[at])
	}
	return out, nil
}

// rowHelp lists rows for the help: names in a column of some width, followed by titles.
func rowHelp[T any](width int, rows []T, of func(T) (name, title string)) string {
	var b strings.Builder
	for _, r := range rows {
		name, title := of(r)
		fmt.Fprintf(&b, "  %-*s%s\n", width, name, title)
	}
	return b.String()
}

// meanText is the mean of some values, with their deviation if there are several.
func meanText(format string, values []float64) string {
	mean, deviation := report.MeanStd(values)
	if len(values) > 1 {
		return fmt.Sprintf(format+" ± "+format, mean, deviation)
	}
	return fmt.Sprintf(format, mean)
}

// presetOf returns the preset of an experiment that --preset names.
func presetOf[P any](c *call, of []P, nameOf func(P) string) (P, error) {
	return presetNamed(value[string](c, "preset"), of, nameOf)
}

func presetNamed[P any](name string, of []P, nameOf func(P) string) (preset P, err error) {
	if at := slices.IndexFunc(of, func(p P) bool { return nameOf(p) == name }); at >= 0 {
		return of[at], nil
	}
	names := lists.Map(of, nameOf)
	last := len(names) - 1
	return preset, settings.Misuse("--preset is %q, expected %s or %s", name, strings.Join(names[:last], ", "), names[last])
}
