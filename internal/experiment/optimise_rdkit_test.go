//go:build rdkit

package experiment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/internal/report"
)

// All searches run on a task of a short list, and a second run repeats none of them.
func TestOptimiseMolecules(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	zinc := "smiles\nCCOc1ccccc1\nCOc1ccccc1Cl\nCC(=O)NCc1ccccc1F\nCC(C)CNC(=O)C1CC1\nCc1ccc(S(N)(=O)=O)cc1\nOCCC1CCCCC1\nCCCCCCN\nCC(C)Cc1ccc(C)cc1\n"
	if err := os.WriteFile(filepath.Join(data, "zinc.csv"), []byte(zinc), 0o666); err != nil {
		t.Fatal(err)
	}
	env := Env{Seed: 3, Threads: 2, DataDir: data, Toolkit: rdkit.Toolkit, Options: map[string]any{
		"task": []string{"celecoxib", "perindopril"}, "model": optimiseRows, "seeds": 1, "calls": 40, "out": dir}}
	d, err := optimiseExperiment.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	v := d.Value.(optimiseValue)
	if len(v.Runs) != 8 {
		t.Fatalf("%d runs", len(v.Runs))
	}
	for _, r := range v.Runs {
		want := 40
		if r.Row == "random" {
			want = 8
		}
		if r.Calls != want || r.AUC[40] <= 0 || len(r.Best) == 0 {
			t.Errorf("%s, %s: %d calls, AUC %v", r.Task, r.Row, r.Calls, r.AUC)
		}
	}
	if rows := d.Parts[0].(*report.Listing).Rows; len(rows) != 8 {
		t.Errorf("%d rows", len(rows))
	}
	for _, name := range []string{"table.md", "table.csv", "optimise.svg", "report.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	stages := 0
	env.OnStage = func(stage string, _, _ int, _ string) {
		if stage == "searches" {
			stages++
		}
	}
	again, err := optimiseExperiment.Run(t.Context(), env)
	if err != nil || stages > 0 {
		t.Fatalf("%v; %d searches were done again", err, stages)
	}
	same(t, "text", again.Text(), d.Text())
}
