package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/nn"
)

// A Flat of a program's own choice is the registered model of the same layers, to the bit,
// and a layer or readout that does not exist is an error.
func TestNewFlat(t *testing.T) {
	d := Dims{Node: 4, Edge: 2, Out: 3}
	c := FlatConfig{Stack: Stack{Hidden: 8, Layers: 2}, Conv: "gine", Readout: "sum"}
	m, err := NewFlat(nn.NewInit(5), d, c)
	if err != nil {
		t.Fatal(err)
	}
	config := must(Find("gine")).Config()
	config.Dims, config.Seed = d, 5
	config.Default("hidden", c.Hidden)
	config.Default("layers", c.Layers)
	registered := must(must(Find("gine")).New(config))
	if len(m.Params()) == 0 || len(m.Params()) != len(registered.Params()) {
		t.Fatalf("%d parameters, the registered model has %d", len(m.Params()), len(registered.Params()))
	}
	for i, w := range registered.Params() {
		if own := m.Params()[i]; own.Name != w.Name || !slices.Equal(own.Value.Data(), w.Value.Data()) {
			t.Errorf("parameter %s differs from %s of the registered model", own.Name, w.Name)
		}
	}
	for want, change := range map[string]func(*FlatConfig){
		"sums": func(c *FlatConfig) { c.Readout = "sums" },
		"gini": func(c *FlatConfig) { c.Conv = "gini" },
	} {
		bad := c
		change(&bad)
		if _, err := NewFlat(nn.NewInit(5), d, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}
