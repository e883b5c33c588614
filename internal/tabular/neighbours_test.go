package tabular_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/tabular"
)

// rings are items on several rings. The target of an item is the sum of the states of the items two steps before and
// one step after it, so that one hop is not enough. The columns of the rows have no information.
func rings(count, size int, label bool) (rows tabular.Rows, target []float32) {
	n := count * size
	r := rng.Stream(7, "rings", count)
	value, behind, ahead, self := make([]float32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range n {
		ring, at := i/size*size, i%size
		value[i] = float32(r.NormFloat64())
		self[i], behind[i], ahead[i] = int32(i), int32(ring+(at+size-1)%size), int32(ring+(at+1)%size)
	}
	for i := range n {
		target = append(target, value[behind[behind[i]]]+value[ahead[i]])
	}
	at := func(place []int32) tabular.List { return func(item int32) []int32 { return self[place[item]:][:1] } }
	around := &tabular.Neighbours{Item: self, Items: n, Width: 1, Lists: []tabular.List{at(behind), at(ahead)},
		State: func(to []float32, item int32) { to[0] = value[item] }}
	if label {
		around.Label = slices.Repeat([]float32{float32(math.NaN())}, n)
	}
	return tabular.Rows{Static: table(n, 1, "rings"), Around: around}, target
}

func ringData() tabular.Data {
	train, y := rings(200, 12, false)
	valid, vy := rings(50, 12, false)
	return tabular.Data{Static: train.Static, Targets: tabular.Targets{Numbers: y}, Valid: valid, ValidTargets: tabular.Targets{Numbers: vy},
		Around: func(int, int8) (*tabular.Neighbours, error) { return train.Around, nil }}
}

// ringError returns the error of predictions for the validation rows. Their targets have a deviation of 1.4.
func ringError(t *testing.T, d tabular.Data, c tabular.Config) float64 {
	t.Helper()
	m := train(t, d, c)
	out := predict(t, m, d.Valid)
	sum := 0.0
	for i, y := range d.ValidTargets.Numbers {
		sum += math.Abs(float64(out[i]-y)) / float64(len(out))
	}
	return sum
}

// A target that depends on items two hops away is learned with two hops and not with one.
func TestHops(t *testing.T) {
	c := tabular.Config{Loss: tabular.Absolute, MaxEpochs: 12, Units: 32}
	c.Hops = 1
	one := ringError(t, ringData(), c)
	c.Hops = 2
	two := ringError(t, ringData(), c)
	if one < 0.6 || two > 0.3 {
		t.Errorf("mean error %.3f with one hop and %.3f with two, expected more than 0.6 and less than 0.3", one, two)
	}
}

// A prediction does not depend on the number of threads or on the other rows in the call. An opened model gives the same predictions.
func TestNeighboursSameBits(t *testing.T) {
	d := ringData()
	c := tabular.Config{Loss: tabular.Absolute, MaxEpochs: 2, Units: 16, Threads: 1}
	m := train(t, d, c)
	want := predict(t, m, d.Valid)
	c.Threads = 3
	if got := predict(t, train(t, d, c), d.Valid); !slices.Equal(got, want) {
		t.Error("three threads give other predictions than one")
	}
	opened, err := tabular.Open(m.Spec(), m.Params())
	if err != nil {
		t.Fatal(err)
	}
	one := *d.Valid.Around
	for _, i := range []int32{0, 17, 599} {
		one.Item = []int32{i}
		out := make([]float32, 1)
		rows := tabular.Rows{Static: tabular.Block{X: d.Valid.Static.X, Cols: 1, IDs: []int32{i}}, Around: &one}
		if err := opened.Predict(context.Background(), rows, out); err != nil {
			t.Fatal(err)
		}
		if out[0] != want[i] {
			t.Errorf("row %d alone has %v, among others %v", i, out[0], want[i])
		}
	}
}

// Rows whose shape differs from that of the training rows are refused.
func TestNeighboursRefused(t *testing.T) {
	d := ringData()
	m := train(t, d, tabular.Config{Loss: tabular.Absolute, MaxEpochs: 1, Units: 8})
	labelled, _ := rings(50, 12, true)
	narrow := *d.Valid.Around
	narrow.Lists = narrow.Lists[:1]
	for name, around := range map[string]*tabular.Neighbours{"none": nil, "labels": labelled.Around, "one list": &narrow} {
		rows := d.Valid
		rows.Around = around
		if err := m.Predict(context.Background(), rows, make([]float32, rows.Len())); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	spec := m.Spec()
	messages := *spec.Messages
	messages.Hops = 0
	spec.Messages = &messages
	if _, err := tabular.Open(spec, m.Params()); err == nil {
		t.Error("no hops: no error")
	}
}

// Stored states change no prediction, for several calls in which the neighbours of a few items change.
func TestFirstStates(t *testing.T) {
	d := ringData()
	m := train(t, d, tabular.Config{Loss: tabular.Absolute, MaxEpochs: 1, Units: 16, Hops: 3})
	if m.FirstBytes(10) == 0 {
		t.Fatal("a network of three hops keeps no states")
	}
	base := *d.Valid.Around
	other := base // the state and the neighbours of item 5 change
	other.State = func(to []float32, item int32) {
		if base.State(to, item); item == 5 {
			to[0]++
		}
	}
	other.Lists = slices.Clone(base.Lists)
	other.Lists[0] = func(item int32) []int32 {
		if item == 5 {
			return []int32{7, 9}
		}
		return base.Lists[0](item)
	}
	first, changed := &tabular.FirstStates{}, func(item int32) bool { return item >= 4 && item <= 6 }
	for turn, around := range []tabular.Neighbours{base, other, other, base} {
		for _, items := range [][]int32{{5, 2}, {1, 5, 8, 40}, {3}, {5}, {7, 4}} {
			predict := func(n tabular.Neighbours) []float32 {
				n.Item = items
				out := make([]float32, len(items))
				rows := tabular.Rows{Static: tabular.Block{X: d.Valid.Static.X, Cols: 1, IDs: items}, Around: &n}
				if err := m.Predict(context.Background(), rows, out); err != nil {
					t.Fatal(err)
				}
				return out
			}
			want := predict(around)
			kept := around
			kept.First, kept.Changed = first, changed
			if got := predict(kept); !slices.Equal(got, want) {
				t.Errorf("turn %d, items %v: %v with states that are kept, %v without", turn, items, got, want)
			}
		}
	}
}
