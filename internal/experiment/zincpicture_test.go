package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/realdata"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/report/picture"
)

// marksOf counts the marks of bonds and atoms in a picture, without those of its legend.
func marksOf(svg []byte) int { return strings.Count(string(svg), `="`+string(wrongInk)+`"`) - 1 }

// zincFigure is the figure of molecules for a ratio.
func zincFigure(t *testing.T, d *report.Document, name string) *report.Figure {
	t.Helper()
	for _, p := range d.Parts {
		if f, ok := p.(*report.Figure); ok && f.Name == name {
			return f
		}
	}
	t.Fatalf("no figure %s", name)
	return nil
}

// The pictures mark as many bonds and atoms as the stored predictions have wrong, and colour the
// originals by the stored clusters. Trainings stored without clusters still count.
func TestZINCPictures(t *testing.T) {
	path, dir := tinyZINC(t), t.TempDir()
	toolkit := func() (chem.Toolkit, error) { return counting{}, nil }
	drawing := Env{Toolkit: toolkit}
	options := map[string]any{"ratios": []float64{0.2, 0.3}, "model": []string{"hypercluster", "mpnn-gmpool"}, "seeds": 2, "molecules": 5, "out": dir, "trainings": dir}
	d, err := runZINCTest(t, zincGraphs, path, drawing, options)
	if err != nil {
		t.Fatal(err)
	}
	set, err := zincRequest{dataset: DatasetColumn{Path: path}, base: zincSettings{Edges: "directed"}}.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	truth, err := newZINCTruth(t.Context(), set.test, true, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	lines := seriesLines(t, dir)
	for _, ratio := range []float64{0.2, 0.3} {
		wrong, clusters := 0, map[int32]int{} // clusters of bonds
		var colours map[int32]draw.Ink
		for _, l := range lines {
			if l.Ratio != ratio || l.Seed != 1 {
				continue
			}
			if wrong += wrongIn(truth, l, 5); l.Row == zincNodes {
				wrong += wrongIn(truth, l, 5) // both rows show these atoms
			}
			if (l.Row == "hypercluster") != (l.Clusters != nil) {
				t.Errorf("%s has %d clusters", l.Row, len(l.Clusters))
			}
			if l.Clusters == nil {
				continue
			}
			edge := 0
			for _, g := range set.test[:5] {
				for _, e := range truth.bondEdges(g) {
					clusters[l.Clusters[edge+e]]++
				}
				edge += g.NumEdges()
			}
			colours = picture.Clusters(l.Clusters[:edge])
		}
		f := zincFigure(t, d, fmt.Sprintf("zinc-graphs-molecules-%g", ratio))
		if marks := marksOf(f.SVG); marks != wrong || wrong == 0 {
			t.Errorf("ratio %g: %d marks, want %d", ratio, marks, wrong)
		}
		if len(clusters) == 0 {
			t.Errorf("ratio %g: no cluster", ratio)
		}
		for k, n := range clusters {
			if have := strings.Count(string(f.SVG), fmt.Sprintf(`stroke="%s"`, colours[k])); have != n+1 {
				t.Errorf("ratio %g: cluster %d has %d bonds, want %d", ratio, k, have-1, n)
			}
		}
		for _, end := range []string{".svg", ".png"} {
			if info, err := os.Stat(filepath.Join(dir, f.Name+end)); err != nil || info.Size() == 0 {
				t.Error(err)
			}
		}
	}
	before := d.Value.(zincValue)
	withoutClusters(t, dir)
	again := Env{Toolkit: toolkit, OnStage: func(string, int, int, string) { t.Error("it trains again") }}
	if d, err = runZINCTest(t, zincGraphs, path, again, options); err != nil {
		t.Fatal(err)
	}
	f := zincFigure(t, d, "zinc-graphs-molecules-0.2")
	if strings.Contains(string(f.SVG), ">cluster ") || strings.Contains(string(f.SVG), `stroke="#77aadd"`) {
		t.Error("clusters that were not kept are drawn")
	}
	if want := "The kept trainings of HyperCluster have no clusters of edges"; !strings.Contains(d.Text(), want) {
		t.Errorf("no %q in\n%s", want, d.Text())
	}
	if after := d.Value.(zincValue); len(after.Trainings) != len(before.Trainings) || after.Trainings[0].Accuracy != before.Trainings[0].Accuracy || after.Trainings[0].Clusters != nil {
		t.Errorf("%+v, want %+v", after.Trainings[0], before.Trainings[0])
	}
}

// wrongIn counts the bonds, or nodes, of the first molecules that a training has wrong.
func wrongIn(truth *zincTruth, of zincResult, molecules int) int {
	n, node, edge := 0, 0, 0
	for _, g := range truth.graphs[:molecules] {
		if of.Row == zincNodes {
			n += g.NumNodes - agree(of.Predicted[node:][:g.NumNodes], truth.atoms[node:][:g.NumNodes])
		} else {
			for _, e := range truth.bondEdges(g) {
				n += 1 - agree(of.Predicted[edge+e:][:1], truth.bonds[edge+e:][:1])
			}
		}
		node, edge = node+g.NumNodes, edge+g.NumEdges()
	}
	return n
}

// seriesLines are the results stored in a folder.
func seriesLines(t *testing.T, dir string) (out []zincResult) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, seriesFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var l seriesLine[zincResult]
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l.Result)
	}
	return out
}

// withoutClusters rewrites the results of a folder in the form of versions that stored no clusters.
func withoutClusters(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, seriesFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		var l struct {
			Key    string         `json:"key"`
			Result map[string]any `json:"result"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		delete(l.Result, "clusters")
		if err := json.NewEncoder(&out).Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Pictures can be turned off, and the number of molecules in them is limited.
func TestZINCPicturesAsked(t *testing.T) {
	path := tinyZINC(t)
	d, err := runZINCTest(t, zincEdges, path, Env{}, map[string]any{"model": []string{"hypercluster"}, "seeds": 1, "epochs": 1, "molecules": 0})
	if err != nil {
		t.Fatal(err)
	}
	if names := d.FileNames(); slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "molecules") }) {
		t.Errorf("%q", names)
	}
	_, err = runZINCTest(t, zincEdges, path, Env{}, map[string]any{"molecules": zincDrawn + 1})
	fails(t, err, "--molecules is 51, expected at most 50")
}

// A perfect reconstruction of real molecules has no mark. A changed bond has one mark, and a changed atom has one.
func TestZINCPicturesOfMolecules(t *testing.T) {
	path := realdata.Path(t, "zinc12k")
	if testing.Short() {
		t.Skip("reads 12,000 molecules")
	}
	set, err := zincRequest{dataset: DatasetColumn{Path: path}, base: zincSettings{Edges: "directed"}}.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	toolkit, err := (&call{Env: Env{Toolkit: rdkit.Toolkit}}).chemistry()
	if err != nil {
		t.Fatal(err)
	}
	if toolkit == nil {
		t.Skip("this build has no toolkit of chemistry")
	}
	truth, err := newZINCTruth(t.Context(), set.test[:20], true, toolkit, true)
	if err != nil {
		t.Fatal(err)
	}
	p := zincPicture{truth: truth, lines: []zincLine{{row: edgeRows[0]}}}
	for _, change := range []bool{false, true} {
		atoms, bonds := bytes.Clone(truth.atoms), bytes.Clone(truth.bonds)
		node, edge := 0, 0
		p.cells = nil
		for i, g := range truth.graphs {
			if change {
				e := edge + truth.bondEdges(g)[0]
				bonds[e], atoms[node] = bonds[e]%byte(chem.Triple)+1, atoms[node]^1
			}
			p.lines[0].drawing = zincDrawing{atoms: atoms, bonds: bonds}
			if err := p.row(i, g, node, edge); err != nil {
				t.Fatal(err)
			}
			node, edge = node+g.NumNodes, edge+g.NumEdges()
		}
		scene, err := picture.Molecules(p.grid(), toolkit)
		if err != nil {
			t.Fatal(err)
		}
		svg, err := scene.SVG()
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if change {
			want = 2 * len(truth.graphs)
		}
		if marks := marksOf(svg); marks != want {
			t.Errorf("change %v: %d marks, want %d", change, marks, want)
		}
		if n := strings.Count(string(svg), ">all right<"); change == (n > 0) {
			t.Errorf("change %v: %d molecules are all right", change, n)
		}
	}
}
