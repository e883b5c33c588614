package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// Tests have small heaps, and collecting them often would take a fifth of the time. So garbage is collected less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// tinyNodes is a generated set of 90 nodes in Planetoid format.
var tinyNodes = filepath.Join("..", "..", "testdata", "planetoid")

// files collects the text of files by name.
type files map[string]*strings.Builder

func (f files) add(name, format string, args ...any) {
	if f[name] == nil {
		f[name] = &strings.Builder{}
	}
	fmt.Fprintf(f[name], format, args...)
}

// write writes the files into a new folder of the given name and returns its path.
func (f files) write(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for file, text := range f {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tuFiles returns n graphs in TU layout without folds. Their edges determine their class.
func tuFiles(t *testing.T, name string, n int) files {
	t.Helper()
	graphs, err := synth.EdgeClass(n, 3)
	if err != nil {
		t.Fatal(err)
	}
	f := files{}
	base := int32(1)
	for i, g := range graphs {
		for e := range g.NumEdges() {
			u, v, label := base+g.Ends[2*e], base+g.Ends[2*e+1], g.Edge.Code[e]+1
			f.add(name+"_A.txt", "%d, %d\n%d, %d\n", u, v, v, u)
			f.add(name+"_edge_labels.txt", "%d\n%d\n", label, label)
		}
		for _, c := range g.Node.Code {
			f.add(name+"_graph_indicator.txt", "%d\n", i+1)
			f.add(name+"_node_labels.txt", "%d\n", c+1)
		}
		f.add(name+"_graph_labels.txt", "%d\n", g.Label)
		base += int32(g.NumNodes)
	}
	return f
}

// foldSet writes a set of n graphs with ten folds, each of which tests n/10 graphs.
func foldSet(t *testing.T, name string, n int) string {
	t.Helper()
	f := tuFiles(t, name, n)
	for k := range 10 {
		for i := range n {
			part := "train"
			if i/(n/10) == k {
				part = "test"
			}
			f.add(fmt.Sprintf("10fold_idx/%s_idx-%d.txt", part, k+1), "%d\n", i)
		}
	}
	return f.write(t, name)
}

// molecules writes 20 molecules in the layout of OGB with a split of six, two and two of ten. Their
// targets depend on whether their bonds are double.
func molecules(t *testing.T, name string, targets func(i int, double bool) []string) string {
	t.Helper()
	f := files{}
	for i := range 20 {
		atoms, double := 3+i%4, i/2%2 == 1
		f.add("raw/num-node-list.csv", "%d\n", atoms)
		f.add("raw/num-edge-list.csv", "%d\n", atoms-1)
		for v := range atoms {
			f.add("raw/node-feat.csv", "%d,0,%d,5,%d,0,2,0,0\n", 5+i%3, min(v, 2), (i+v)%4)
		}
		for v := 1; v < atoms; v++ {
			bond := 0
			if double {
				bond = 1
			}
			f.add("raw/edge.csv", "%d,%d\n", v-1, v)
			f.add("raw/edge-feat.csv", "%d,0,0\n", bond)
		}
		f.add("raw/graph-label.csv", "%s\n", strings.Join(targets(i, double), ","))
		f.add("split/scaffold/"+[]string{"train", "train", "train", "train", "train", "train", "valid", "valid", "test", "test"}[i%10]+".csv", "%d\n", i)
	}
	return f.write(t, name)
}

// bonds returns two labels: whether the bonds are double, and its opposite with every third value
// missing.
func bonds(i int, double bool) []string {
	label := []string{"0", "1"}
	if double {
		label = []string{"1", "0"}
	}
	if i%3 == 0 {
		label[1] = ""
	}
	return label
}

// quick returns settings with which a training takes almost no time.
func quick() settings.Values {
	return settings.Values{"epochs": 2, "hidden": 16, "constant-lr": true}
}

// setting returns a setting of a model, or nil if the model has no setting of that name.
func setting(c model.Config, name string) any {
	for _, at := range c.At(name) {
		return reflect.ValueOf(at).Elem().Interface()
	}
	return nil
}

// fails checks that there is an error that contains want.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// same reports the fields in which two values differ.
func same(t *testing.T, what string, got, want any, options ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, options...); d != "" {
		t.Errorf("%s (- want, + got):\n%s", what, d)
	}
}

// ignoreSeconds ignores fields that may differ between equal trainings.
var ignoreSeconds = cmpopts.IgnoreFields(JobResult{}, "Seconds")

// counts are the numbers of jobs of a grid.
type counts struct{ Total, Done, Failed, Kept int }

func countsOf(g *Grid) counts { return counts{g.Total(), g.Done(), g.Failed(), keptJobs(g)} }

// keptJobs counts the jobs that an earlier run finished.
func keptJobs(g *Grid) int { return g.count(func(c *cell) int { return c.kept }) }
