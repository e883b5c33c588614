package model

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/inittest"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// Layers add nothing at the start: a model with some predicts what the same without any does.
func TestRolesStartWithoutLayers(t *testing.T) {
	s := form{Spec: must(Find("ehgnn-roles"))}
	b := batchOf(s, generic(rng.Stream(1, "roles"), 12, 8))
	c := validOf(s)
	layers := func(n int) *RoleStack { return must(s.New(with(c, "layers", n))).(*RoleStack) }
	deep, flat := layers(3), layers(0)
	want := flat.Forward(pass(t, false), b).Edge.Data()
	near(t, "three layers", deep.Forward(pass(t, false), b).Edge.Data(), want, 1e-3)
	if y := inittest.Weights(deep).Forward(pass(t, false), b).Edge.Data(); close(y, want, 1e-3) {
		t.Error("layers that were trained add nothing either")
	}
}
