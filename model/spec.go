package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/nn"
)

// Spec describes a registered model.
type Spec struct {
	Name  string
	Title string // one line
	Paper string
	// Tasks lists the tasks that the model has predictions for.
	Tasks []string
	// Edges says that the model reads edge features.
	Edges bool
	// EdgesOnly says that the model reads no node features.
	EdgesOnly bool
	// EdgeClusters says that the model clusters edges. Other models cluster nodes.
	EdgeClusters bool
	// PaperHeads says that the authors of GMT chose its attention heads and layer norm
	// for each data set.
	PaperHeads bool
	// Cost is the memory of a row of a layer relative to other models. 0 means 1.
	Cost float64
	// Fitted says that package internal/auto fits the model, without gradient steps.
	Fitted bool
	// Form converts a graph to the form that the model needs. nil means any form.
	Form func(g *graph.Graph) (*graph.Graph, error)

	grows  func(c *Config, g GraphSize) Load // memory or time that grows faster than the graph; may be nil
	config func() any                        // a new typed config with the model's defaults
	build  func(in nn.Init, d Dims, part any) (Model, error)
	parts  []string // the registered models of a committee or a Pair, which has no config and build of its own
	paired bool     // the model is a Pair
}

// of completes the row of a model. config has its defaults, build is its constructor.
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

// models returns the rows of the models that this one consists of: itself, or those of a committee
// or Pair.
func (s Spec) models() []Spec {
	if s.parts == nil {
		return []Spec{s}
	}
	return lists.Map(s.parts, func(name string) Spec {
		return registry[slices.IndexFunc(registry, func(r Spec) bool { return r.Name == name })]
	})
}

// Config returns the model's defaults. Widths, seed and settings without a default are zero.
func (s Spec) Config() Config {
	return Config{Parts: lists.Map(s.models(), func(one Spec) any { return one.config() })}
}

// Options lists the settings that the model reads with its defaults, such as "edge-hidden", in the
// order of its config. Every model also has encode and members. Whether a setting is read may
// depend on other settings: see Config.Reads.
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

// Size sets the sizes that follow from the ratio and the data, such as the number of clusters, if
// they are zero.
func (s Spec) Size(c *Config, st Stats) {
	for _, part := range c.Parts {
		if sized, ok := part.(interface{ size(st Stats) }); ok {
			sized.size(st)
		}
	}
}

// Find returns a registered model by name. The error for an unknown name suggests the most similar
// name.
func Find(name string) (Spec, error) {
	if at := slices.IndexFunc(registry, func(s Spec) bool { return s.Name == name }); at >= 0 {
		return registry[at], nil
	}
	names := lists.Map(registry, func(s Spec) string { return s.Name })
	return Spec{}, fmt.Errorf("model: %w", didyoumean.Unknown("model", name, names))
}
