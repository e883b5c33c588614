package boost_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/ehgnn/ehgnn/internal/boost"
)

const (
	peerRows, peerColumns, peerLevels = 3000, 8, 12
)

// uniforms returns a function that returns numbers in [0,1) with 24 bits, by SplitMix64, as
// testdata/peer.py does.
func uniforms(state uint64) func() float64 {
	return func() float64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return float64((z^z>>31)>>40) / (1 << 24)
	}
}

// peerTable is the table of testdata/peer.py.
func peerTable(seed uint64) (*boost.Matrix, []float64) {
	u := uniforms(seed)
	x := &boost.Matrix{Columns: peerColumns, Categorical: make([]bool, peerColumns)}
	x.Categorical[peerColumns-1] = true
	signal := make([]float64, peerRows)
	for i := range signal {
		row := make([]float32, peerColumns)
		var v [peerColumns - 1]float64
		for c := range v {
			v[c] = u()
		}
		level := int(u() * peerLevels)
		s := 4*(v[0]-.5)*(v[1]-.5) + v[2]*v[2] - v[3] + float64(level*5%peerLevels)/peerLevels
		noise := u() + u() + u() - 1.5
		for c := range v {
			if row[c] = float32(v[c]); u() < .1 {
				row[c] = float32(math.NaN())
			}
		}
		row[peerColumns-1] = float32(level)
		signal[i] = s + .5*noise
		x.Blocks = append(x.Blocks, row)
	}
	return x, signal
}

func peerLabels(signal []float64, o boost.Objective) []float32 {
	y := make([]float32, len(signal))
	for i, s := range signal {
		switch {
		case o == boost.LogLoss && s > .5, o == boost.Softmax && s > .2 && s <= .8:
			y[i] = 1
		case o == boost.Softmax && s > .8:
			y[i] = 2
		case o > boost.Softmax:
			y[i] = float32(s)
		}
	}
	return y
}

// The held-out loss is at most 1 % above LightGBM's with the same settings.
func TestLightGBM(t *testing.T) {
	text, err := os.ReadFile("testdata/peer.json")
	if err != nil {
		t.Fatal(err)
	}
	var peer struct{ Losses map[string]float64 }
	if err := json.Unmarshal(text, &peer); err != nil {
		t.Fatal(err)
	}
	x, signal := peerTable(1)
	held, heldSignal := peerTable(2)
	seeds := 3 // rounding decides between splits with about the same gain
	if testing.Short() {
		seeds = 1
	}
	for name, o := range map[string]boost.Objective{
		"binary": boost.LogLoss, "multiclass": boost.Softmax, "regression": boost.Squared,
		"regression_l1": boost.Absolute, "huber": boost.Huber, "quantile": boost.Quantile,
	} {
		t.Run(name, func(t *testing.T) {
			loss := 0.0
			for seed := range uint64(seeds) {
				c := boost.Config{Objective: o, Classes: 3, Delta: .2, Level: .8, Rounds: 100, Patience: 1000, Seed: seed}
				c.OnRound = func(round int, l float64) {
					if round == c.Rounds {
						loss += l / float64(seeds)
					}
				}
				train(t, x, peerLabels(signal, o), nil, &boost.Eval{X: held, Y: peerLabels(heldSignal, o)}, c)
			}
			want := peer.Losses[name]
			t.Logf("held-out loss %.5f, LightGBM's %.5f", loss, want)
			if !(loss < 1.01*want) {
				t.Errorf("held-out loss %.5f, expected at most %.5f", loss, 1.01*want)
			}
		})
	}
}
