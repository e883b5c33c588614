package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
	"github.com/ehgnn/ehgnn/model"
)

// columnTable is a table of edges whose label depends on the column amount. The label is a class or a number.
func columnTable(t *testing.T, classes int) string {
	r := rng.Stream(11, "column table", classes)
	var text strings.Builder
	text.WriteString("source,target,amount,noise,part,label\n")
	for e := range 600 {
		amount := r.Float64()
		label := fmt.Sprintf("%.3f", 50+10*amount)
		if classes > 0 {
			label = string(rune('a' + int(amount*float64(classes))))
		}
		fmt.Fprintf(&text, "n%d,n%d,%.4f,%.4f,%s,%s\n", r.IntN(30), r.IntN(30), amount, r.Float64(), []string{"train", "valid", "test"}[max(0, e*5/600-2)], label)
	}
	return testsets.EdgeFolder(t, "edges.csv", text.String())
}

// Contributions sum to the prediction, for classes and numbers. The column on which the label depends contributes most.
func TestColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, classes := range []int{0, 2, 3} {
		t.Run(fmt.Sprint(classes, " classes"), func(t *testing.T) {
			dir := trained(t, session.Request{Path: columnTable(t, classes), Model: model.AutoName, Seed: 3, Given: settings.Values{"part": "part", "quality": model.QualityFast}})
			s, err := session.Load(t.Context(), dir, source.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			table, err := s.Predict(t.Context(), source.PartTest)
			if err != nil {
				t.Fatal(err)
			}
			header, lines := strings.Split(testsets.CSVHeader(t, table), ","), testsets.CSVRows(t, table)
			column := func(name string) (out []string) {
				k := slices.Index(header, name)
				for _, line := range lines {
					out = append(out, strings.Split(line, ",")[k])
				}
				return out
			}
			edges, most := column("edge"), map[string]int{}
			records, err := Columns(s, t.Context(), source.PartTest, "", "", edges[:20]...)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range records {
				sum := r.Base
				for _, c := range r.Columns {
					sum += c.Contribution
				}
				name := "prediction"
				if classes > 0 {
					name = "probability_" + r.Target
				}
				var want float64
				if _, err := fmt.Sscan(column(name)[i], &want); err != nil {
					t.Fatal(err)
				}
				tolerance := 1e-3 * max(1, math.Abs(want))
				if r.Share != 1 || math.Abs(sum-r.Value) > tolerance {
					t.Errorf("edge %s: share %v, contributions sum to %v, expected %v", r.Edge, r.Share, sum, r.Value)
				}
				if s.Settings.Target.Temperature == 0 && math.Abs(r.Value-want) > tolerance {
					t.Errorf("edge %s: value %v, predicted %v", r.Edge, r.Value, want)
				}
				most[r.Columns[0].Column]++
			}
			if most["amount"] < 15 {
				t.Errorf("the largest contributions are of %v, expected those of amount", most)
			}
		})
	}
}

// Runs without learners on columns, and unknown targets, are refused.
func TestColumnsRefused(t *testing.T) {
	path := columnTable(t, 2)
	given := quick()
	given["part"] = "part"
	s, err := session.Load(t.Context(), trained(t, session.Request{Path: path, Model: "ehgnn-roles", Given: given}), source.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Columns(s, t.Context(), source.PartTest, "", ""); err == nil || !strings.Contains(err.Error(), "--method columns") {
		t.Errorf("error %v, expected one that names --method columns", err)
	}
}

// Each part of a set is a column of its own, for edges and for the nodes at their ends.
func TestSetColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := rng.Stream(12, "set table")
	sets := []string{"a", "b", "a|b", "b|c", "a|c", "c", ""}
	edges, nodes := "source,target,tags,part,label\n", "id,topics\n"
	tags := make([]string, 600)
	for e := range tags {
		tags[e] = sets[r.IntN(len(sets))]
		label := r.Float64()
		if strings.Contains(tags[e], "a") {
			label += 5
		}
		edges += fmt.Sprintf("n%d,n%d,%s,%s,%.3f\n", r.IntN(30), r.IntN(30), tags[e], []string{"train", "valid", "test"}[max(0, e*5/600-2)], label)
	}
	for v := range 30 {
		nodes += fmt.Sprintf("n%d,%s\n", v, strings.ReplaceAll(sets[v%len(sets)], "|", ";"))
	}
	path := testsets.EdgeFolder(t, "edges.csv", edges, "nodes.csv", nodes)
	for _, kind := range []string{model.AutoName, "ehgnn-roles"} {
		t.Run(kind, func(t *testing.T) {
			given := settings.Values{"part": "part", "quality": model.QualityFast}
			if kind != model.AutoName {
				given = settings.Values{"part": "part", "epochs": 60, "hidden": 16}
			}
			s, err := session.Load(t.Context(), trained(t, session.Request{Path: path, Model: kind, Seed: 3, Given: given}), source.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := Edges(s, t.Context(), EdgeOptions{Part: source.PartTest, Edges: []string{"500", "501", "502", "503", "504", "505"}, Top: 3})
			if err != nil {
				t.Fatal(err)
			}
			ofNodes := 0
			for i, x := range got {
				has := map[bool]string{true: "yes", false: "no"}[strings.Contains(tags[500+i], "a")]
				if tags[500+i] == "" {
					has = ""
				}
				if c := x.Columns[0]; has == "yes" && (c.Column != "tags has a" || c.Value != has) {
					t.Errorf("edge %s of %q: the largest contribution is of %+v", x.Edge, tags[500+i], c)
				}
				for _, c := range x.Columns {
					if c.Column == "tags has a" && c.Value != has {
						t.Errorf("edge %s of %q: %+v", x.Edge, tags[500+i], c)
					}
					if strings.HasPrefix(c.Column, "topics has ") {
						ofNodes++
					}
				}
			}
			if ofNodes == 0 {
				t.Error("no part of a set of nodes contributes")
			}
		})
	}
}
