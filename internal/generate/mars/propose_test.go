package mars

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/rng"
)

func TestChoose(t *testing.T) {
	p := newProposer(nil, 1, 1)
	for _, c := range []struct {
		weights []float64
		u       float64
		want    int32
	}{{[]float64{1, 1, 2}, 0.24, 0}, {[]float64{1, 1, 2}, 0.26, 1}, {[]float64{1, 1, 2}, 0.99, 2}, {[]float64{0, 3, 0}, 0, 1}, {[]float64{0, 3, 0}, 1 - 1e-17, 1}, {[]float64{5}, 0.5, 0}} {
		if got := p.choose(c.weights, c.u); got != c.want {
			t.Errorf("%v at %v: %d, expected %d", c.weights, c.u, got, c.want)
		}
	}
	if p.uniform.Load() != 0 {
		t.Errorf("%d draws counted", p.uniform.Load())
	}
	for i, weights := range [][]float64{{0, 0, 0, 0}, {1, math.NaN(), 1, 1}, {1, math.Inf(1), 1, 1}} {
		if got := p.choose(weights, 0.6); got != 2 || p.uniform.Load() != int64(i+1) {
			t.Errorf("%v: %d, counted %d", weights, got, p.uniform.Load())
		}
	}
}

// The edits are the same for any number of threads, with and without a network, and each names an
// atom or edge of its molecule.
func TestPropose(t *testing.T) {
	of := append(sketches(8, 200), newMolecule("C", &chem.Structure{Atoms: []chem.Atom{{Number: 6}}}))
	r := rng.Stream(2, "draws")
	draw := make([]draws, len(of))
	for i := range draw {
		draw[i] = draws{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
	}
	draw[len(of)-1].act = 0 // there is no bond to cut
	for _, n := range []*Network{nil, network(t, EdgesMLP, 30), network(t, EdgesEHGNN, 30)} {
		var first []edit
		for _, threads := range []int{1, 4} {
			got := make([]edit, len(of))
			var mu sync.Mutex
			seen := 0
			p := newProposer(n, 30, threads)
			told := 0
			wait := p.propose(t.Context(), of, draw, func(i int, e edit) {
				mu.Lock()
				defer mu.Unlock()
				got[i] = e
				seen++
			}, func(ids []int32) error {
				mu.Lock()
				defer mu.Unlock()
				if told += len(ids); seen < told {
					t.Errorf("told of %d edits of %d", told, seen)
				}
				return nil
			})
			if err := wait(); err != nil || seen != len(of) || told != seen {
				t.Fatalf("%d edits, told of %d, %v", seen, told, err)
			}
			adds := 0
			for i, e := range got {
				limit := 2 * len(of[i].bonds)
				if e.add {
					adds++
					limit = len(of[i].atoms)
				}
				if int(e.at) >= limit || e.at < 0 || e.arm < 0 || e.arm >= 30 || len(of[i].bonds) == 0 && !e.add {
					t.Errorf("molecule %d of %d atoms: %+v", i, len(of[i].atoms), e)
				}
				if first != nil && e != first[i] {
					t.Errorf("molecule %d: %+v with %d threads, %+v with one", i, e, threads, first[i])
				}
			}
			if adds < len(of)/3 || adds > 2*len(of)/3 {
				t.Errorf("%d of %d edits add", adds, len(of))
			}
			first = got
		}
	}
}

// Work on a block goes on while later blocks are drawn, in order. An error of this work, or the end
// of the context, ends it.
func TestProposeMeanwhile(t *testing.T) {
	of := sketches(8, 5*block)
	draw := slices.Repeat([]draws{{act: 0.9}}, len(of)) // only additions
	for _, threads := range []int{1, 3} {
		p := newProposer(nil, 30, threads)
		begun := make(chan struct{})
		var order []int32
		wait := p.propose(t.Context(), of, draw, func(i int, e edit) {
			if i < 4*block {
				return
			}
			select { // the last block is drawn after the first was passed on
			case <-begun:
			case <-time.After(time.Minute):
				t.Error("the first block waits for the last one")
			}
		}, func(ids []int32) error {
			if order = append(order, ids[0]); len(order) == 1 {
				close(begun)
			}
			return nil
		})
		if err := wait(); err != nil || !slices.Equal(order, []int32{0, block, 2 * block, 3 * block, 4 * block}) {
			t.Errorf("%d threads: blocks at %v, %v", threads, order, err)
		}
		broken, calls := errors.New("broken"), 0
		wait = p.propose(t.Context(), of, draw, func(int, edit) {}, func([]int32) error {
			calls++
			return broken
		})
		if err := wait(); err != broken || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if err := p.propose(ended, of, draw, func(int, edit) {}, func([]int32) error { return nil })(); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that has ended: %v", err)
		}
	}
}

// Draws have the frequencies of the softmax.
func TestProposeFrequencies(t *testing.T) {
	m := sketch(rng.Stream(1, "one"), 5)
	n := network(t, EdgesEHGNN, 4)
	const times = 4000
	of, draw := make([]*Molecule, times), make([]draws, times)
	r := rng.Stream(3, "draws")
	for i := range of {
		of[i], draw[i] = m, draws{act: 0.1, edge: r.Float64()}
	}
	count := make([]float64, 2*len(m.bonds))
	var mu sync.Mutex
	wait := newProposer(n, 4, 2).propose(t.Context(), of, draw, func(_ int, e edit) {
		mu.Lock()
		defer mu.Unlock()
		count[e.at]++
	}, func([]int32) error { return nil })
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	s := slow{t, m}
	h, rep := s.encode(n.deleteEncoder), s.edges(n.edges)
	weights, sum := make([]float64, len(count)), 0.0
	for d := range weights {
		u, v := m.directed(d)
		x := append(append(append([]float64{}, h[u]...), h[v]...), rep[d/2]...)
		for i, l := range append(n.delete.rest.Layers[:0:0], n.delete.rest.Layers...) {
			if i == 0 {
				x = relu(affine(n.delete.first, x))
			}
			x = affine(l, x)
			if i == 0 {
				x = relu(x)
			}
		}
		weights[d] = math.Exp(x[1]) / (math.Exp(x[0]) + math.Exp(x[1]))
		sum += weights[d]
	}
	for d, w := range weights {
		want := w / sum
		if got := count[d] / times; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/times) {
			t.Errorf("edge %d is drawn with %v, expected %v", d, got, want)
		}
	}
}
