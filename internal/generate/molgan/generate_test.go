package molgan

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trained returns a generator of the toy space and its run folder.
func trained(t *testing.T) (*Generator, string) {
	t.Helper()
	r, err := trainToy(t, t.Context(), quick(), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := Save(dir, r.Generator, Settings{Space: small, Config: quick(), Data: "chains"}); err != nil {
		t.Fatal(err)
	}
	return r.Generator, dir
}

// A loaded generator draws the same molecules as before it was saved, each molecule once, for any
// number of threads.
func TestGenerateMolecules(t *testing.T) {
	g, dir := trained(t)
	opened, s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Data != "chains" || s.Space.Size != small.Size {
		t.Errorf("%+v", s)
	}
	draw := func(g *Generator, threads int, seed uint64) (out []Score) {
		t.Helper()
		err := g.Generate(t.Context(), &Judge{Toolkit: toy{}, Space: small, Threads: threads}, seed, 6, func(s Score) error {
			out = append(out, s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := draw(g, 1, 4)
	if got := draw(opened, 3, 4); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if slices.Equal(draw(g, 1, 5), want) {
		t.Error("the seed changes nothing")
	}
	seen := map[string]bool{}
	for _, s := range want {
		if !s.Valid() || seen[s.SMILES] {
			t.Errorf("%+v is not valid or not new", s)
		}
		seen[s.SMILES] = true
	}
	stop := errors.New("stop")
	err = g.Generate(t.Context(), &Judge{Toolkit: toy{}, Space: small}, 4, 3, func(Score) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the function", err)
	}
}

// A generator without more molecules returns an error.
func TestGenerateEnds(t *testing.T) {
	g, _ := trained(t)
	for _, p := range g.Params() { // always the same logits
		clear(p.Value.Data())
	}
	bias := g.bonds.Bias.Value.Data()
	for i := 0; i < len(bias); i += bondCodes {
		bias[i+1] = 1e6 // single bonds everywhere
	}
	for i := range g.atoms.Bias.Value.Data() {
		g.atoms.Bias.Value.Data()[i] = map[bool]float32{true: 1e6}[i%small.atomCodes() == 1] // carbon
	}
	n := 0
	err := g.Generate(t.Context(), &Judge{Toolkit: toy{}, Space: small}, 1, 2, func(Score) error { n++; return nil })
	if n != 1 || err == nil || !strings.Contains(err.Error(), "1 different molecules") {
		t.Errorf("%d molecules, error %v", n, err)
	}
}

// Open of a folder that is no run returns an error that says what is wrong.
func TestOpenRefuses(t *testing.T) {
	_, dir := trained(t)
	if _, _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no folder of a generator") {
		t.Errorf("error %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, settingsFile))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string][2]string{
		"z_dim is 999999":   {`"z_dim": 8`, `"z_dim": 999999`},
		"molecules of 1000": {`"size": 5`, `"size": 1000`},
		"layers.0.weight":   {`"z_dim": 8`, `"z_dim": 9`},
		"invalid character": {"{", "["},
	} {
		if err := os.WriteFile(filepath.Join(dir, settingsFile), []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
