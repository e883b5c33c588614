package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/tensor"
)

// An ensemble averages what its members say, the first of which is the model
// without that option, and each of which begins differently.
func TestEnsemble(t *testing.T) {
	g := generic(rng.Stream(4, "ensemble"), 9, 5)
	for _, name := range []string{"hyperdrop", "hypercluster", "diffpool", "deep-gcn"} {
		spec := must(Find(name))
		b := batchOf(form{Spec: spec}, g, g)
		c := validOf(form{Spec: spec})
		alone := must(spec.New(c))
		c.Members = 3
		m := must(spec.New(c)).(*Ensemble)

		names := map[string]bool{}
		for _, p := range m.Params() {
			names[p.Name] = true
		}
		if len(m.Members) != 3 || len(names) != 3*len(alone.Params()) {
			t.Errorf("%s: %d members with %d names of parameters, want 3 times %d", name, len(m.Members), len(names), len(alone.Params()))
		}
		differ := false
		for i, p := range alone.Params() {
			first, second := m.Members[0].Params()[i], m.Members[1].Params()[i]
			if first.Name != "members.0."+p.Name || !slices.Equal(first.Value.Data(), p.Value.Data()) {
				t.Errorf("%s: parameter %s of the first member is not that of the model alone", name, first.Name)
			}
			differ = differ || !slices.Equal(first.Value.Data(), second.Value.Data())
		}
		if !differ {
			t.Errorf("%s: the first two members begin alike", name)
		}

		p := pass(t, false)
		got := m.Forward(p, b)
		predictions := func(o *Output) []*tensor.Tensor { return []*tensor.Tensor{o.Graph, o.Node, o.Edge, o.Aux} }
		for i, y := range predictions(got) {
			var want *tensor.Tensor
			for _, one := range m.Members {
				if x := predictions(one.Forward(p, b))[i]; x != nil && want == nil {
					want = x
				} else if x != nil {
					want = want.Add(x)
				}
			}
			if (y == nil) != (want == nil) {
				t.Errorf("%s: output %d is there: %v", name, i, y != nil)
			} else if y != nil {
				near(t, name, y.Data(), want.MulScalar(1./3).Data(), 1e-6)
			}
		}
		if first := m.Members[0].Forward(p, b); len(got.Drops) != len(first.Drops) || len(got.EdgeVecs) != len(first.EdgeVecs) {
			t.Errorf("%s: vectors and drops are not those of the first member", name)
		}

		c.Members = -1
		if _, err := spec.New(c); err == nil || !strings.HasPrefix(err.Error(), "model: "+name+": members") {
			t.Errorf("%s: -1 members: %v", name, err)
		}
		c.Members = 2
		put(&c, "hidden", 0)
		if _, err := spec.New(c); err == nil || !strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: members of no width: %v", name, err)
		}
	}
}

// A model of different parts predicts the mean of what they do alone.
func TestEnsembleOfParts(t *testing.T) {
	b := batchOf(form{}, generic(rng.Stream(5, "parts"), 9, 5))
	for _, s := range registry {
		if s.parts == nil || s.paired {
			continue
		}
		c := validOf(form{Spec: s})
		m := must(s.New(c))
		p := pass(t, false)
		var want *tensor.Tensor
		for k, name := range s.parts {
			alone := c
			alone.Parts = c.Parts[k : k+1]
			y := must(must(Find(name)).New(alone)).Forward(p, b).Graph.MulScalar(1 / float32(len(s.parts)))
			if want != nil {
				y = want.Add(y)
			}
			want = y
		}
		near(t, s.Name, m.Forward(p, b).Graph.Data(), want.Data(), 1e-6)
		c.Members = 2
		twice := must(s.New(c)).(*Ensemble).Members
		if len(twice) != 2*len(s.parts) {
			t.Fatalf("%s: %d members of 2 times %d parts", s.Name, len(twice), len(s.parts))
		}
		for k, one := range m.(*Ensemble).Members {
			near(t, "first weights", twice[k].Params()[0].Value.Data(), one.Params()[0].Value.Data(), 0)
		}
	}
}
