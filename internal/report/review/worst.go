package review

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
)

// mostWorst is how many errors are listed.
const mostWorst = 12

// Sizes of graphs above which they are not drawn; mostArcNodes is for graphs that are not molecules.
const (
	mostDrawnNodes = 120
	mostArcNodes   = 16
)

// worst lists the items with a wrong class and the highest confidence, or with the largest errors of numbers,
// with their data columns. If the items are graphs, they are drawn.
func (r *Review) worst() ([]report.Part, error) {
	wrong := r.wrong()
	if len(wrong) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(wrong, func(a, b mistake) int { return cmp.Compare(b.size, a.size) })
	total := len(wrong)
	wrong = r.ofBothKinds(wrong)
	command, inFile := r.explainCommand(wrong), ""
	if command != nil {
		inFile = "#" + explainID
	}
	t, err := r.worstTable(wrong, inFile)
	if err != nil {
		return nil, err
	}
	t.Note = fmt.Sprintf("%d of %s; predictions.csv has all.", len(wrong), report.Counted(total, "error"))
	if _, binary := r.binary(); binary || r.outcome.Targets != nil {
		t.Note = fmt.Sprintf("%d of %s; predictions.csv has all.", len(wrong), r.items(total))
	}
	out := []report.Part{report.Heading{Name: "Largest errors", Title: "Largest errors", Lines: []string{"Errors often point at wrong labels, or at kinds of items that the training had few of."}}, t}
	if command != nil {
		out = append(out, *command)
	}
	if r.outcome.Level != settings.Graphs {
		return out, nil
	}
	picture, err := r.drawnGraphs(wrong)
	if err != nil || picture == nil {
		return out, err
	}
	return append(out, picture), nil
}

// ofBothKinds returns the listed errors: for two classes half of each kind, if there are enough.
func (r *Review) ofBothKinds(wrong []mistake) []mistake {
	b, binary := r.binary()
	if !binary {
		return wrong[:min(len(wrong), mostWorst)]
	}
	missed := lists.Filter(wrong, func(m mistake) bool { return int(b.class[m.row]) == b.k })
	alarms := lists.Filter(wrong, func(m mistake) bool { return int(b.class[m.row]) != b.k })
	half := mostWorst / 2
	missed = missed[:min(len(missed), max(half, mostWorst-len(alarms)))]
	out := append(missed, alarms[:min(len(alarms), mostWorst-len(missed))]...)
	slices.SortStableFunc(out, func(a, b mistake) int { return cmp.Compare(b.size, a.size) })
	return out
}

// explainID is the address of the command that explains the listed items. In a report file their names link to it,
// because computing all explanations would take longer than the report. On the page of ehgnn serve each name links to
// its explanation.
const explainID = "explain"

// explainCommand is a command that writes the explanations of the items to one page; nil if one command cannot name all items.
func (r *Review) explainCommand(wrong []mistake) *report.Command {
	if !explain.Explains(r.session) {
		return nil
	}
	target, of := "", "" // the target with the largest error, if there are several
	if k := wrong[0].target; len(r.outcome.Targets) > 1 {
		name := r.outcome.Targets[k].Name
		wrong = lists.Filter(wrong, func(m mistake) bool { return m.target == k })
		target, of = " --target '"+name+"'", " of "+name
		if strings.ContainsAny(name, "'\n") {
			return nil
		}
	}
	flag := map[settings.Level]string{settings.Edges: "edge", settings.Nodes: "node", settings.Graphs: "graph"}[r.outcome.Level]
	var names []string
	for _, c := range r.outcome.Names {
		texts := c.Texts()
		if c.Name == flag || flag == "graph" && c.Name == "row" {
			for _, m := range wrong {
				names = append(names, texts[m.row])
			}
		} else if c.Name == "graph" && flag != "graph" {
			return nil // the items belong to several graphs
		}
	}
	if ids := r.idsOf(wrong); flag == "edge" && ids != nil {
		names = ids
	}
	if names == nil || slices.ContainsFunc(names, func(n string) bool { return !plainWord.MatchString(n) }) {
		return nil
	}
	run, where := r.folder(), "Run it where the run was trained."
	if run == "" {
		run, where = "RUN", "RUN stands for the folder of this report."
	}
	return &report.Command{ID: explainID, Line: fmt.Sprintf("ehgnn explain %s --split test --%s %s%s --out why.html", run, flag, strings.Join(names, ","), target),
		Facts: report.Definitions{{"explanations", "The names above lead to this command. It writes explanations" + of + " of " + r.items(len(names)) + " above as one page, why.html. " + where + " On the page of ehgnn serve each name leads to its own explanation."}}}
}

// outOf finds the folder of the run in the command that trained it.
var outOf = regexp.MustCompile(` --out[ =](\S+)`)

// folder is the folder of the run in the command that trained it; empty if there is none, or if a shell would need quotes.
func (r *Review) folder() string {
	found := outOf.FindStringSubmatch(r.environment.Command)
	if found == nil || !plainWord.MatchString(found[1]) {
		return ""
	}
	return found[1]
}

// ownColumns returns the data columns of items.
func (r *Review) ownColumns(wrong []mistake) ([]session.OwnColumn, error) {
	return r.session.OwnColumns(source.PartTest, lists.Map(wrong, func(m mistake) source.Place { return r.outcome.At[m.row] }))
}

// idsOf returns the ids of items in the data; nil if there are none, or if one looks like an edge number.
func (r *Review) idsOf(wrong []mistake) []string {
	own, err := r.ownColumns(wrong)
	if err != nil || len(own) == 0 || !own[0].Key {
		return nil
	}
	for _, id := range own[0].Texts {
		if _, err := strconv.Atoi(id); err == nil || strings.TrimSpace(id) == "" {
			return nil
		}
	}
	return own[0].Texts
}

// plainWord reports whether a name needs no quotes in a shell or a list.
var plainWord = regexp.MustCompile(`^[\w@%+=:./-]+$`)

// mostOwn is how many data columns a table of items has.
const mostOwn = 4

// worstTable starts with the data columns: first those that identify the item, then features.
func (r *Review) worstTable(wrong []mistake, inFile string) (*report.DataTable, error) {
	own, err := r.ownColumns(wrong)
	if err != nil {
		return nil, err
	}
	t := &report.DataTable{Label: "Largest errors", Stack: true}
	column := func(name string, left bool, class string, cell func(k int) report.DataCell) {
		t.Columns = append(t.Columns, report.DataColumn{Name: shortened(name, 30), Left: left, Class: class})
		for k := range wrong {
			t.Rows[k].Cells = append(t.Rows[k].Cells, cell(k))
		}
	}
	t.Rows = make([]report.DataRow, len(wrong))
	keyed := slices.ContainsFunc(own, func(c session.OwnColumn) bool { return c.Key })
	shown := 0
	add := func(c session.OwnColumn) {
		class := ""
		if shown >= 2 {
			class = "p1"
		}
		shown++
		texts := c.Texts
		if c.Number {
			texts = report.PlainNumbers(texts)
		}
		column(c.Name, !c.Number, class, func(k int) report.DataCell {
			cell := report.TextCell(shortened(texts[k], 40))
			if c.Key {
				cell.Screen, cell.InFile = r.screen(wrong[k].row), inFile
			}
			return cell
		})
	}
	for _, c := range own {
		if c.Key && shown == 0 {
			add(c)
		}
	}
	for _, c := range r.outcome.Names {
		if c.Name == "edge" && keyed {
			continue // the data have a name for it
		}
		texts := c.Texts()
		first := len(t.Columns) == 0
		column(c.Name, true, "", func(k int) report.DataCell {
			cell := report.TextCell(shortened(texts[wrong[k].row], 40))
			if first {
				cell.Screen, cell.InFile = r.screen(wrong[k].row), inFile
			}
			return cell
		})
	}
	for _, c := range own {
		if !c.Key && shown < mostOwn {
			add(c)
		}
	}
	b, binary := r.binary()
	truth, predicted, by := r.heads()
	numbers := r.outcome.Classes == nil
	column(truth, !numbers, "", func(k int) report.DataCell { return report.TextCell(wrong[k].text()) })
	column(predicted, !numbers && !binary, "", func(k int) report.DataCell { return report.TextCell(wrong[k].predicted) })
	column(by, false, "", func(k int) report.DataCell { return report.NumberCell(wrong[k].by, wrong[k].size) })
	if binary {
		t.Kinds = []string{"missed " + b.name, "false alarms"}
		for k, m := range wrong {
			t.Rows[k].Kind = t.Kinds[1]
			if int(b.class[m.row]) == b.k {
				t.Rows[k].Kind = t.Kinds[0]
			}
		}
	}
	return t, nil
}

// heads returns the headings of the true value, of the prediction and of the sort key of mistakes.
func (r *Review) heads() (truth, predicted, by string) {
	_, binary := r.binary()
	switch {
	case binary, r.outcome.Labels:
		return "label", "score", "error"
	case r.outcome.Classes == nil:
		return "true", "predicted", "error"
	}
	return "label", "predicted", "confidence"
}

// screen is the address of the explanation of an item on the page of ehgnn serve, relative to the run.
func (r *Review) screen(row int32) string {
	q := url.Values{}
	for _, c := range r.outcome.Names {
		text := c.Texts()[row]
		switch c.Name {
		case "graph", "row":
			q.Set("graph", text)
		case "node", "source":
			q.Set("node", text)
		case "target":
			q.Set("to", text)
		case "edge":
			q.Set("item", text)
		}
	}
	return "graph?" + q.Encode()
}

// mistake is a wrongly predicted item.
type mistake struct {
	row                  int32
	target               int     // index of the label or number, if there are several
	of                   string  // name of the target, if there are several
	size                 float64 // sort key of mistakes
	truth, predicted, by string
}

// text is the true value, with the name of the target if there are several.
func (m mistake) text() string {
	if m.of == "" {
		return m.truth
	}
	return m.of + ": " + m.truth
}

// wrong returns all mistakes; for two classes and for numbers, all items.
func (r *Review) wrong() (out []mistake) {
	if r.outcome == nil { // there is no test part
		return nil
	}
	decimals, ofTruth := make([]int, len(r.outcome.Targets)), make([]int, len(r.outcome.Targets))
	for k, t := range r.outcome.Targets {
		decimals[k] = targetDecimals(t)
		ofTruth[k] = whole(t, decimals[k])
	}
	for _, i := range r.rows() {
		var m mistake
		if c := r.outcome.Classes; c != nil {
			if len(c.Names) == 2 { // for any threshold
				k := positive(r.settings.Target.Binary)
				p := float64(c.Probability[k][i])
				size := p
				if int(c.True[i]) == k {
					size = 1 - p
				}
				out = append(out, mistake{row: i, size: size, truth: shortened(c.Names[c.True[i]], 40), predicted: report.Score(p), by: report.Score(size)})
				continue
			}
			if c.True[i] == c.Predicted[i] {
				continue
			}
			p := c.Probability[c.Predicted[i]][i]
			m = mistake{size: float64(p), truth: shortened(c.Names[c.True[i]], 40), predicted: shortened(c.Names[c.Predicted[i]], 40), by: number(float64(p))}
		}
		for k, t := range r.outcome.Targets {
			truth, p := float64(t.True[i]), float64(t.Predicted[i])
			if math.IsNaN(truth) {
				continue
			}
			d := decimals[k]
			one := mistake{target: k, size: math.Abs(p - truth), of: nameIn(t, len(r.outcome.Targets)), truth: report.Fixed(truth, ofTruth[k]), predicted: report.Fixed(p, d), by: report.Signed(p-truth, d)}
			if r.outcome.Labels {
				one.truth, one.by = fmt.Sprint(truth), number(math.Abs(p-truth))
			} else {
				one.size /= r.settings.Target.Units[k].Scale
			}
			if one.size > m.size {
				m = one
			}
		}
		if m.size > 0 {
			m.row = i
			out = append(out, m)
		}
	}
	return out
}

// targetDecimals is the number of decimals of predictions of a number: three digits of the largest one, at most four decimals.
func targetDecimals(t task.TargetOutcome) int {
	largest := 0.0
	for i, p := range t.Predicted {
		if t.True[i] == t.True[i] {
			largest = max(largest, math.Abs(float64(p)))
		}
	}
	return report.ThreeDigits(largest)
}

// whole is 0 if all true values are whole numbers, else decimals.
func whole(t task.TargetOutcome, decimals int) int {
	for _, v := range t.True {
		if v != float32(math.Trunc(float64(v))) && v == v {
			return decimals
		}
	}
	return 0
}

// nameIn is the name of one of several numbers or labels; empty if there is only one.
func nameIn(t task.TargetOutcome, of int) string {
	if of == 1 {
		return ""
	}
	name, _ := splitUnit(t.Name)
	return shortened(name, 40)
}

// drawnGraphs draws the graphs of mistakes that are not too large: molecules as a grid, others side by side. It returns
// nil if all are too large.
func (r *Review) drawnGraphs(wrong []mistake) (report.Part, error) {
	graphs := r.session.Graphs(source.PartTest)
	var at []int
	var captions []picture.Caption
	truth, predicted, _ := r.heads()
	for _, m := range wrong {
		if g := r.outcome.At[m.row].Graph; graphs[g].NumNodes <= mostDrawnNodes {
			at = append(at, g)
			captions = append(captions, picture.Caption{Above: m.of, Below: fmt.Sprintf("%s %s · %s %s", truth, m.truth, predicted, m.predicted)})
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	records, err := explain.Sketches(r.session, source.PartTest, at)
	if err != nil {
		return nil, err
	}
	if s := report.SceneOf(nil, func(width float64) *draw.Scene { return picture.Structures(records, captions, r.Toolkit, width) }); s.Wide != nil {
		return s, nil
	}
	cards := report.Cards{Three: true}
	for _, record := range records {
		if len(record.Nodes) <= mostArcNodes {
			cards.Parts = append(cards.Parts, &report.Scene{Narrow: picture.Record(record, picture.Kept{}, nil, report.NarrowForm+2*report.PictureMargin)})
		}
	}
	if cards.Parts == nil {
		return nil, nil
	}
	return cards, nil
}
