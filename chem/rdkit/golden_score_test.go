//go:build rdkit

package rdkit

import (
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/golden"
)

func TestProperties(t *testing.T) {
	var doc struct {
		Properties []struct {
			ID    int
			QED   float64
			Props [8]float64
			SA    float64
			LogP  float64
			Terms struct {
				Atoms, Distinct, Total, Chiral, Spiro, Bridgehead int
				LargeRings                                        int `json:"large_rings"`
			} `json:"sa_terms"`
		}
	}
	golden.Document(t, "chem/testdata/properties.json.gz", &doc)
	all := molecules(t)
	for _, g := range doc.Properties {
		m := parsed(t, all[g.ID].SMILES)
		near := func(what string, got, want, tolerance float64) {
			t.Helper()
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s: %s %v, want %v", all[g.ID].SMILES, what, got, want)
			}
		}
		q := must[chem.QEDProperties](t)(m.QED())
		for i, got := range [8]float64{q.MW, q.LogP, q.HBA, q.HBD, q.PSA, q.RotB, q.Aromatic, q.Alerts} {
			near("property", got, g.Props[i], 1e-9)
		}
		near("QED", q.Score(), g.QED, 1e-12)
		s := must[chem.SATerms](t)(m.SA())
		total := 0
		for _, f := range s.Fragments {
			total += int(f.N)
		}
		if got := [7]int{s.Atoms, len(s.Fragments), total, s.Centres, s.Spiro, s.Bridgeheads, s.LargeRings}; got !=
			[7]int{g.Terms.Atoms, g.Terms.Distinct, g.Terms.Total, g.Terms.Chiral, g.Terms.Spiro, g.Terms.Bridgehead, g.Terms.LargeRings} {
			t.Errorf("%s: SA terms %v, want %+v", all[g.ID].SMILES, got, g.Terms)
		}
		near("SA", s.Score(), g.SA, 1e-9)
		near("logP", must[float64](t)(m.LogP()), g.LogP, 1e-9)
	}
	if len(doc.Properties) < 300 {
		t.Errorf("%d rows", len(doc.Properties))
	}
}

func TestMorgan(t *testing.T) {
	var bits struct {
		Bits []struct {
			ID int
			R3 []int32 `json:"r3_2048"`
			R2 []int32 `json:"r2_2048"`
			R1 []int32 `json:"r2_1024"`
		}
	}
	golden.Document(t, "chem/testdata/morgan.json.gz", &bits)
	all := molecules(t)
	for _, g := range bits.Bits {
		m := parsed(t, all[g.ID].SMILES)
		for _, c := range []struct {
			radius, bits int
			want         []int32
		}{{3, 2048, g.R3}, {2, 2048, g.R2}, {2, 1024, g.R1}} {
			if got := must[[]int32](t)(m.MorganBits(c.radius, c.bits)); !slices.Equal(got, c.want) {
				t.Errorf("%s: radius %d, %d bits: %v, want %v", all[g.ID].SMILES, c.radius, c.bits, got, c.want)
			}
		}
	}
	var counts struct {
		Counts []struct {
			ID     int
			Counts [][2]int64
		}
	}
	golden.Document(t, "chem/testdata/morgan_counts.json.gz", &counts)
	for _, g := range counts.Counts {
		var want []chem.Count
		for _, c := range g.Counts {
			want = append(want, chem.Count{ID: uint32(c[0]), N: int32(c[1])})
		}
		if got := must[[]chem.Count](t)(parsed(t, all[g.ID].SMILES).MorganCounts(2)); !slices.Equal(got, want) {
			t.Errorf("%s: counts %v, want %v", all[g.ID].SMILES, got, want)
		}
	}
	if len(bits.Bits) != len(all) || len(counts.Counts) != 120 {
		t.Errorf("%d and %d rows", len(bits.Bits), len(counts.Counts))
	}
}
