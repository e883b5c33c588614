package session

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/realdata"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// Weights with the settings of a larger model and a matching digest are refused by the shapes in
// the file, before the model is built.
func TestForgedSettings(t *testing.T) {
	dir, _ := trained(t, Request{Path: filepath.Join("..", "..", "testdata", "sets", "RINGS"), Model: "hyperdrop", Given: quick()})
	if err := os.Remove(filepath.Join(dir, settings.ConfigFile)); err != nil {
		t.Fatal(err)
	}
	r, err := LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, ModelFile)
	good, err := safetensors.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, value string }{
		{"hidden", "20000"}, {"hidden", "2000000000"}, {"hidden", "9000000000000000000"}, {"edge_hidden", "20000"}, {"layers", "100000000"},
		{"layers", "10000"}, {"node_dim", "1000000"}, {"edge_dim", "1000000"}, {"out", "100000000"}, {"seed", `1,"members":1000000000`},
	} {
		settings := regexp.MustCompile(`("model":\{.*?"`+c.name+`":)\d+`).ReplaceAllString(good.Metadata[settingsKey], "${1}"+c.value)
		if settings == good.Metadata[settingsKey] {
			t.Fatalf("%s is not in %s", c.name, settings)
		}
		if err := train.SaveParams(file, r.Model, map[string]string{settingsKey: settings}); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := LoadRun(dir)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s %s is accepted", c.name, c.value)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
			t.Errorf("%s %s takes %d MiB", c.name, c.value, took>>20)
		}
	}
}

// A graph is refused if it certainly needs too much memory. If it may need too much, there is a
// remark. The figures depend on the limit.
func TestForesee(t *testing.T) {
	star := graph.Graph{NumNodes: 4000, Label: 1}
	for v := range int32(star.NumNodes - 1) {
		star.Ends = append(star.Ends, 0, v+1)
	}
	for _, c := range []struct {
		model, conv string
		least, most int64 // a limit between these two gives a remark
	}{
		{"hyperdrop", "line:gcn", 300 << 20, 3 << 30},
		{"asap", "", 120 << 20, 700 << 20},
		{"diffpool", "", 100 << 20, 2 << 30},
	} {
		given := settings.Values{"split": settings.SplitRandom}
		if c.conv != "" {
			given["edge-conv"] = c.conv
		}
		if c.model == "diffpool" {
			given["clusters"] = 1000
		}
		s := mustOpen(t, Request{Path: foldSet(t, "SET", 40), Model: c.model, Given: quick().Over(given)})
		part := s.Parts[source.PartTrain]
		part.Graphs[3] = &star
		for _, b := range []struct {
			bound           int64
			refused, remark bool
		}{{c.least, true, false}, {c.most / 4, false, true}, {8 * c.most, false, false}} {
			s.maxMemory = b.bound
			remark, err := s.CheckPartMemory(part, true)
			if b.refused != (err != nil) || b.remark != (remark != "") {
				t.Errorf("%s: with %d MiB: remark %q, error %v", c.model, b.bound>>20, remark, err)
			}
			if b.refused && (!settings.IsUsage(err) || !strings.Contains(err.Error(), "4000 nodes and 3999 edges")) {
				t.Errorf("%s: %v", c.model, err)
			}
		}
	}
}

// A large graph whose preparation takes long gives a remark.
func TestForeseeSeconds(t *testing.T) {
	s := mustOpen(t, Request{Path: foldSet(t, "SET", 40), Model: "haarpool", Given: quick().Over(settings.Values{"split": settings.SplitRandom})})
	s.maxMemory = 1 << 40
	for n, want := range map[int]string{60000: "model haarpool takes about 36s, once, to prepare", 6000: ""} {
		s.Parts[source.PartTrain].Graphs[0] = &graph.Graph{NumNodes: n, Ends: []int32{0, 1}}
		if remark, err := s.CheckPartMemory(s.Parts[source.PartTrain], true); err != nil || want == "" && remark != "" || !strings.HasPrefix(remark, want) {
			t.Errorf("%d nodes: remark %q, error %v", n, remark, err)
		}
	}
}

// The data sets of the paper's tables are not refused and get no remark, with any model.
func TestForeseeRealSets(t *testing.T) {
	dir := realdata.Path(t, "tu")
	sets := []string{"MUTAG", "IMDB-BINARY", "PROTEINS", "DD"}
	if testing.Short() {
		sets = sets[:2]
	}
	for _, set := range sets {
		in, err := Read(t.Context(), Request{Path: filepath.Join(dir, set+".zip")})
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range model.Specs() {
			if spec.Tasks[0] != "graph-classification" {
				continue
			}
			s, err := OpenOn(t.Context(), Request{Model: spec.Name, Given: settings.Values{}}, in)
			if err != nil {
				t.Errorf("%s on %s: %v", spec.Name, set, err)
				continue
			}
			s.maxMemory = 4 << 30
			if remark, err := s.CheckMemory(""); err != nil || remark != "" {
				t.Errorf("%s on %s: remark %q, error %v", spec.Name, set, remark, err)
			}
		}
	}
}
