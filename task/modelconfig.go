package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
)

// ModelConfig are the settings of every model in one, of which each model reads its own.
type ModelConfig struct {
	NodeDim      int     `json:"node_dim" yaml:"node_dim"` // width of node features
	EdgeDim      int     `json:"edge_dim" yaml:"edge_dim"` // width of edge features
	Out          int     `json:"out" yaml:"out"`           // classes or targets
	Hidden       int     `json:"hidden" yaml:"hidden"`
	EdgeHidden   int     `json:"edge_hidden" yaml:"edge_hidden"`
	Layers       int     `json:"layers" yaml:"layers"`
	Conv         string  `json:"conv,omitempty" yaml:"conv,omitempty"`
	EdgeConv     string  `json:"edge_conv,omitempty" yaml:"edge_conv,omitempty"`
	EdgeInit     string  `json:"edge_init,omitempty" yaml:"edge_init,omitempty"`
	Dropout      float64 `json:"dropout" yaml:"dropout"`
	Ratio        float64 `json:"ratio,omitempty" yaml:"ratio,omitempty"`
	Score        string  `json:"score,omitempty" yaml:"score,omitempty"`
	VirtualNode  bool    `json:"virtual_node,omitempty" yaml:"virtual_node,omitempty"`
	Clusters     int     `json:"clusters,omitempty" yaml:"clusters,omitempty"`
	SortK        int     `json:"sort_k,omitempty" yaml:"sort_k,omitempty"`
	Encode       bool    `json:"encode,omitempty" yaml:"encode,omitempty"`
	NodeBlocks   []int   `json:"node_blocks,omitempty" yaml:"node_blocks,omitempty"`
	EdgeBlocks   []int   `json:"edge_blocks,omitempty" yaml:"edge_blocks,omitempty"`
	Unnormalised bool    `json:"unnormalised,omitempty" yaml:"unnormalised,omitempty"`
	InitGain     float64 `json:"init_gain,omitempty" yaml:"init_gain,omitempty"`
	Members      int     `json:"members,omitempty" yaml:"members,omitempty"`
	Heads        int     `json:"heads,omitempty" yaml:"heads,omitempty"`
	LayerNorm    bool    `json:"layer_norm,omitempty" yaml:"layer_norm,omitempty"`
	Seed         uint64  `json:"seed" yaml:"seed"`
}

// config are the settings that a model reads.
func (c ModelConfig) config(spec model.Spec) (model.Config, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return model.Config{}, err
	}
	return spec.Decode(text, false)
}

// size fills in the sizes that follow from the ratio and the data.
func (c *ModelConfig) size(spec model.Spec, st model.Stats) error {
	own, err := c.config(spec)
	if err != nil {
		return err
	}
	spec.Size(&own, st)
	for name, to := range map[string]*int{"clusters": &c.Clusters, "sort_k": &c.SortK} {
		for _, at := range own.At(name) {
			*to = *at.(*int)
		}
	}
	return nil
}

// build makes the model.
func (c ModelConfig) build(spec model.Spec) (model.Model, error) {
	own, err := c.config(spec)
	if err != nil {
		return nil, err
	}
	m, err := spec.New(own)
	if err == nil && c.Unnormalised {
		sumFirst(m)
	}
	return m, err
}

// sumFirst lets a DeepHyperDrop sum neighbours without degrees before its first drop.
func sumFirst(m model.Model) {
	switch m := m.(type) {
	case *model.DeepHyperDrop:
		m.First = func(v graph.View) graph.View { return v.WithW(nil) }
	case *model.Encoded:
		sumFirst(m.Model)
	case *model.Ensemble:
		for _, one := range m.Members {
			sumFirst(one)
		}
	}
}

// unnormalised reports whether a model can do what sumFirst asks for.
func unnormalised(spec model.Spec) bool {
	for _, part := range spec.Config().Parts {
		if c, ok := part.(*model.DeepHyperDropConfig); ok {
			return c.Variant == model.Published || c.Variant == model.Random
		}
	}
	return false
}

// readsOption reports whether a model reads an option under these convolutions.
func readsOption(spec model.Spec, option, conv, edgeConv string) bool {
	if option == "unnormalised" {
		return unnormalised(spec)
	}
	c := spec.Config()
	if base := strings.TrimPrefix(edgeConv, nn.LinePrefix); base != "" {
		c.Default("edge-conv", edgeConv)
	}
	c.Default("conv", conv)
	return c.Reads(option)
}

// ratioOf is the model's own ratio, 0 for none.
func ratioOf(spec model.Spec) float64 {
	c := spec.Config()
	for _, at := range c.At("ratio") {
		return *at.(*float64)
	}
	return 0
}

// DefaultEdgeModel is the model of edges that is trained where none is named.
const DefaultEdgeModel = "ehgnn-edge"

// EdgeModels are the models with a prediction per edge.
func EdgeModels() (out []model.Spec) {
	for _, s := range model.Registry {
		if slices.Contains(s.Tasks, EdgeClassification) {
			out = append(out, s)
		}
	}
	return out
}

// FindEdgeModel returns a model of edges by name.
func FindEdgeModel(name string) (model.Spec, error) {
	var names []string
	for _, s := range EdgeModels() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return model.Spec{}, fmt.Errorf("model: unknown model of edges %q, expected one of: %s", name, strings.Join(names, ", "))
}
