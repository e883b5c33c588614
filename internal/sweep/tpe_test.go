package sweep

import (
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// bowl is a known function of five settings. Its minimum is 0.
func bowl(v settings.Values) float64 {
	lr, drop := math.Log10(v["lr"].(float64))+2.7, v["dropout"].(float64)-0.15
	out := lr*lr + 10*drop*drop + math.Abs(float64(v["hidden"].(int))-160)/300
	if v["conv"] != "gin" {
		out += 0.5
	}
	return out + 0.2*math.Abs(float64(v["layers"].(int))-3)
}

// search returns the least value of a function that a sampler finds.
func search(s Space, sampler string, seed uint64, trials int, f func(settings.Values) float64) float64 {
	var past []observation
	least := math.Inf(1)
	for i := range trials {
		v := s.draw(sampler, seed, i, past)
		y := f(v)
		least = min(least, y)
		past = append(past, observation{at: s.point(v), score: -y, ended: true})
	}
	return least
}

// TPE comes much closer to the minimum of a known function than random search, and is better with
// nearly every seed.
func TestTPE(t *testing.T) {
	s := space(t, "lr=log:1e-5..1e-1", "dropout=0..0.9", "hidden=32..512:32", "conv=gcn,gin,gat,sage", "layers=1..6")
	const trials = 80
	seeds := 20
	if testing.Short() {
		seeds = 10
	}
	wins, tpe, random := 0, 0.0, 0.0
	for seed := range uint64(seeds) {
		a, b := search(s, SamplerTPE, seed, trials, bowl), search(s, SamplerRandom, seed, trials, bowl)
		if tpe, random = tpe+a/float64(seeds), random+b/float64(seeds); a < b {
			wins++
		}
	}
	t.Logf("least value on the mean: TPE %.4f, random %.4f; TPE ahead with %d of %d seeds", tpe, random, wins, seeds)
	if tpe > random/2 || wins < seeds*4/5 {
		t.Errorf("TPE comes to %.4f, random search to %.4f; ahead with %d of %d seeds", tpe, random, wins, seeds)
	}
}

// A density integrates to 1, for numbers, numbers with a step, and choices.
func TestParzen(t *testing.T) {
	s := space(t, "lr=log:1e-4..1e-2", "layers=1..6", "conv=gcn,gin,gat")
	r := rng.Stream(3, "parzen")
	var of []observation
	for i := range 40 {
		of = append(of, observation{at: s.point(s.draw(SamplerRandom, 9, i, nil))})
	}
	for n := range 41 {
		for i, d := range s {
			p := newParzen(d, i, of[:n])
			low, high := d.bounds()
			sum := 0.0
			switch {
			case d.Choices != nil:
				for k := range d.Choices {
					sum += math.Exp(p.log(float64(k)))
				}
			case d.Step > 0:
				for v := d.Low; v <= d.High; v += d.Step {
					sum += math.Exp(p.log(v))
				}
			default:
				const cells = 2000
				for k := range cells {
					sum += math.Exp(p.log(low+(high-low)*(float64(k)+0.5)/cells)) * (high - low) / cells
				}
			}
			if math.Abs(sum-1) > 1e-3 {
				t.Errorf("%s, %d trials: the density integrates to %v", d.Option, n, sum)
			}
			for range 20 {
				if v := p.draw(r); d.coordinate(v) < low || d.coordinate(v) > high {
					t.Errorf("%s: %v is drawn, beyond the range", d.Option, v)
				}
			}
		}
	}
}

// The best trials are first those that ended, then those that ran for the most epochs. The weights
// of trials rise to 1 with their number.
func TestDivide(t *testing.T) {
	past := []observation{{score: 9, epoch: 3}, {score: 1, ended: true}, {score: 5, epoch: 9}}
	for range 9 {
		past = append(past, observation{score: 8, epoch: 3})
	}
	best, others := divide(past)
	if len(best) != 2 || best[0].score != 1 || best[1].score != 5 || len(others) != 10 {
		t.Errorf("the best of %v are %v", past, best)
	}
	w := weights(30)
	if w[0] != 1.0/30 || w[4] != 1 || w[5] != 1 || w[29] != 1 || w[1] <= w[0] {
		t.Errorf("weights %v", w)
	}
}
