package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

const rolesCSV = "id,age,role,fold\nann,30,boss,train\nbob,25,clerk,train\neve,50,,\nsid,41,boss,test\n"

const linksCSV = "source,target,hours,label,time\nann,bob,3,calls,2024-01-01\nbob,eve,1,mails,2024-01-02\neve,sid,2,calls,2024-01-03\n"

// Labels belong to edges. They belong to nodes if an option says so or only nodes have the column.
func TestLevel(t *testing.T) {
	unlabelled := strings.ReplaceAll(linksCSV, "label", "kind")
	for _, tt := range []struct {
		name         string
		nodes, edges string
		o            tables.Options
		level        tables.Level
		label        string // its name, and the classes in order of appearance
		nodeColumns  string
		edgeColumns  string
	}{
		{"of edges", rolesCSV, linksCSV, tables.Options{}, tables.OfEdges, "label[calls mails]", "[age role fold]", "[hours]"},
		{"of nodes by the level", rolesCSV, linksCSV, tables.Options{Level: tables.OfNodes, Label: "role"}, tables.OfNodes, "role[boss clerk]", "[age fold]", "[hours label time]"},
		{"of nodes by a name", rolesCSV, linksCSV, tables.Options{Label: "Role", Part: "fold"}, tables.OfNodes, "role[boss clerk]", "[age]", "[hours label time]"},
		{"of edges by a name that both have", strings.ReplaceAll(rolesCSV, "role", "label"), linksCSV, tables.Options{Label: "label"}, tables.OfEdges, "label[calls mails]", "[age label fold]", "[hours]"},
		{"of nodes by convention", strings.ReplaceAll(rolesCSV, "role", "class"), unlabelled, tables.Options{}, tables.OfNodes, "class[boss clerk]", "[age fold]", "[hours kind time]"},
		{"of nodes by convention and level", strings.ReplaceAll(rolesCSV, "role", "class"), linksCSV, tables.Options{Level: tables.OfNodes}, tables.OfNodes, "class[boss clerk]", "[age fold]", "[hours label time]"},
		{"none by convention", rolesCSV, unlabelled, tables.Options{}, tables.OfEdges, "none", "[age role fold]", "[hours kind]"},
		{"none wanted", strings.ReplaceAll(rolesCSV, "role", "class"), unlabelled, tables.Options{Label: tables.None}, tables.OfEdges, "none", "[age class fold]", "[hours kind]"},
		{"numbers as classes", strings.NewReplacer("boss", "1", "clerk", "2").Replace(rolesCSV), linksCSV, tables.Options{Label: "role", Class: true}, tables.OfNodes, "role[1 2]", "[age fold]", "[hours label time]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := read(t, tt.o, "nodes.csv", tt.nodes, "edges.csv", tt.edges)
			label := "none"
			if s.Label != nil {
				label = fmt.Sprint(s.Label.Name, s.Label.Text)
			}
			names := func(columns []*tables.Column) string {
				var out []string
				for _, c := range columns {
					out = append(out, c.Name)
				}
				return fmt.Sprint(out)
			}
			if s.Level != tt.level || label != tt.label || names(s.NodeColumns) != tt.nodeColumns || names(s.EdgeColumns) != tt.edgeColumns {
				t.Errorf("level %s, label %s, features %s and %s; want %s, %s, %s and %s", s.Level, label, names(s.NodeColumns), names(s.EdgeColumns), tt.level, tt.label, tt.nodeColumns, tt.edgeColumns)
			}
			if tt.o.Part != "" && !slices.Equal(s.Part, []int8{0, 0, -1, 2}) {
				t.Errorf("parts %v", s.Part)
			}
		})
	}
}

func TestLevelErrors(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		files      []string
		o          tables.Options
	}{
		{"no table of nodes", "there is no table of nodes with their labels: expected nodes.csv beside the edges, or a file that --nodes names", []string{"edges.csv", linksCSV}, tables.Options{Level: tables.OfNodes}},
		{"no such column", `nodes.csv:1: there is no column "rank", found id, age, role, fold`, []string{"nodes.csv", rolesCSV, "edges.csv", linksCSV}, tables.Options{Level: tables.OfNodes, Label: "rank"}},
		{"no such column of parts", `nodes.csv:1: there is no column "time", found`, []string{"nodes.csv", rolesCSV, "edges.csv", linksCSV}, tables.Options{Label: "role", Part: "time"}},
		{"an unknown part", `nodes.csv:5: column "fold" is "later", expected train`, []string{"nodes.csv", strings.Replace(rolesCSV, "test", "later", 1), "edges.csv", linksCSV}, tables.Options{Label: "role", Part: "fold"}},
		{"a time of edges", "--time time is for labels of edges, and the labels are of nodes", []string{"nodes.csv", rolesCSV, "edges.csv", linksCSV}, tables.Options{Label: "role", Time: "time"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tables.Read(folderOf(tt.files...), "toy", tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// In a set with labels of nodes, the two directions of an edge are joined without looking at the labels.
func TestLevelMirrors(t *testing.T) {
	s := read(t, tables.Options{Label: "role"}, "nodes.csv", rolesCSV, "edges.csv", "source,target\nann,bob\nbob,ann\nbob,eve\neve,bob\n")
	if s.Directed || s.NumEdges() != 2 || len(s.Label.Code) != 4 {
		t.Errorf("directed %v, %d edges, %d labels; want 2 undirected edges and 4 labels", s.Directed, s.NumEdges(), len(s.Label.Code))
	}
}

// An encoder of nodes reads new tables, which need no labels and no parts.
func TestLevelReread(t *testing.T) {
	s := read(t, tables.Options{Label: "role", Part: "fold"}, "nodes.csv", rolesCSV, "edges.csv", linksCSV)
	e, err := s.FitNodes([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if e.Options.Form = data.Directed; e.Level != tables.OfNodes || !slices.Equal(e.Classes, []string{"boss", "clerk"}) {
		t.Errorf("level %s, classes %q", e.Level, e.Classes)
	}
	for _, tt := range []struct {
		name, nodes string
		labels      []int32
	}{
		{"with labels", rolesCSV, []int32{0, 1, graph.NoLabel, 0}},
		{"without", "id,age\nann,30\nbob,25\neve,50\nsid,41\n", []int32{graph.NoLabel, graph.NoLabel, graph.NoLabel, graph.NoLabel}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			new, err := e.Open(saved(t, "nodes.csv", tt.nodes, "edges.csv", linksCSV))
			if err != nil {
				t.Fatal(err)
			}
			in, err := new.WholeNodes(e)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(in.Graph.NodeLabel, tt.labels) || new.Level != tables.OfNodes {
				t.Errorf("labels %v of each %s, want %v", in.Graph.NodeLabel, new.Level, tt.labels)
			}
			// Ages are standardised with the training nodes: mean 27.5 and deviation 2.5.
			if want := []float32{1, -1, 9, 5.4}; !slices.Equal(in.Graph.Node.Dense, want) {
				t.Errorf("features of nodes %v, want %v", in.Graph.Node.Dense, want)
			}
		})
	}
}
