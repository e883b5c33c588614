//go:build rdkit

package rdkit

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/realdata"
)

// smilesOf100k are 100,000 SMILES: ZINC, ChEMBL and what follows of the kinase tables.
func smilesOf100k(b *testing.B) []string {
	var list []string
	for _, name := range []string{"zinc", "chembl", "gsk3"} {
		f, err := os.Open(realdata.Path(b, "molecules", name+".csv.gz"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			b.Fatal(err)
		}
		rows, err := csv.NewReader(z).ReadAll()
		if err != nil {
			b.Fatal(err)
		}
		for _, row := range rows[1:] {
			list = append(list, row[0])
		}
	}
	return list[:100000]
}

// processorTime is what the process has used: on a busy machine the clock says little.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMolecule times each call on one thread, over 2,000 molecules of ZINC.
func BenchmarkMolecule(b *testing.B) {
	smiles := smilesOf100k(b)[:2000]
	tk := kit(b)
	all := make([]chem.Molecule, len(smiles))
	structures := make([]*chem.Structure, len(smiles))
	for i, s := range smiles {
		all[i] = parsed(b, s)
		structures[i] = must[*chem.Structure](b)(all[i].KekuleStructure())
	}
	for name, f := range map[string]func(i int) error{
		"parse": func(i int) error {
			m, err := tk.Parse(smiles[i])
			m.Close()
			return err
		},
		"canonical": func(i int) error { _, err := all[i].SMILES(); return err },
		"structure": func(i int) error { _, err := all[i].Structure(); return err },
		"kekulised": func(i int) error { _, err := all[i].KekuleStructure(); return err },
		"build": func(i int) error {
			m, err := tk.Build(structures[i])
			m.Close()
			return err
		},
		"morgan":   func(i int) error { _, err := all[i].MorganBits(3, 2048); return err },
		"qed":      func(i int) error { p, err := all[i].QED(); p.Score(); return err },
		"sa":       func(i int) error { p, err := all[i].SA(); p.Score(); return err },
		"scaffold": func(i int) error { _, err := all[i].Scaffold(false); return err },
		"draw":     func(i int) error { _, err := all[i].Draw(24, nil); return err },
	} {
		b.Run(name, func(b *testing.B) {
			start, i := processorTime(b), 0
			for ; b.Loop(); i++ {
				if err := f(i % len(all)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((processorTime(b)-start).Nanoseconds())/1e3/float64(i), "cpu-µs/op")
		})
	}
}

// BenchmarkFeaturise turns 100,000 SMILES into OGB features on all cores.
func BenchmarkFeaturise(b *testing.B) {
	smiles := smilesOf100k(b)
	tk := kit(b)
	start, rounds := processorTime(b), 0.
	for ; b.Loop(); rounds++ {
		results, err := chem.Map(b.Context(), tk, 0, smiles, ogb)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range results {
			if r.Err != nil {
				b.Fatal(r.Err)
			}
		}
	}
	b.ReportMetric((processorTime(b)-start).Seconds()/rounds, "cpu-s/op")
}

// ogb are the rows of the atoms and bonds of a molecule.
func ogb(m chem.Molecule) (rows [2][]int32, err error) {
	s, err := m.Structure()
	if err != nil {
		return rows, err
	}
	for _, a := range s.Atoms {
		row := chem.OGBAtom(a)
		rows[0] = append(rows[0], row[:]...)
	}
	for _, bond := range s.Bonds {
		row := chem.OGBBond(bond)
		rows[1] = append(rows[1], bond.Begin, bond.End)
		rows[1] = append(rows[1], row[:]...)
	}
	return rows, nil
}
