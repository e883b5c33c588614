package tables_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
)

// values returns a column as texts. Missing values are empty.
func values(c *tables.Column) []string {
	var out []string
	for _, v := range c.Value {
		if v != v {
			out = append(out, "")
		} else {
			out = append(out, fmt.Sprint(v))
		}
	}
	for _, k := range c.Code {
		if k < 0 {
			out = append(out, "")
		} else {
			out = append(out, c.Text[k])
		}
	}
	return out
}

func TestJoin(t *testing.T) {
	directed := tables.Options{Form: data.Directed}
	before := read(t, directed,
		"nodes.csv", "id,age,kind\nann,30,person\nbob,40,person\nzoo,7,park\n",
		"edges.csv", "source,target,amount,channel,label\nann,bob,1,card,ok\nzoo,ann,2,wire,fraud\n")
	after := read(t, directed,
		"nodes.csv", "id,kind,rank\nbob,shop,1\neve,person,2\n",
		"edges.csv", "source,target,channel,amount,hour,label,time,group\neve,bob,cash,9,12,fraud,1,a\nbob,bob,card,8,,other,2,a\neve,eve,wire,,3,,3,b\n")
	beforeIDs, afterEnds := slices.Clone(before.NodeIDs), slices.Clone(after.Ends)
	s, n, err := tables.Join(before, after)
	if err != nil {
		t.Fatal(err)
	}
	if n != 2 || s.NumEdges() != 5 || s.Name != after.Name || !s.Directed {
		t.Errorf("%d edges of %d from before, directed %v, called %q; want 2 of 5", n, s.NumEdges(), s.Directed, s.Name)
	}
	var ends []string
	for _, v := range s.Ends {
		ends = append(ends, s.NodeIDs[v])
	}
	if want := strings.Fields("ann bob zoo ann eve bob bob bob eve eve"); !slices.Equal(ends, want) {
		t.Errorf("ends %q, want %q", ends, want)
	}
	// The node bob is in both sets and has the values of the second. A column that a set lacks is empty in its rows.
	for of, test := range map[string]struct {
		columns []*tables.Column
		ids     []string
		want    map[string]string
	}{
		"nodes": {s.NodeColumns, s.NodeIDs, map[string]string{"kind": "ann=person bob=shop zoo=park eve=person", "rank": "ann= bob=1 zoo= eve=2", "age": "ann=30 bob= zoo=7 eve="}},
		"edges": {s.EdgeColumns, []string{"0", "1", "2", "3", "4"}, map[string]string{"amount": "0=1 1=2 2=9 3=8 4=", "channel": "0=card 1=wire 2=cash 3=card 4=wire", "hour": "0= 1= 2=12 3= 4=3"}},
	} {
		if len(test.columns) != len(test.want) {
			t.Errorf("%d columns of %s, want %d", len(test.columns), of, len(test.want))
		}
		for name, want := range test.want {
			got := values(column(t, test.columns, name))
			if len(got) != len(test.ids) {
				t.Fatalf("%s of %s: %d rows of %d", name, of, len(got), len(test.ids))
			}
			for i := range got {
				got[i] = test.ids[i] + "=" + got[i]
			}
			if text := strings.Join(got, " "); text != want {
				t.Errorf("%s of %s: %s, want %s", name, of, text, want)
			}
		}
	}
	if got, want := values(s.Label), []string{"ok", "fraud", "fraud", "other", ""}; !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
	if len(s.Time) != 5 || !math.IsNaN(s.Time[1]) || s.Time[2] != 1 {
		t.Errorf("times %v of the sets that were joined", s.Time)
	}
	if !slices.Equal(before.NodeIDs, beforeIDs) || !slices.Equal(after.Ends, afterEnds) || before.NumEdges() != 2 || after.NumEdges() != 3 {
		t.Error("Join changes its operands")
	}

	// Labels that are numbers, and labels that only one set has.
	number := tables.Options{Form: data.Directed, Number: true}
	s, _, err = tables.Join(read(t, number, "edges.csv", "source,target,label\na,b,1\n"), read(t, number, "edges.csv", "source,target,label\nb,c,2.5\n"))
	if err != nil || !slices.Equal(values(s.Label), []string{"1", "2.5"}) {
		t.Errorf("labels %v (%v), want 1 and 2.5", values(s.Label), err)
	}
	bare := read(t, directed, "edges.csv", "source,target\nb,c\n")
	for _, test := range []struct {
		a, b *tables.Set
		want []string
	}{{before, bare, []string{"ok", "fraud", ""}}, {bare, after, []string{"", "fraud", "other", ""}}} {
		if s, _, err = tables.Join(test.a, test.b); err != nil || !slices.Equal(values(s.Label), test.want) {
			t.Errorf("labels %q (%v), want %q", values(s.Label), err, test.want)
		}
	}
	if s, _, err = tables.Join(bare, bare); err != nil || s.Label != nil {
		t.Errorf("labels of no set (%v)", err)
	}
}

// Groups with the same name become one group, even if their numbers differ.
func TestJoinGroups(t *testing.T) {
	before := "source,target,group,label\na,b,red,x\nb,a,,x\na,a,blue,y\n"
	after := "source,target,group,label\na,b,blue,x\nb,b,green,y\na,a,red,x\n"
	without := func(text string) string { return strings.Replace(text, ",group,", ",remark,", 1) }
	for name, test := range map[string]struct {
		before, after, want, column string
	}{
		"both":   {before, after, "red  blue blue green red", "group"},
		"before": {before, without(after), "red  blue   ", "group"},
		"after":  {without(before), after, "   blue green red", "group"},
	} {
		s, _, err := tables.Join(read(t, tables.Options{}, "edges.csv", test.before), read(t, tables.Options{}, "edges.csv", test.after))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(values(&tables.Column{Code: s.Group, Text: s.GroupNames}), " "); got != test.want || s.Options.Group != test.column {
			t.Errorf("%s: groups %q of column %q, want %q", name, got, s.Options.Group, test.want)
		}
	}
	bare := read(t, tables.Options{}, "edges.csv", without(before))
	if s, _, err := tables.Join(bare, bare); err != nil || s.Group != nil {
		t.Errorf("groups %v (%v) of sets without any", s.Group, err)
	}
}

// An encoder gives a row of a joined set the features of the row in a table with all rows.
func TestJoinEncoded(t *testing.T) {
	const header, first, second = "source,target,amount,channel,label\n", "ann,bob,1,card,ok\nzoo,ann,2,wire,fraud\n", "ann,zoo,9,cash,fraud\nbob,bob,8,card,ok\n"
	const nodes = "id,age\nann,30\nbob,40\nzoo,7\n"
	o := tables.Options{Form: data.Directed}
	before := read(t, o, "nodes.csv", nodes, "edges.csv", header+first)
	e, err := before.Fit([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	joined, _, err := tables.Join(before, read(t, o, "nodes.csv", nodes, "edges.csv", header+second))
	if err != nil {
		t.Fatal(err)
	}
	got, err := joined.Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := read(t, o, "nodes.csv", nodes, "edges.csv", header+first+second).Whole(e, tables.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Graph.Ends, want.Graph.Ends) || !slices.Equal(got.Graph.Edge.Dense, want.Graph.Edge.Dense) || !slices.Equal(got.Graph.Edge.Code, want.Graph.Edge.Code) ||
		!slices.Equal(got.Graph.Node.Dense, want.Graph.Node.Dense) || !slices.Equal(got.Graph.EdgeLabel[2:], want.Graph.EdgeLabel[2:]) {
		t.Errorf("joined %+v, whole %+v", got.Graph, want.Graph)
	}
}

func TestJoinErrors(t *testing.T) {
	text := func(form data.Edges, edges string) *tables.Set {
		return read(t, tables.Options{Form: form}, "edges.csv", edges)
	}
	const edges = "source,target,w,label\na,b,1,x\nb,a,1,x\n"
	graphs := collection()
	for _, test := range []struct {
		name          string
		before, after *tables.Set
		want          string
	}{
		{"forms", text(data.Directed, edges), text(data.Undirected, edges), "has directed true, toy has false, expected the same"},
		{"levels", graphs, &tables.Set{Name: "other", Level: tables.OfEdges}, "toy and other are joined by their edges, expected labels of edges"},
		{"types", text(data.Directed, edges), text(data.Directed, strings.ReplaceAll(edges, ",1,", ",one,")), `column "w" holds numbers in one set and text in the other`},
	} {
		if _, _, err := tables.Join(test.before, test.after); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}

// The numbers of nodes do not depend on the order of new rows.
func TestJoinOrder(t *testing.T) {
	before := read(t, tables.Options{}, "edges.csv", "source,target,label\nm,a,ok\na,z,fraud\n")
	for _, rows := range []string{"x,b\nb,c\nm,x\n", "m,x\nb,c\nx,b\n", "b,c\nx,b\nm,x\n"} {
		s, _, err := tables.Join(before, read(t, tables.Options{}, "edges.csv", "source,target\n"+rows))
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"m", "a", "z", "b", "c", "x"}; !slices.Equal(s.NodeIDs, want) {
			t.Errorf("with the rows %q the nodes are %q, expected %q", rows, s.NodeIDs, want)
		}
	}
}
