package review

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/report"
)

// provenance are the settings, those that were asked for in bold, and where the run was made.
func (r *Review) provenance() ([]report.Part, error) {
	e := r.environment
	parts := []report.Part{report.Heading{Title: "Where it comes from"}}
	if e.Command != "" {
		parts = append(parts, report.Lines{e.Command})
	}
	facts := [][]string{{"program", "ehgnn " + e.Version.Name() + ", " + e.Version.Go}, {"machine", fmt.Sprintf("%s/%s, %s, %s", e.Version.OS, e.Version.Arch, report.Counted(e.Version.CPUs, "processor"), e.Version.SIMD)},
		{"threads", strconv.Itoa(e.Threads)}, {"seed", strconv.FormatUint(e.Seed, 10)}, {"data", r.settings.Data.Name}, {"checksum of the data", e.DataChecksum}}
	if e.Chemistry != "" {
		facts = append(facts, []string{"chemistry", e.Chemistry})
	}
	parts = append(parts, &report.Listing{Columns: []report.ListingColumn{{Name: "what", Left: true}, {Name: "value", Left: true}}, Rows: facts})
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "setting", Left: true}, {Name: "value", Left: true}}, Fold: "All settings; bold: asked for"}
	flat := r.settings.Flat()
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		if r.asked(name) {
			list.Strong = append(list.Strong, len(list.Rows))
		}
		list.Rows = append(list.Rows, []string{name, shortened(flat[name], 120)})
	}
	return append(parts, list), nil
}

// asked reports whether an option that was given has the name of a setting.
func (r *Review) asked(setting string) bool {
	last := setting[strings.LastIndex(setting, ".")+1:]
	for name := range r.environment.Given {
		if strings.ReplaceAll(name, "-", "_") == last {
			return true
		}
	}
	return false
}
