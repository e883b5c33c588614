package model

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// sized is a config of a registered model with small sizes.
func sized(s Spec) Config {
	c := s.Config()
	c.Node, c.Edge, c.Out = 3, 2, 2
	c.Default("hidden", 8)
	c.Default("layers", 2)
	c.Default("ratio", 0.5)
	c.Default("clusters", 2)
	c.Default("node-clusters", 2)
	c.Default("sort-k", 10)
	return c
}

// No setting of any model, however large, takes memory or time before it is refused.
func TestNewRefusesLargeSizes(t *testing.T) {
	const free, bound = 64 << 20, 8 << 20
	for _, s := range networks() {
		for _, encode := range []bool{false, true} {
			small := sized(s)
			small.Encode = encode
			if _, err := s.New(small); err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
			for name := range small.sizes() {
				for _, v := range []int{1e8, math.MaxInt32, math.MaxInt} {
					c := sized(s)
					c.Encode = encode
					switch name {
					case "node_dim":
						c.Node = v
					case "edge_dim":
						c.Edge = v
					case "out":
						c.Out = v
					default:
						for _, at := range c.At(name) {
							*at.(*int) = v
						}
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					err := s.fits(c, free, 1000, 1)
					runtime.ReadMemStats(&after)
					if took := after.TotalAlloc - before.TotalAlloc; took > bound {
						t.Errorf("%s with %s %d takes %d MiB", s.Name, name, v, took>>20)
					}
					// What does not decide the size of a parameter may be as large as it likes,
					// as the width of features that a model does not read.
					if v > math.MaxInt32 && err == nil {
						t.Errorf("%s with %s %d is accepted", s.Name, name, v)
					}
					if err != nil && !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "heads") {
						t.Errorf("%s with %s %d: %v; expected the setting to be named", s.Name, name, v, err)
					}
				}
			}
		}
	}
}

// The bound on tensors holds in New, too, and takes little.
func TestNewRefusesManyLayers(t *testing.T) {
	c := sized(must(Find("hyperdrop")))
	*c.At("layers")[0].(*int) = 1e8
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := must(Find("hyperdrop")).New(c)
	runtime.ReadMemStats(&after)
	const want = "model: hyperdrop with hidden 8, layers 100000000, node_dim 3, edge_dim 2, out 2: there are more than 131072 tensors of parameters"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
		t.Errorf("%d MiB", took>>20)
	}
}

// An outline has the names and shapes of the model.
func TestOutline(t *testing.T) {
	for _, s := range networks() {
		for _, members := range []int{1, 2} {
			c := sized(s)
			c.Encode = members > 1
			if !s.paired { // which has no members
				c.Members = members
			}
			m, err := s.New(c)
			if err != nil {
				t.Fatal(err)
			}
			want := m.Params()
			outline, err := s.Outline(c)
			if err != nil {
				t.Errorf("%s: %v", s.Name, err)
				continue
			}
			for i, p := range outline.Params() {
				if p.Name != want[i].Name || !slices.Equal(p.Value.Shape(), want[i].Value.Shape()) || p.Value.Size() != 0 || p.Buffer != want[i].Buffer {
					t.Errorf("%s: parameter %d of the outline is %s %v, want %s %v", s.Name, i, p.Name, p.Value.Shape(), want[i].Name, want[i].Value.Shape())
				}
			}
		}
	}
}
