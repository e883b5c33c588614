package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// If a column says when edges happened, a split by time is suggested, with --time if the column has no usual name. If
// the split comes with the data, only --time is suggested.
func TestSuggestSplit(t *testing.T) {
	for _, c := range []struct {
		column string
		given  settings.Values
		want   string
	}{
		{"time", nil, "edges were split at random; if later edges are to be predicted, --split time tests the latest by column time"},
		{"step", nil, "edges were split at random; if later edges are to be predicted, --time step --split time tests the latest by column step"},
		{"Booking Time", nil, "edges were split at random; if later edges are to be predicted, --time \"Booking Time\" --split time tests the latest by column Booking Time"},
		{"step", settings.Values{"part": "part"}, "column step may be the time of edges; --time step reads it as the time, and each edge then has columns about earlier edges"},
		{"time", settings.Values{"part": "part"}, ""},
		{"step", settings.Values{"time": "step", "split": settings.SplitTime}, ""},
		{"step", settings.Values{"ignore": []string{"step"}}, ""},
		{"amount", nil, ""},
	} {
		var text strings.Builder
		fmt.Fprintf(&text, "source,target,%s,part,label\n", c.column)
		for e := range 60 {
			fmt.Fprintf(&text, "%d,%d,%d,%s,%d\n", e%5, e%7, e/2, []string{"train", "train", "valid", "test"}[e%4], e/3%2)
		}
		s := mustOpen(t, Request{Path: testsets.EdgeFolder(t, "edges.csv", text.String()), Model: source.RolesModel, Given: c.given})
		if got := s.SuggestSplit(); got != c.want {
			t.Errorf("column %s, %v: %q, expected %q", c.column, c.given, got, c.want)
		}
	}
}

// Node-link JSON has no times, groups, given splits and files of nodes: settings for these are refused, and no split by time is suggested.
func TestNodeLinkSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.json")
	var edges []string
	for e := range 60 {
		edges = append(edges, fmt.Sprintf(`{"source":%d,"target":%d,"step":%d,"kind":"k%d"}`, e%5, e%7, e/2, e/3%2))
	}
	text := `{"directed":true,"nodes":[{"id":0},{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6}],"edges":[` + strings.Join(edges, ",") + "]}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, Request{Path: path, Model: source.RolesModel, Given: settings.Values{"label": "kind"}})
	if got := s.SuggestSplit(); got != "" {
		t.Errorf("suggests %q", got)
	}
	for _, name := range []string{"nodes", "node-id", "source", "target", "time", "group", "part", "graph", "sheet"} {
		given := settings.Values{"label": "kind", name: "step"}
		if name == "nodes" {
			given[name] = []string{"step"}
		}
		_, err := Open(t.Context(), Request{Path: path, Model: source.RolesModel, Given: given})
		if testsets.Fails(t, err, "--"+name+" does not apply to node-link JSON"); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
}

// After a random split a remark says that test edges are nearly copies of training edges, and which option keeps them together.
func TestNearCopies(t *testing.T) {
	for name, c := range map[string]struct {
		amounts int // number of different amounts
		given   settings.Values
		told    bool
	}{
		"copies in pairs": {2, nil, true},
		"pairs together":  {2, settings.Values{"pairs": true}, false},
		"by time":         {2, settings.Values{"split": settings.SplitTime}, false},
		"few":             {60, nil, false},
	} {
		var text strings.Builder
		text.WriteString("source,target,amount,kind,place,time,label\n")
		for e := range 60 {
			fmt.Fprintf(&text, "%d,%d,%d,k,p,%d,%d\n", e%30, e%30+1, e%c.amounts, e, e%2)
		}
		s := mustOpen(t, Request{Path: testsets.EdgeFolder(t, "edges.csv", text.String()), Model: source.RolesModel, Given: c.given})
		if got := s.NearCopies(); (got != "") != c.told || c.told && !strings.Contains(got, "test edges join the same nodes as a training edge") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The result of a training warns of a validation or test part with one class.
func TestOneClass(t *testing.T) {
	valid := `the validation part has 15 edges, only of class "ok": its scores, and what is chosen on it, as a threshold, say nothing of other classes`
	test := `the test part has 15 edges, only of class "ok": its scores say nothing of other classes`
	for name, c := range map[string]struct {
		alone string // the parts with one class
		task  *task.Task
		want  []string
	}{
		"validation": {"valid", task.EdgeClassification, []string{valid}},
		"test":       {"test", task.EdgeClassification, []string{test}},
		"both":       {"valid test", task.EdgeClassification, []string{valid, test}},
		"neither":    {"", task.EdgeClassification, nil},
		"numbers":    {"", task.EdgeRegression, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("source,target,part,label\n")
			for e := range 60 {
				part, label := []string{"train", "train", "valid", "test"}[e%4], []string{"ok", "bad"}[e/4%2]
				if strings.Contains(c.alone, part) {
					label = "ok"
				}
				if c.task.Number {
					label = "1.5"
				}
				fmt.Fprintf(&text, "%d,%d,%s,%s\n", e%5, e%7, part, label)
			}
			given := settings.Values{"part": "part", "split": settings.SplitColumn, "epochs": 1, "hidden": 4}
			dir, res := trained(t, Request{Path: testsets.EdgeFolder(t, "edges.csv", text.String()), Model: "mlp-edge", Task: c.task.Name, Given: given})
			if !slices.Equal(res.Warnings, c.want) {
				t.Errorf("warnings %q, want %q", res.Warnings, c.want)
			}
			s, err := Load(t.Context(), dir, source.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.Evaluate(t.Context(), source.PartTest)
			if err != nil {
				t.Fatal(err)
			}
			if text.Reset(); e.Text(&text) != nil || strings.HasSuffix(text.String(), "\nthe data have one class, \"ok\"; ROC-AUC needs both\n") != strings.Contains(c.alone, source.PartTest) {
				t.Errorf("the evaluation is %q", &text)
			}
		})
	}
}

// The error about missing labels names a column of labels that is empty, as Gephi writes it.
func TestEmptyLabels(t *testing.T) {
	path := testsets.EdgeFolder(t, "edges.csv", "Source,Target,Label,class\na,b,,1\nb,c,,0\nc,a,,1\n")
	_, err := Open(t.Context(), Request{Path: path, Model: source.RolesModel})
	testsets.Fails(t, err, `the edges have no labels to learn from: column "Label" is empty; --label names another; the features are class`)
}
