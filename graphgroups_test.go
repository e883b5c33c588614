package ehgnn_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// The label of an edge is that of its group, which gives it away to a run that reads it. After a split by
// group an edge reads the labels of other groups alone, from slices as from tables with a context.
func TestGroups(t *testing.T) {
	const nodes, groups, past = 7, 12, 180
	r := rand.New(rand.NewPCG(6, 3))
	g := &ehgnn.Graph{NumNodes: nodes, Edge: ehgnn.Columns{}}
	var rows []string
	number, labels := map[int]int32{}, ehgnn.Strings{}
	weights := ehgnn.Numbers{}
	for e := range past + groups {
		u, v, of := r.IntN(nodes), r.IntN(nodes), e%groups
		for _, x := range []int{u, v} {
			if _, ok := number[x]; !ok {
				number[x] = int32(len(number))
			}
			g.Ends = append(g.Ends, number[x])
		}
		weights = append(weights, float64(r.IntN(1000))/8)
		labels = append(labels, []string{"x", "y"}[of/2%2])
		g.Groups = append(g.Groups, fmt.Sprint("shop ", of))
		rows = append(rows, fmt.Sprintf("%d,%d,%g,%s,%s\n", u, v, weights[e], g.Groups[e], labels[e]))
	}
	g.NumNodes = len(number)
	g.Edge["weight"] = weights
	const header = "source,target,weight,group,label\n"
	before, after := write(t, header+strings.Join(rows[:past], "")), write(t, header+strings.Join(rows[past:], ""))
	dir := trained(t, session.Request{Path: before, Seed: 1, Given: settings.Values{"split": "group", "label-context": "on", "epochs": 2}})
	m := open(t, dir, ehgnn.Options{})
	predict := func(flipped string) []ehgnn.Item {
		t.Helper()
		known := slices.Clone(labels)
		for e := range known {
			if e >= past {
				known[e] = ""
			} else if g.Groups[e] == flipped {
				known[e] = map[string]string{"x": "y", "y": "x"}[known[e]]
			}
		}
		g.Labels = known
		ps, err := m.Predict(t.Context(), g)
		if err != nil || len(ps[0].Remarks) > 0 && g.Groups != nil {
			t.Fatalf("%v %+v", err, ps)
		}
		return ps[0].Edges[past:]
	}
	want, reads := predict(""), false
	for of := range groups {
		got := predict(fmt.Sprint("shop ", of))
		if !slices.Equal(got[of].Probabilities, want[of].Probabilities) {
			t.Errorf("edge %d is %v, and %v with other labels of its group", of, want[of], got[of])
		}
		reads = reads || !slices.EqualFunc(got, want, func(a, b ehgnn.Item) bool { return slices.Equal(a.Probabilities, b.Probabilities) })
	}
	if !reads {
		t.Error("no edge reads any label")
	}
	s, err := session.Load(t.Context(), dir, source.LoadOptions{Data: after, Context: before})
	if err != nil {
		t.Fatal(err)
	}
	table, err := s.Predict(t.Context(), source.PartAll)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(table.Columns, func(c report.Column) bool { return c.Name == "probability_x" })
	if got := table.Columns[at].Values(); !slices.EqualFunc(got, want, func(p float32, x ehgnn.Item) bool { return float64(p) == x.Probabilities[0] }) {
		t.Errorf("tables give %v, slices %v", got, want)
	}
	all := g.Groups
	g.Groups = nil
	ps, err := m.Predict(t.Context(), g)
	if err != nil || len(ps[0].Remarks) != 1 || !strings.Contains(ps[0].Remarks[0], "12 edges have no group") {
		t.Errorf("%v, remarks %q", err, ps[0].Remarks)
	}
	g.Groups = all[1:]
	if _, err := m.Predict(t.Context(), g); err == nil || !strings.Contains(err.Error(), "191 groups for 192 edges") {
		t.Errorf("a group too few: %v", err)
	}
	other := open(t, trained(t, session.Request{Path: before, Given: settings.Values{"split": "random", "label-context": "on", "epochs": 1, "group": "-", "ignore": []string{"group"}}}), ehgnn.Options{})
	g.Groups = all
	if _, err := other.Predict(t.Context(), g); err == nil || !strings.Contains(err.Error(), "groups of edges are given") {
		t.Errorf("a run that reads no groups: %v", err)
	}
}
