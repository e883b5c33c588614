package molgan

import (
	"context"
	"math/bits"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Metrics are the metrics of drawn molecules. Shares are in percent. A share of nothing is 0.
type Metrics struct {
	Samples        int     `json:"samples"`
	Valid          float64 `json:"valid"`
	ValidReference float64 `json:"valid_reference"` // valid if pads and several parts are allowed; see the package
	Unique         float64 `json:"unique"`          // distinct SMILES among the valid molecules
	Novel          float64 `json:"novel"`           // valid molecules whose SMILES is not in the training part
	QED            Means   `json:"qed"`
	SA             Means   `json:"sa"`
	// Diversity is the mean Tanimoto distance of a valid molecule to 100 of the training part
	// (Morgan, radius 4, 2048 bits), as clip((d - 0.9)/0.045, 0, 1).
	Diversity float64 `json:"diversity"`
	// Dead is the percentage of bonds of training molecules whose vector in the discriminator's
	// EHGNN is all zero; 0 without EHGNN.
	Dead float64 `json:"dead"`
}

// Means are three means of a score.
type Means struct {
	Valid   float64 `json:"valid"`   // over valid molecules
	All     float64 `json:"all"`     // over all molecules, with 0 for invalid ones
	NonZero float64 `json:"nonzero"` // over scores other than 0, as in the code of MolGAN
}

// meter computes the metrics of generators against a training part.
type meter struct {
	judge *Judge
	known map[string]bool // SMILES of the training part
	near  []fingerprint   // fingerprints of some of its molecules
}

// Settings of the diversity.
const (
	compared     = 100 // number of training molecules that are compared
	morganRadius = 4
	morganBits   = 2048
)

// fingerprint is a bit set.
type fingerprint [morganBits / 64]uint64

func newFingerprint(m chem.Molecule) (f fingerprint, err error) {
	on, err := m.MorganBits(morganRadius, morganBits)
	for _, b := range on {
		f[b/64] |= 1 << (b % 64)
	}
	return f, err
}

// newMeter draws the training molecules for diversity and returns a meter.
func newMeter(ctx context.Context, j *Judge, d *Data, train []int32, seed uint64) (*meter, error) {
	m := &meter{judge: j, known: map[string]bool{}}
	var valid []int32
	for _, i := range train {
		if s := d.SMILES[i]; s != "" {
			m.known[s] = true
			valid = append(valid, i)
		}
	}
	of := lists.Map(rng.Stream(seed, "molgan", "diversity").Perm(len(valid))[:min(compared, len(valid))], func(k int) Molecule { return d.Molecules[valid[k]] })
	var err error
	m.near, err = par.Map(ctx, j.Threads, of, func(g Molecule) (f fingerprint) {
		j.with(g, func(of chem.Molecule, _ string) { f, _ = newFingerprint(of) })
		return f
	})
	return m, err
}

// sampled has the results for one drawn molecule.
type sampled struct {
	Score
	reference bool
	diversity float64
}

// measure returns the metrics of molecules. The toolkit reads equal graphs once.
func (m *meter) measure(ctx context.Context, ms []Molecule) (Metrics, error) {
	at := map[string]int{}
	var distinct []Molecule
	index := make([]int, len(ms))
	for i, g := range ms {
		key := string(g.Atoms) + string(g.Bonds)
		k, seen := at[key]
		if !seen {
			k = len(distinct)
			at[key], distinct = k, append(distinct, g)
		}
		index[i] = k
	}
	results, err := par.Map(ctx, m.judge.Threads, distinct, m.sample)
	if err != nil {
		return Metrics{}, err
	}
	out := Metrics{Samples: len(ms)}
	unique := map[string]bool{}
	var valid, novel, reference int
	var qed, sa mean
	for _, k := range index {
		r := results[k]
		if r.reference {
			reference++
		}
		if !r.Valid() {
			continue
		}
		valid++
		unique[r.SMILES] = true
		if !m.known[r.SMILES] {
			novel++
		}
		qed.add(r.QED)
		sa.add(r.SA)
		out.Diversity += r.diversity
	}
	out.Valid, out.ValidReference = percent(valid, len(ms)), percent(reference, len(ms))
	out.Unique, out.Novel = percent(len(unique), valid), percent(novel, valid)
	out.Diversity /= float64(max(valid, 1))
	out.QED, out.SA = qed.means(valid, len(ms)), sa.means(valid, len(ms))
	return out, nil
}

// sample returns the results for one graph.
func (m *meter) sample(g Molecule) (r sampled) {
	m.judge.with(g, func(of chem.Molecule, smiles string) {
		r.Score = scored(of, smiles)
		if f, err := newFingerprint(of); err == nil {
			r.diversity = m.diversity(f)
		}
	})
	r.reference = r.Valid() || m.judge.validReference(g)
	return r
}

// diversity returns the diversity of a fingerprint, or 0 without training molecules.
func (m *meter) diversity(f fingerprint) float64 {
	sum := 0.0
	for _, g := range m.near {
		both, either := 0, 0
		for i, word := range f {
			both += bits.OnesCount64(word & g[i])
			either += bits.OnesCount64(word | g[i])
		}
		sum += 1 - float64(both)/float64(max(either, 1))
	}
	return max(0, min((sum/float64(max(len(m.near), 1))-0.9)/0.045, 1))
}

// mean is a sum of scores and their number.
type mean struct {
	sum     float64
	nonzero int
}

func (m *mean) add(v float64) {
	if m.sum += v; v != 0 {
		m.nonzero++
	}
}

func (m *mean) means(valid, all int) Means {
	over := func(n int) float64 { return m.sum / float64(max(n, 1)) }
	return Means{Valid: over(valid), All: over(all), NonZero: over(m.nonzero)}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
