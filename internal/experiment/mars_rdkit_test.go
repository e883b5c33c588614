//go:build rdkit

package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/report"
)

// A data folder with short lists of molecules gives the whole document. A second run computes no
// chain again and cuts no molecule.
func TestMARSMolecules(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	lists := map[string]*strings.Builder{}
	for _, name := range []string{"gsk3", "jnk3"} {
		lists[name] = &strings.Builder{}
		fmt.Fprintf(lists[name], "smiles,%s\n", name)
	}
	zinc := "smiles\nCCO\nCOc1ccccc1Cl\nCC(=O)NCc1ccccc1F\nCC(C)CN\n"
	for i := range 12 {
		chain := strings.Repeat("C", i+1)
		fmt.Fprintf(lists["gsk3"], "%sN,1\n%sO,0\n", chain, chain)
		fmt.Fprintf(lists["jnk3"], "%sF,1\n%sO,0\n", chain, chain)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("zinc.csv", zinc)
	for name, text := range lists {
		write(name+".csv", text.String())
	}
	env := Env{Seed: 3, Threads: 2, DataDir: data, Toolkit: rdkit.Toolkit, Options: map[string]any{
		"preset": presetSmall, "vocabulary": []string{"zinc"}, "model": []string{"mars", "mars-ehgnn", "uniform"}, "seeds": 2, "chains": 12, "steps": 4, "out": dir}}
	d, err := marsExperiment.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	v := d.Value.(marsValue)
	if len(v.Runs) != 6 || len(v.Oracles) != 2 || v.Vocabularies[0].Arms == 0 {
		t.Fatalf("%d runs, %d oracles, %+v", len(v.Runs), len(v.Oracles), v.Vocabularies)
	}
	for _, r := range v.Runs {
		if len(r.History) != 4 || len(r.Final) != 12 || len(r.Calls) != 4 || r.Calls[0].Molecules == 0 || (r.Examples == 0) == (r.Calls[0].Molecules > 5) {
			t.Errorf("%s: %d evaluations, %d chains, calls %+v, %d examples", r.Row, len(r.History), len(r.Final), r.Calls, r.Examples)
		}
	}
	list := d.Parts[0].(*report.Listing)
	if len(list.Rows) != 2*(3*2+2) { // 2 sets of thresholds, each with 3 rows at 2 moments and 2 rows of the paper
		t.Errorf("%d rows", len(list.Rows))
	}
	for _, name := range []string{"table.md", "table.csv", "mars-zinc.svg", "mars-molecules.png", "mars-edits.svg", "fragments-zinc.csv"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "fragments-*.json"))
	if len(kept) != 1 {
		t.Fatalf("kept fragments %q", kept)
	}
	before, _ := os.Stat(kept[0])
	stages := 0
	env.OnStage = func(stage string, _, _ int, _ string) {
		if stage == "mars" {
			stages++
		}
	}
	again, err := marsExperiment.Run(t.Context(), env)
	if err != nil || stages > 0 {
		t.Fatalf("%v; %d runs were done again", err, stages)
	}
	if after, err := os.Stat(kept[0]); err != nil || after.ModTime() != before.ModTime() {
		t.Errorf("fragments were cut again: %v", err)
	}
	same(t, "text", again.Text(), d.Text())
	env.DataDir = t.TempDir()
	_, err = marsExperiment.Run(t.Context(), env)
	fails(t, err, `no list of molecules "gsk3"`)
}
