package tables_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/tables"
)

// rolesOf describes the columns of a table in a few words.
func rolesOf(t tables.TableInfo) string {
	var out []string
	for _, c := range t.Columns {
		text := c.Name + "=" + c.Role
		if c.Kind != "" {
			text += "/" + c.Kind
		}
		if c.LeftOut != "" {
			text += "(" + c.Flag + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// counting returns a table of edges with more columns after the ends. {} stands for the number of the row.
func counting(names, row string, rows int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "source,target,%s\n", names)
	for i := range rows {
		fmt.Fprintf(&b, "a%d,b%d,%s\n", i%5, i%3, strings.ReplaceAll(row, "{}", fmt.Sprint(i)))
	}
	return b.String()
}

// Every column of a file is listed with its role, in file order.
func TestTablesRoles(t *testing.T) {
	const ends = "source=source/id target=target/id "
	for _, c := range []struct {
		name, edges string
		o           tables.Options
		want        string
	}{
		{"a weight", counting("weight,amount", "1.5,{}.5", 3), tables.Options{}, ends + "weight=weight/number amount=feature/number"},
		{"a weight of words", counting("weight", "heavy", 3), tables.Options{}, ends + "weight=feature/category"},
		{"a weight as the label", counting("weight", "{}.5", 30), tables.Options{Label: "weight"}, ends + "weight=label/number"},
		{"Gephi's direction", counting("Type,Weight", "Undirected,1", 3), tables.Options{}, ends + "Type=direction/category() Weight=weight/number"},
		{"another type", counting("Type", "road", 3), tables.Options{}, ends + "Type=feature/category"},
		{"a key of text", counting("payment", "p{}", 30), tables.Options{}, ends + "payment=key/id(--feature payment)"},
		{"a key brought in", counting("payment", "p{}", 30), tables.Options{Features: []string{"payment"}}, ends + "payment=feature/category"},
		{"a key of numbers", counting("row no", "{}", 30), tables.Options{}, ends + `row no=key/id(--feature "row no")`},
		{"numbers of edges", counting("id,a", "{},x", 3), tables.Options{}, ends + "id=key/id(--feature id) a=feature/category"},
		{"an empty column", counting("a,b", ",x", 3), tables.Options{}, ends + "a=left out() b=feature/category"},
		{"an ignored column", counting("a,b", "x,z", 3), tables.Options{Ignore: []string{"a"}}, ends + "a=left out() b=feature/category"},
		{"columns without names", counting("a,,", "x,,", 3), tables.Options{}, ends + "a=feature/category =left out() =left out()"},
		{"an index", ",source,target\n0,a,b\n1,b,c\n", tables.Options{}, "=left out() " + strings.TrimSpace(ends)},
		{"all roles", counting("label,time,group,part,flag", "y,2024-01-1{},g,train,yes", 3), tables.Options{Part: "part"},
			ends + "label=label/boolean time=time/time group=group/category part=part/category flag=feature/boolean"},
		{"graphs", counting("graph", "{}", 3), tables.Options{}, ends + "graph=graph/id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := read(t, c.o, "edges.csv", c.edges).Tables()
			if len(list) != 1 || list[0].File != "edges.csv" || list[0].Of != tables.OfEdges || list[0].Rows != strings.Count(c.edges, "\n")-1 {
				t.Fatalf("tables %+v", list)
			}
			if got := rolesOf(list[0]); got != c.want {
				t.Errorf("columns %s\nwant    %s", got, c.want)
			}
		})
	}
	nodes := read(t, tables.Options{}, "nodes.csv", nodesCSV, "edges.csv", edgesCSV).Tables()[0]
	if got := rolesOf(nodes); got != "id=id/id kind=feature/category age=feature/number" || nodes.Of != tables.OfNodes {
		t.Errorf("nodes %s", got)
	}
}

// The description of a column, as JSON.
func TestTablesColumns(t *testing.T) {
	const edges = "from;to;paid;when;ok;rate;label\n" +
		"1;2;1.234,50 €;31.01.2024;ja;3,5%;b\n" +
		"1;3.0;NA;01.02.2024;NEIN;;a\n" +
		"2;1;0,50 €;01.02.2024 12:30;JA;4%;b\n"
	s := read(t, tables.Options{}, "edges.csv", edges)
	for k, want := range []string{
		`{"name":"from","role":"source","kind":"id","whole":true,"missing":0,"different":2,"commonest":[{"value":"1","rows":2},{"value":"2","rows":1}],"example":"1"}`,
		`{"name":"to","role":"target","kind":"id","whole":true,"missing":0,"different":3,"example":"2"}`,
		`{"name":"paid","role":"feature","kind":"number","notation":{"decimal":",","currency":"€"},"missing":1,"min":0.5,"max":1234.5,"example":"1.234,50 €"}`,
		`{"name":"when","role":"feature","kind":"time","notation":{"time":"day-first"},"missing":0,"first":"2024-01-31","last":"2024-02-01T12:30:00Z","example":"31.01.2024"}`,
		`{"name":"ok","role":"feature","kind":"category","missing":0,"different":3,"example":"ja"}`,
		`{"name":"rate","role":"feature","kind":"number","notation":{"decimal":",","percent":true},"missing":1,"min":0.035,"max":0.04,"example":"3,5%"}`,
		`{"name":"label","role":"label","kind":"category","missing":0,"different":2,"commonest":[{"value":"b","rows":2},{"value":"a","rows":1}],"example":"b"}`,
	} {
		got, err := json.Marshal(s.Tables()[0].Columns[k])
		if err != nil || string(got) != want {
			t.Errorf("column %d\n%s, %v, want\n%s", k, got, err, want)
		}
	}
}

// Counts are numbers of rows in the file, also if two rows are one edge. Long values are truncated.
func TestTablesOfMirrors(t *testing.T) {
	long := strings.Repeat("ä", 100)
	s := read(t, tables.Options{}, "edges.csv", "source,target,w,name,label\na,b,1,"+long+",x\nb,a,1,"+long+",x\na,c,,"+long+",y\nc,a,,"+long+",y\n")
	list := s.Tables()[0]
	if s.Directed || s.NumEdges() != 2 || list.Rows != 4 || list.Columns[2].Missing != 2 || list.Columns[4].Commonest[0].Rows != 2 {
		t.Errorf("directed %v, %d edges, table %+v", s.Directed, s.NumEdges(), list)
	}
	if e := list.Columns[3].Example; len(e) > 120 || !strings.HasSuffix(e, "ä…") {
		t.Errorf("example %q", e)
	}
}
