package experiment

import (
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// Names of presets.
const (
	presetQuick = "quick"
	presetPaper = "paper"
)

// presetOf is the one of an experiment's presets that --preset names.
func presetOf[P any](c *call, of []P, nameOf func(P) string) (preset P, err error) {
	name := value[string](c, "preset")
	if at := slices.IndexFunc(of, func(p P) bool { return nameOf(p) == name }); at >= 0 {
		return of[at], nil
	}
	var names []string
	for _, p := range of {
		names = append(names, nameOf(p))
	}
	last := len(names) - 1
	return preset, settings.Misuse("--preset is %q, expected %s or %s", name, strings.Join(names[:last], ", "), names[last])
}
