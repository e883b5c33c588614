package surrogate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/par"
)

// The reference is Python with SciPy's Cholesky in float64 (testdata/README.md).
func TestReference(t *testing.T) {
	text, err := os.ReadFile("testdata/surrogate.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Train []struct {
			Bits Bits
			Y    []float64
		}
		Test []struct {
			Bits     Bits
			Mean, SD []float64
		}
		Amplitude []float64
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	columns := make([][]float64, 3)
	var train, test []Molecule
	for _, m := range doc.Train {
		train = append(train, Molecule{Bits: m.Bits})
		for c, y := range m.Y {
			columns[c] = append(columns[c], y)
		}
	}
	for _, m := range doc.Test {
		test = append(test, Molecule{Bits: m.Bits})
	}
	m, err := Fit(1, train, columns, Kernel{Noise: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 2e-6*max(1, math.Abs(want)) {
			t.Errorf("%s is %v, expected %v", what, got, want)
		}
	}
	p := m.Predict(test)
	for c := range columns {
		near("amplitude", m.amplitude[c], doc.Amplitude[c])
		for i, want := range doc.Test {
			near("mean", p.Mean[c][i], want.Mean[c])
			near("deviation", p.Deviation(c, i), want.SD[c])
		}
	}
	if len(test) == 0 {
		t.Error("no molecules to predict")
	}
}

// random returns molecules of a few families, so that similarities are far from 0, and their
// scores.
func random(n int) ([]Molecule, [][]float64) {
	r := rand.New(rand.NewPCG(1, 2))
	var out []Molecule
	columns := make([][]float64, 2)
	for i := range n {
		set := map[uint16]bool{}
		for range 60 {
			set[uint16(r.IntN(80)+50*(i%9))] = true
		}
		var b Bits
		for v := range set {
			b = append(b, v)
		}
		slices.Sort(b)
		out = append(out, Molecule{Bits: b, Composition: chem.Composition{float32(len(b)), 5, float32(r.IntN(4))}})
		columns[0] = append(columns[0], float64(i%9)+0.1*r.NormFloat64())
		columns[1] = append(columns[1], 3) // constant
	}
	return out, columns
}

// alike returns the kernel of two molecules, computed directly.
func alike(m *Model, a, b Molecule) float64 {
	d := 0.0
	for c := range a.Composition {
		e := float64((a.Composition[c] - b.Composition[c]) * m.scaling.inverse[c])
		d += e * e / float64(len(a.Composition)) / (length * length)
	}
	return (1-m.Kernel.Share)*Similarity(a.Bits, b.Bits) + m.Kernel.Share*math.Exp(-d/2)
}

// Factorising more molecules than fit in a block gives the same result as a direct computation, for
// any number of threads.
func TestBlocks(t *testing.T) {
	for i, n := range []int{1, 2, 63, 64, 65, 200} {
		all, columns := random(n + 30)
		for c := range columns {
			columns[c] = columns[c][:n]
		}
		kernel := Kernel{1e-3, shares[i%len(shares)]}
		m, err := Fit(1, all[:n], columns, kernel)
		if err != nil {
			t.Fatal(err)
		}
		if m.Kernel != kernel {
			t.Errorf("the kernel is %+v, expected %+v", m.Kernel, kernel)
		}
		for c, y := range columns {
			for i := range n { // (K + r·I)·weights = y
				s := 0.0
				for j := range n {
					k := alike(m, all[i], all[j])
					if i == j {
						k += kernel.Noise + jitter
					}
					s += k * m.weights[c][j]
				}
				if want := (y[i] - m.mean[c]) / m.scale[c]; math.Abs(s-want) > 1e-5 {
					t.Fatalf("%d molecules: row %d gives %v, expected %v", n, i, s, want)
				}
			}
		}
		one := m.Predict(all[n:])
		if one.Deviation(1, 0) > 1e-6 || math.Abs(one.Mean[1][0]-3) > 1e-6 {
			t.Errorf("%d molecules: a constant column becomes %v ± %v", n, one.Mean[1][0], one.Deviation(1, 0))
		}
		// The deviation computed by solving for each molecule alone.
		for j, b := range all[n:] {
			k := make([]float64, n)
			for i := range n {
				k[i] = alike(m, all[i], b)
			}
			x := slices.Clone(k)
			m.factor.solve(x)
			left := 1 + kernel.Noise
			for i := range k {
				left -= k[i] * x[i]
			}
			if want := m.scale[0] * math.Sqrt(m.amplitude[0]*left); math.Abs(one.Deviation(0, j)-want) > 1e-3*want {
				t.Errorf("%d molecules: deviation %v, expected %v", n, one.Deviation(0, j), want)
			}
		}
		again, err := Fit(3, all[:n], columns, kernel)
		if err != nil {
			t.Fatal(err)
		}
		if two := again.Predict(all[n:]); !slices.Equal(one.Mean[0], two.Mean[0]) || !slices.Equal(one.explained, two.explained) {
			t.Errorf("%d molecules: three threads give other bits than one", n)
		}
	}
}

// The constants are chosen by the likelihood: exact scores of close molecules need little noise,
// and for a score that is a number of atoms the share of the compositions is large.
func TestKernel(t *testing.T) {
	all, columns := random(150)
	r := rand.New(rand.NewPCG(5, 5))
	smooth, rough, size := make([]float64, 150), make([]float64, 150), make([]float64, 150)
	for i := range all {
		smooth[i] = Similarity(all[i].Bits, all[0].Bits) + Similarity(all[i].Bits, all[1].Bits)
		rough[i] = r.NormFloat64()
		size[i] = math.Sin(float64(all[i].Composition[2]))
	}
	for _, c := range []struct {
		name          string
		y             []float64
		noise         float64
		byComposition bool
	}{{"smooth", smooth, 1e-3, false}, {"rough", rough, 1e-1, false}, {"by size", size, 1e-3, true}} {
		m, err := Fit(0, all, [][]float64{c.y}, Kernel{})
		if err != nil || m.Kernel.Noise != c.noise || c.name != "rough" && (m.Kernel.Share > 0) != c.byComposition {
			t.Errorf("%s: %+v, %v, expected a noise of %v", c.name, m.Kernel, err, c.noise)
		}
	}
	if _, err := Fit(0, nil, columns, Kernel{}); err == nil {
		t.Error("a process of no molecules")
	}
	if _, err := Fit(0, all[:3], columns, Kernel{}); err == nil {
		t.Error("more scores than molecules")
	}
	columns[0][4] = math.NaN()
	if _, err := Fit(0, all, columns, Kernel{}); err == nil {
		t.Error("a score that is no number")
	}
}

func TestBits(t *testing.T) {
	got := NewBits([]chem.Count{{ID: 3, N: 2}, {ID: 1027, N: 3}, {ID: 5, N: 1}, {ID: 1 << 31, N: 9}})
	if want := (Bits{0, 1, 2, 3, 12, 13, 14, 20}); !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
	if s := Similarity(Bits{1, 2, 3}, Bits{2, 3, 9}); math.Abs(s-0.5) > 1e-9 {
		t.Errorf("similarity %v, expected 0.5", s)
	}
	all, _ := random(70)
	bits := bitsOf(all)
	p := pack(bits[:40], bits[40:])
	for i := range bits {
		for j := range bits {
			if got, want := p.similarity(i, j), float32(Similarity(bits[i], bits[j])); got != want {
				t.Fatalf("packed similarity %v, expected %v", got, want)
			}
		}
	}
}

func BenchmarkRound(b *testing.B) {
	all, columns := random(1500)
	for c := range columns {
		columns[c] = columns[c][:1000]
	}
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			if _, err := Fit(1, all[:1000], columns, Kernel{1e-2, 0.3}); err != nil {
				b.Fatal(err)
			}
		}
	})
	m, err := Fit(1, all[:1000], columns, Kernel{1e-2, 0.3})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("predict", func(b *testing.B) {
		for b.Loop() {
			m.Predict(all[1000:])
		}
	})
	c := m.scaling.apply(all[:1000])
	p := pack(bitsOf(all[:1000]))
	k := p.symmetric(par.New(1), 1000)
	b.Run("kernel", func(b *testing.B) {
		for b.Loop() {
			p.symmetric(par.New(1), 1000)
		}
	})
	b.Run("mix", func(b *testing.B) {
		for b.Loop() {
			mix(par.New(1), k, 0.3, c, c)
		}
	})
	b.Run("factorise", func(b *testing.B) {
		for b.Loop() {
			factorise(par.New(1), k, 1000, 0.01)
		}
	})
}
