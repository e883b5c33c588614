package source

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// GraphSummary describes each set of a collection.
type GraphSummary []setSummary

// setSummary describes one set; Part is empty if there is only one set.
type setSummary struct {
	Part string `json:"part,omitempty"`
	data.Info
	Labels *smiles.Labels `json:"item_labels,omitempty"` // of atoms or bonds of molecules
	// Parts and Group are columns of a table of molecules that determine the split.
	Parts *tables.PartInfo   `json:"part_column,omitempty"`
	Group *tables.ColumnInfo `json:"group,omitempty"`
}

// Summary describes the set, or the set of each part.
func (p *GraphData) Summary() Summary {
	if p.Whole != nil {
		return setSummary{Info: p.Whole.Info}
	}
	return GraphSummary{{Part: PartTrain, Info: p.Train.Info}, {Part: PartValid, Info: p.Valid.Info}, {Part: PartTest, Info: p.Test.Info}}
}

// Text prints the summaries for people.
func (s GraphSummary) Text(w io.Writer, width int) error {
	for _, one := range s {
		if err := one.Text(w, width); err != nil {
			return err
		}
	}
	return nil
}

// Text prints the summary for people.
func (p setSummary) Text(w io.Writer, _ int) error {
	i := p.Info
	form := "undirected: one edge for both directions"
	if i.Directed {
		form = "directed: each direction an edge of its own"
	}
	name := i.Name
	if p.Part != "" {
		name += " (" + p.Part + ")"
	}
	lines := []string{
		fmt.Sprintf("%s, %s format", name, i.Format),
		fmt.Sprintf("  graphs         %d", i.NumGraphs),
		fmt.Sprintf("  nodes          %.2f mean, %d at most", i.MeanNodes, i.MaxNodes),
		fmt.Sprintf("  edges          %.2f mean, %d at most, undirected count", i.MeanEdges, i.MaxEdges),
		fmt.Sprintf("  form           %s", form),
		fmt.Sprintf("  node features  %d wide", i.NodeWidth),
		fmt.Sprintf("  edge features  %d wide", i.EdgeWidth),
	}
	if i.NumClasses > 0 {
		lines = append(lines, fmt.Sprintf("  classes        %d: %s", i.NumClasses, countedClasses(i.ClassNames, i.ClassCounts)))
	}
	if i.NumNodeClasses > 0 {
		lines = append(lines, fmt.Sprintf("  node classes   %d: %s", i.NumNodeClasses, countedClasses(nil, i.NodeClassCounts)))
	}
	if i.NumTargets > 0 {
		lines = append(lines, fmt.Sprintf("  targets        %d%s, %.1f%% missing", i.NumTargets, shownTargets(i),
			100*float64(i.MissingTargets)/(float64(i.NumTargets)*float64(i.NumGraphs))))
	}
	if p.Labels != nil {
		lines = append(lines, labelsText(p.Labels))
	}
	if i.HasFolds {
		lines = append(lines, "  folds          10, fixed")
	}
	for _, s := range []struct {
		of string
		*data.SplitInfo
	}{{"graphs", i.Split}, {"nodes", i.NodeSplit}} {
		if s.SplitInfo != nil {
			lines = append(lines, fmt.Sprintf("  split          %s: %d train, %d valid, %d test %s", s.Name, s.Train, s.Valid, s.Test, s.of))
		}
	}
	lines = append(lines, dividingLines(p.Group, p.Parts)...)
	lines = append(lines, "  checksum       sha256 "+i.Checksum)
	for _, n := range i.Notes {
		lines = append(lines, "  note           "+n)
	}
	return WriteLines(w, lines...)
}

// dividingLines describes the group and part columns; either may be nil.
func dividingLines(group *tables.ColumnInfo, part *tables.PartInfo) (lines []string) {
	if group != nil {
		lines = append(lines, "  group          "+columnText(*group))
	}
	if p := part; p != nil {
		lines = append(lines, fmt.Sprintf("  part           %s: %d train, %d valid, %d test%s", p.Name, p.Train, p.Valid, p.Test, missingText(p.Missing)))
	}
	return lines
}

// labelsText describes labels of atoms or bonds in one line.
func labelsText(l *smiles.Labels) string {
	if l.Classes != nil {
		return fmt.Sprintf("  %s classes   %s of %d: %s, %d missing", l.Level, l.Names[0], len(l.Classes), countedClasses(l.Classes, l.Counts), l.Missing)
	}
	return fmt.Sprintf("  %s targets   %d (%s), %.1f%% missing", l.Level, len(l.Names), strings.Join(l.Names, ", "), 100*float64(l.Missing)/max(float64(l.Items*len(l.Names)), 1))
}

// countedClasses lists the classes with the number of items in each.
func countedClasses(names []string, counts []int) string {
	var out []string
	for k, n := range counts {
		if k == shownClasses {
			out = append(out, fmt.Sprintf("and %d more classes", len(counts)-k))
			break
		}
		out = append(out, fmt.Sprintf("%s (%d)", settings.ClassName(names, int32(k)), n))
	}
	return strings.Join(out, ", ")
}

// shownTargets lists the names of the first targets, in brackets.
func shownTargets(i data.Info) string {
	const most = 4
	names := i.TargetNames
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(names[:most], ", "), len(names)-most)
	}
	return fmt.Sprintf(" (%s)", strings.Join(names, ", "))
}

// shownClasses is how many classes data info lists.
const shownClasses = 24

func columnText(c tables.ColumnInfo) string {
	if !c.Numeric {
		return fmt.Sprintf("%s: %d values%s", c.Name, c.Values, missingText(c.Missing))
	}
	return fmt.Sprintf("%s: number, %s to %s%s", c.Name, shortNumber(c.Min), shortNumber(c.Max), missingText(c.Missing))
}

// shortNumber formats whole numbers with all digits, and others with six digits or with the digits
// before the point.
func shortNumber(v float64) string {
	if v == float64(int64(v)) {
		return strconv.FormatInt(int64(v), 10)
	}
	if a := math.Abs(v); a >= 1e6 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

func missingText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d missing", n)
}

// WriteLines prints lines until the first error.
func WriteLines(w io.Writer, lines ...string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, strings.ReplaceAll(l, "\n", `\n`)); err != nil {
			return err
		}
	}
	return nil
}
