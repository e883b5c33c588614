package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/nearest"
	"github.com/ehgnn/ehgnn/nn"
)

// Spec describes a registered model.
type Spec struct {
	Name  string
	Title string // one line
	Paper string
	// Tasks lists the tasks the model has predictions for.
	Tasks []string
	// Edges says that the model reads edge features.
	Edges bool
	// EdgesOnly says that it reads no node features.
	EdgesOnly bool
	// EdgeClusters says that its clusters are of edges; those of other models are of nodes.
	EdgeClusters bool
	// PaperHeads says that the authors of GMT chose its attention heads and layer norm
	// for each data set.
	PaperHeads bool
	// Cost is how many times as much memory a row of a layer takes as in other models; 0 for 1.
	Cost float64
	// Fitted says that package internal/auto fits it, and not steps of gradients.
	Fitted bool
	// Form gives a graph the form that the model wants; nil where any will do.
	Form func(g *graph.Graph) (*graph.Graph, error)

	grows  func(c *Config, g GraphSize) Load // memory or time that grows faster than the graph; nil for none
	config func() any                        // a new typed config with the model's defaults
	build  func(in nn.Init, d Dims, part any) (Model, error)
	parts  []string // the registered models of a committee or a Pair, which have no config and build of their own
	paired bool     // the parts are those of a Pair
}

// of completes the row of a model: config holds its defaults, build is its constructor.
func of[C any, M Model](s Spec, config C, build func(in nn.Init, d Dims, c C) (M, error)) Spec {
	s.config = func() any {
		c := config
		return &c
	}
	s.build = func(in nn.Init, d Dims, part any) (Model, error) {
		c, ok := part.(*C)
		if !ok {
			return nil, fmt.Errorf("model: %s: the config is a %T, expected %T", s.Name, part, c)
		}
		return asModel(build(in, d, *c))
	}
	return s
}

// models are the rows that a model is made of: itself, or those of a committee or Pair.
func (s Spec) models() []Spec {
	if s.parts == nil {
		return []Spec{s}
	}
	return lists.Map(s.parts, func(name string) Spec {
		return registry[slices.IndexFunc(registry, func(r Spec) bool { return r.Name == name })]
	})
}

// Config returns the model's own defaults; widths, seed and what has none are zero.
func (s Spec) Config() Config {
	return Config{Parts: lists.Map(s.models(), func(one Spec) any { return one.config() })}
}

// Options lists the settings of the model's parts that it reads by default, such as
// "edge-hidden", in the order of its config. Every model has encode and members, too;
// what is read depends on other settings for some: ask Config.Reads.
func (s Spec) Options() []string {
	c := s.Config()
	var out []string
	for _, f := range c.fields() {
		option := strings.ReplaceAll(f.name, "_", "-")
		if f.name != "encode" && f.name != "members" && c.Reads(f.name) && !slices.Contains(out, option) {
			out = append(out, option)
		}
	}
	return out
}

// Size fills in the sizes that follow from the ratio and the data, such as the number of
// clusters, where they are zero.
func (s Spec) Size(c *Config, st Stats) {
	for _, part := range c.Parts {
		if sized, ok := part.(interface{ size(st Stats) }); ok {
			sized.size(st)
		}
	}
}

// Find returns a registered model by name. The error of an unknown name
// suggests the nearest.
func Find(name string) (Spec, error) {
	if at := slices.IndexFunc(registry, func(s Spec) bool { return s.Name == name }); at >= 0 {
		return registry[at], nil
	}
	names := lists.Map(registry, func(s Spec) string { return s.Name })
	return Spec{}, fmt.Errorf("model: %w", nearest.Unknown("model", name, names))
}
