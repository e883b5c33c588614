package experiment

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/generate/molgan"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// listed is a toolkit whose SMILES list atomic numbers and bonds, as "6 6 8|0 1 1|1 2 2". It
// respects valences.
type listed struct{ chem.Toolkit }

type listedMolecule struct {
	chem.Molecule
	of *chem.Structure
}

func (listed) Version() string { return "listed" }

func (m listedMolecule) Draw(bond float64, _ chem.Molecule) (*chem.Drawing, error) {
	return onLine(m.of, bond), nil
}

func (l listed) Parse(smiles string) (chem.Molecule, error) {
	parts := strings.Split(smiles, "|")
	s := &chem.Structure{}
	for _, a := range strings.Fields(parts[0]) {
		var number uint8
		if _, err := fmt.Sscan(a, &number); err != nil {
			return nil, &chem.Error{Class: chem.Syntax}
		}
		s.Atoms = append(s.Atoms, chem.Atom{Number: number})
	}
	for _, text := range parts[1:] {
		var b chem.Bond
		if _, err := fmt.Sscan(text, &b.Begin, &b.End, &b.Type); err != nil {
			return nil, &chem.Error{Class: chem.Syntax}
		}
		s.Bonds = append(s.Bonds, b)
	}
	return l.Build(s)
}

func (listed) Build(s *chem.Structure) (chem.Molecule, error) {
	used := make([]int, len(s.Atoms))
	for _, b := range s.Bonds {
		used[b.Begin] += min(int(b.Type), 3)
		used[b.End] += min(int(b.Type), 3)
	}
	for i, a := range s.Atoms {
		if used[i] > 4 || a.Number > 6 && used[i] > 3 {
			return nil, &chem.Error{Class: chem.Valence}
		}
	}
	return &listedMolecule{of: s}, nil
}

func (m *listedMolecule) SMILES() (string, error) {
	text := ""
	for _, a := range m.of.Atoms {
		text += fmt.Sprint(a.Number, " ")
	}
	for _, b := range m.of.Bonds {
		text += fmt.Sprintf("|%d %d %d", b.Begin, b.End, b.Type)
	}
	return text, nil
}

func (m *listedMolecule) Structure() (*chem.Structure, error)       { return m.of, nil }
func (m *listedMolecule) KekuleStructure() (*chem.Structure, error) { return m.of, nil }
func (m *listedMolecule) MorganBits(int, int) ([]int32, error) {
	return []int32{int32(len(m.of.Bonds))}, nil
}
func (m *listedMolecule) QED() (chem.QEDProperties, error) {
	return chem.QEDProperties{MW: 30 * float64(len(m.of.Bonds))}, nil
}
func (m *listedMolecule) SA() (chem.SATerms, error) { return chem.SATerms{Atoms: 1}, nil }
func (*listedMolecule) Close()                      {}

// listedChains writes a table of chains. Some are outside the space of QM9 or are not molecules.
func listedChains(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	text := "name,SMILES\nsulphur,6 16|0 1 1\nbroken,6 x\n"
	for k := range 60 {
		atoms, bonds := "", ""
		for i := range 3 + k%7 {
			atoms += fmt.Sprint(6+r.IntN(3), " ")
			if i > 0 {
				bonds += fmt.Sprintf("|%d %d 1", i-1, i)
			}
		}
		text += fmt.Sprintf("%d,%s%s\n", k, atoms, bonds)
	}
	path := filepath.Join(t.TempDir(), "chains.csv")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// runGAN runs a few iterations.
func runGAN(t *testing.T, path string, env Env, options map[string]any) (*report.Document, error) {
	t.Helper()
	env.Seed, env.Threads = 1, 2
	env.Options = map[string]any{"preset": presetQuick, "iterations": 6, "interval": 3, "samples": 30, "pictures": 2, "out": t.TempDir()}
	env.Find = func(string) (DatasetColumn, error) { return DatasetColumn{Path: path}, nil }
	if env.Toolkit == nil {
		env.Toolkit = func() (chem.Toolkit, error) { return listed{}, nil }
	}
	maps.Copy(env.Options, options)
	return molGAN.Run(t.Context(), env)
}

// The preset paper has the paper's settings and, where the paper has none, those of the published code.
func TestMolGANPaperPreset(t *testing.T) {
	env := Env{Seed: 42, Options: map[string]any{"preset": presetPaper}, Toolkit: func() (chem.Toolkit, error) { return listed{}, nil },
		Find: func(string) (DatasetColumn, error) { return DatasetColumn{}, nil }}
	c := &call{Env: env, options: map[string]Option{}}
	for _, o := range molGAN.Options {
		c.options[o.Name] = o
	}
	r, err := newGANRequest(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Options["loss"] = "reference"
	if other, err := newGANRequest(c); err != nil || !other.base.ReferenceLoss {
		t.Errorf("--loss reference: %v", err)
	}
	same(t, "seeds", r.seeds, []uint64{42, 43, 44})
	same(t, "molecules", r.molecules, 0)
	if len(r.rows) != 4 {
		t.Fatalf("%d rows, expected 4", len(r.rows))
	}
	for i, row := range r.rows {
		want := molgan.Config{RGCN: molgan.Shared, GMPool: i%2 == 1, EHGNN: i >= 2, ZDim: 8, Mode: molgan.HardGumbel, Temperature: 1, Iterations: 200000, Every: 5, Batch: 16,
			LR: 1e-3, EdgeLR: 1e-2, Penalty: 10, Lambda: 0.5, Reward: []string{"validity", "sas", "qed"}, Interval: 1000, Samples: 5000, Seed: 7}
		same(t, row.name(), r.config(row, 7), want)
	}
}

// Each row has its trainings, tables, curves, pictures and generators. A second call trains
// nothing.
func TestMolGAN(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	path, dir := listedChains(t), t.TempDir()
	options := map[string]any{"out": dir, "variants": []string{"molgan", "gmpool-ehgnn"}}
	d, err := runGAN(t, path, Env{}, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"table.md", "table.csv", "table.json", "report.html", "curves.csv", "molgan-typed.svg", "molgan-shared.png", "molgan-molecules.svg", seriesFile,
		filepath.Join("generators", "typed-molgan-1", "molgan.json"), filepath.Join("generators", "shared-gmpool-ehgnn-2", "model.safetensors")} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	v := d.Value.(ganValue)
	if len(v.Trainings) != 2*2*2 || v.Training != 48 || v.Test.Molecules != 6 || v.Test.Valid == 0 || v.Left.Outside != 1 || v.Left.Unparsable != 1 {
		t.Errorf("%d trainings, %+v", len(v.Trainings), v)
	}
	for _, r := range v.Trainings {
		if len(r.Points) != 3 || r.last().Iteration != 6 || r.Diverged != 0 || r.last().Samples != 30 || r.Calls == 0 {
			t.Errorf("%+v", r)
		}
	}
	if a, b := v.Trainings[0], v.Trainings[1]; a.Seed != 1 || b.Seed != 2 || a.last().Distance == b.last().Distance || a.GMPool || a.EHGNN {
		t.Errorf("seeds %d and %d, distances %v and %v", a.Seed, b.Seed, a.last().Distance, b.last().Distance)
	}
	for _, want := range []string{"MolGAN + GMPool + EHGNN", "shared", "test molecules", " ± ", "0 of 2", "Preset quick:", "figures 8 and 18"} {
		if !strings.Contains(d.Text(), want) {
			t.Errorf("no %q in\n%s", want, d.Text())
		}
	}
	again, err := runGAN(t, path, Env{OnStage: func(string, int, int, string) { t.Error("it trains again") }}, options)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "trainings", again.Value.(ganValue).Trainings, v.Trainings, cmp.AllowUnexported(ganResult{}))
}

func TestMolGANErrors(t *testing.T) {
	path := listedChains(t)
	for want, options := range map[string]map[string]any{
		`--preset is "slow"`:        {"preset": "slow"},
		`--variants is "gcn"`:       {"variants": []string{"gcn"}},
		`--rgcn is "none"`:          {"rgcn": []string{"none"}},
		`--loss is "wgan"`:          {"loss": "wgan"},
		`--reward has "logp"`:       {"reward": []string{"logp"}},
		`--discretise is "hard"`:    {"discretise": "hard"},
		"--edge-lr is -1":           {"edge-lr": -1.0},
		"--variants has 0 rows":     {"variants": []string{}},
		"expected at least 20":      {"molecules": 10},
		"--interval is 0, expected": {"interval": 0},
	} {
		_, err := runGAN(t, path, Env{}, options)
		if fails(t, err, want); !settings.IsUsage(err) {
			t.Errorf("%v is not marked as the user's to mend", err)
		}
	}
	for want, toolkit := range map[string]func() (chem.Toolkit, error){
		"make build-chem": func() (chem.Toolkit, error) { return nil, chem.ErrNoToolkit },
		"broken":          func() (chem.Toolkit, error) { return nil, errors.New("broken") },
	} {
		_, err := runGAN(t, path, Env{Toolkit: toolkit}, nil)
		fails(t, err, want)
	}
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte("molecule\n6 6|0 1 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := runGAN(t, other, Env{}, nil)
	fails(t, err, "no column of SMILES, expected ")
}
