//go:build rdkit

package rdkit

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

// Inputs that a stranger might send end as a molecule or an error.
func TestHostile(t *testing.T) {
	rep := strings.Repeat
	rings := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("C%" + strconv.Itoa(10+i%90))
		}
		return b.String()
	}
	for name, smiles := range map[string]string{
		"a megabyte":         rep("C", 1<<20),
		"a megabyte of open": rep("(", 1<<20),
		"10,000 rings":       rings(10000),
		"rings to the cap":   rings(2500),
		"open brackets":      rep("[", chem.MaxSMILES),
		"open branches":      "C" + rep("(C", chem.MaxSMILES/2-1),
		"ring digits":        "C" + rep("1", 4999) + "C",
		"charges":            "[C" + rep("+", 5000) + "]",
		"huge numbers":       "[99999999999999999999C+99999999999999999:99999999999999]",
		"isotope":            "[4294967295C]",
		"map":                "[C:4294967296]",
		"high bytes":         rep("\xff", 100),
	} {
		m, err := kit(t).Parse(smiles)
		if err == nil {
			m.Close()
		} else if !errors.As(err, new(*chem.Error)) || len(err.Error()) > 3000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// RDKit walks molecules by recursion. The largest that are accepted must not exhaust the
// stack, whichever thread a call comes on.
func TestDeep(t *testing.T) {
	n := chem.MaxSMILES
	for name, smiles := range map[string]string{
		"chain":    strings.Repeat("C", n),
		"branches": strings.Repeat("C(", n/3) + "C" + strings.Repeat(")", n/3),
		"rings":    strings.Repeat("c1ccccc1", n/8),
		"annulene": "c1" + strings.Repeat("c", n/4*4-6) + "c1",
	} {
		m := parsed(t, smiles)
		if testing.Short() && m.NumAtoms() > n/2 {
			continue // canonical ranking of these takes a second
		}
		// A canonical SMILES may be longer than what it was read from, and than the cap.
		if canonical := smilesOf(t, m); len(canonical) <= chem.MaxSMILES {
			if again := parsed(t, canonical); again.NumAtoms() != m.NumAtoms() {
				t.Errorf("%s: %d atoms, read again %d", name, m.NumAtoms(), again.NumAtoms())
			}
		}
		must[*chem.Structure](t)(m.KekuleStructure())
		if _, err := m.QED(); m.NumAtoms() > chem.MaxScored && (err == nil || !strings.Contains(err.Error(), "expected at most 1000")) {
			t.Errorf("%s: QED of a large molecule: %v", name, err)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	carbon := chem.Atom{Number: 6}
	two := []chem.Atom{carbon, carbon}
	for want, s := range map[string]*chem.Structure{
		"a molecule of 0 atoms":                {},
		"a molecule of 10001 atoms":            {Atoms: make([]chem.Atom, 10001)},
		"atomic number 119":                    {Atoms: []chem.Atom{{Number: 119}}},
		"100 hydrogens":                        {Atoms: []chem.Atom{{Number: 6, ExplicitHs: 100}}},
		"charge 16":                            {Atoms: []chem.Atom{{Number: 6, Charge: 16}}},
		"joins atoms 0 and 2 of 2":             {Atoms: two, Bonds: []chem.Bond{{Begin: 0, End: 2, Type: chem.Single}}},
		"joins atoms -1 and 0 of 2":            {Atoms: two, Bonds: []chem.Bond{{Begin: -1, End: 0, Type: chem.Single}}},
		"joins atom 1 to itself":               {Atoms: two, Bonds: []chem.Bond{{Begin: 1, End: 1, Type: chem.Single}}},
		"joins atoms 1 and 0 a second time":    {Atoms: two, Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.Single}, {Begin: 1, End: 0, Type: chem.Single}}},
		"type 8":                               {Atoms: two, Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.OtherBond}}},
		"non-ring atom 0 marked aromatic":      {Atoms: two, Bonds: []chem.Bond{{Begin: 0, End: 1, Type: chem.Aromatic}}},
		"Explicit valence for atom # 0 C, 5, ": {Atoms: []chem.Atom{{Number: 6, ExplicitHs: 5}}},
	} {
		m, err := kit(t).Build(s)
		if err == nil || m != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestClosed(t *testing.T) {
	m := parsed(t, "CCO")
	m.Close()
	m.Close()
	if _, err := m.SMILES(); err != chem.ErrClosed {
		t.Error(err)
	}
	if _, err := m.WithHydrogens(); err != chem.ErrClosed {
		t.Error(err)
	}
	if _, err := parsed(t, "C").Join(0, chem.Fragment{Molecule: m}); err != chem.ErrClosed {
		t.Error(err)
	}
}

// work asks a molecule for everything and returns what it said.
func work(m chem.Molecule) (string, error) {
	var out strings.Builder
	add := func(s string, err error) error {
		out.WriteString(s + " ")
		return err
	}
	drawn, err := m.Draw(24, nil)
	_, err2 := m.Draw(20, m)
	var marks []chem.Mark
	if drawn != nil {
		marks = drawn.Marks
	}
	q, err3 := m.QED()
	sa, err4 := m.SA()
	bits, err5 := m.MorganBits(3, 2048)
	s, err6 := m.KekuleStructure()
	full, err7 := m.WithHydrogens()
	if err7 == nil {
		out.WriteString(strconv.Itoa(full.NumAtoms()) + " ")
		full.Close()
	}
	out.WriteString(strconv.Itoa(len(marks)) + " " + strconv.FormatFloat(q.Score(), 'g', -1, 64) + " " +
		strconv.FormatFloat(sa.Score(), 'g', -1, 64) + " " + strconv.Itoa(len(bits)) + " ")
	if s != nil {
		out.WriteString(strconv.Itoa(len(s.Bonds)) + " ")
	}
	a, b := add(m.SMILES()), add(m.Scaffold(true))
	return out.String(), errors.Join(err, err2, err3, err4, err5, err6, err7, a, b)
}

// Many goroutines with handles of their own and with shared ones, failures among them, say
// what one goroutine says.
func TestGoroutines(t *testing.T) {
	all := molecules(t)[:60]
	want := make([]string, len(all))
	shared := make([]chem.Molecule, len(all))
	for i, g := range all {
		shared[i] = parsed(t, g.SMILES)
		want[i] = must[string](t)(work(parsed(t, g.SMILES)))
	}
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for k := range all {
				i := (k*7 + w) % len(all)
				if _, err := kit(t).Parse("C1CC"); err == nil || !strings.Contains(err.Error(), "unclosed ring") {
					t.Error(err)
				}
				if _, err := kit(t).Parse("F(C)C"); err == nil {
					t.Error("fluorine with two bonds")
				}
				m := shared[i]
				if w%2 == 0 {
					m = parsed(t, all[i].SMILES)
				}
				if got, err := work(m); err != nil || got != want[i] {
					t.Errorf("%s: %s, %v, want %s", all[i].SMILES, got, err, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestMap(t *testing.T) {
	var smiles, want []string
	for _, g := range molecules(t) {
		smiles, want = append(smiles, g.SMILES, "C1CC"), append(want, g.Canonical, "")
	}
	for _, threads := range []int{0, 1, 3} {
		results, err := chem.Map(t.Context(), kit(t), threads, smiles, func(m chem.Molecule) (string, error) { return m.SMILES() })
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r.Value != want[i] || (r.Err != nil) != (want[i] == "") {
				t.Errorf("%d threads: %s: %s, %v", threads, smiles[i], r.Value, r.Err)
			}
		}
	}
}

// resident is the memory of the process in bytes.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// Memory does not grow with what was parsed, built, drawn or refused, closed or forgotten.
// make chem-leak asks LeakSanitizer besides.
func TestNoGrowth(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 8
	}
	all := molecules(t)
	round := func() {
		for i := range 2500 {
			if _, err := kit(t).Parse([]string{"C1CC", "F(C)C", "c1cccc1", ""}[i%4]); err == nil {
				t.Fatal("parsed")
			}
			if i%10 > 0 {
				continue
			}
			m, err := kit(t).Parse(all[i%len(all)].SMILES)
			if err != nil {
				t.Fatal(err)
			}
			m.SMILES()
			m.Structure()
			m.MorganBits(2, 1024)
			if a, b, err := m.Cut(0, 1); err == nil {
				a.Close()
				b.Close()
			}
			if i%100 == 0 {
				work(m)
				continue // left to the collector
			}
			m.Close()
		}
		runtime.GC()
	}
	for range 4 {
		round()
	}
	before := resident(t)
	for range rounds {
		round()
	}
	runtime.GC()
	if grown := resident(t) - before; grown > 16<<20 {
		t.Errorf("resident memory grew by %d MB over %d rounds", grown>>20, rounds)
	}
}
