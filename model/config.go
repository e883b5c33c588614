package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/didyoumean"
)

// Dims are the widths that depend on the data.
type Dims struct {
	Node int `json:"node_dim"` // of node features
	Edge int `json:"edge_dim"` // of edge features
	Out  int `json:"out"`      // classes or targets
	// NodeBlocks and EdgeBlocks divide Node and Edge for the encoders of Config.Encode, as
	// graph.Features.Blocks does. nil means one block.
	NodeBlocks []int `json:"node_blocks,omitempty"`
	EdgeBlocks []int `json:"edge_blocks,omitempty"`
}

// validate checks the three widths. The blocks are checked where they are read.
func (d Dims) validate() error {
	return firstError(atLeast("out", d.Out, 1), atLeast("node_dim", d.Node, 0), atLeast("edge_dim", d.Edge, 0))
}

// Config is the complete configuration of a registered model. Spec.Config returns one with the
// model's defaults. A copy shares its Parts with the original.
type Config struct {
	Dims
	Seed uint64
	// Encode adds an nn.Encoder of width hidden for the node features and one for the edge
	// features, as the authors' models for molecules do. See Encoded.
	Encode bool
	// Members is the number of models in an Ensemble. 0 and 1 mean a single model.
	Members int
	// Context adds the labels of other edges as input; see LabelContext. It may be nil.
	Context *LabelContextConfig
	// Graphs are the learners that are averaged with a trained network of graphs; see
	// GraphLearners. It may be nil.
	Graphs *GraphLearnersConfig
	// Parts are the typed settings, such as *HyperDropConfig. A committee has one for each of its
	// models, any other model has one.
	Parts []any
}

// fields lists all settings: those of the parts, part by part, then encode and members.
func (c *Config) fields() []field {
	var out []field
	for _, part := range c.Parts {
		out = append(out, fieldsOf(part)...)
	}
	return append(out, field{"encode", true, &c.Encode}, field{"members", true, &c.Members})
}

// jsonName returns a setting's name in JSON: the name of the option with underscores.
func jsonName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// At returns pointers (*int, *float64, *bool or *string) to the setting with a name such as
// "edge-hidden" or "edge_hidden", in every part that has it. It is nil if no part has it.
func (c *Config) At(name string) []any {
	var out []any
	for _, f := range c.fields() {
		if f.name == jsonName(name) {
			out = append(out, f.place)
		}
	}
	return out
}

// An ignorer is a config that does not read all of its fields for all values.
type ignorer interface {
	ignores(name string) bool // by the name in JSON
}

// Reads reports whether the model has a setting with this name and reads it with the current
// values. For example, HyperDrop reads its heads only with attention convolutions.
func (c *Config) Reads(name string) bool {
	name = jsonName(name)
	named := func(f field) bool { return f.name == name }
	for _, part := range c.Parts {
		if i, ok := part.(ignorer); slices.ContainsFunc(fieldsOf(part), named) && !(ok && i.ignores(name)) {
			return true
		}
	}
	return (name == "encode" || name == "members") && c.Auto() == nil
}

// Auto returns the config of an Auto. It is nil for other models.
func (c *Config) Auto() *AutoConfig {
	if len(c.Parts) == 1 {
		if a, ok := c.Parts[0].(*AutoConfig); ok {
			return a
		}
	}
	return nil
}

// Untrained returns the config without the values that training added.
func (c Config) Untrained() Config {
	c.Graphs = nil
	if a := c.Auto(); a != nil {
		begun := *a
		begun.Learners = nil
		c.Parts = []any{&begun}
	}
	return c
}

// Default sets the setting with this name wherever it exists and is zero. A model's own default is
// kept. It panics if the value has another type than the setting.
func (c *Config) Default(name string, value any) {
	for _, f := range c.fields() {
		if f.name == jsonName(name) {
			f.setDefault(value)
		}
	}
}

// header has the fields in the JSON of a Config besides the settings of the parts.
type header struct {
	Dims
	Seed    uint64               `json:"seed"`
	Members int                  `json:"members,omitempty"`
	Encode  bool                 `json:"encode,omitempty"`
	Context *LabelContextConfig  `json:"label_context,omitempty"`
	Graphs  *GraphLearnersConfig `json:"graph_learners,omitempty"`
}

// MarshalJSON writes one flat object: the widths, seed, members and encode, and the settings of the
// parts by their names. It fails if two parts have different values for one name.
func (c Config) MarshalJSON() ([]byte, error) {
	out, err := json.Marshal(header{c.Dims, c.Seed, c.Members, c.Encode, c.Context, c.Graphs})
	if err != nil {
		return nil, err
	}
	out = out[:len(out)-1]
	written := map[string][]byte{}
	for _, part := range c.Parts {
		for _, f := range fieldsOf(part) {
			value, err := json.Marshal(f.place)
			if err != nil {
				return nil, fmt.Errorf("model: %s: %w", f.name, err)
			}
			if before, ok := written[f.name]; ok {
				if !bytes.Equal(before, value) {
					return nil, fmt.Errorf("model: parts have %s %s and %s, expected one value", f.name, before, value)
				}
				continue
			}
			written[f.name] = value
			if !(f.omitEmpty && f.isZero()) {
				out = fmt.Appendf(out, ",%q:%s", f.name, value)
			}
		}
	}
	return append(out, '}'), nil
}

// Decode reads the JSON that Config.MarshalJSON writes. A missing setting gets the model's default.
// An unknown key is an error.
func (s Spec) Decode(text []byte) (Config, error) {
	fail := func(err error) (Config, error) { return Config{}, fmt.Errorf("model: %s: config: %w", s.Name, err) }
	c := s.Config()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return fail(err)
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return fail(err)
	}
	c.Dims, c.Seed, c.Members, c.Encode, c.Context, c.Graphs = h.Dims, h.Seed, h.Members, h.Encode, h.Context, h.Graphs
	known := []string{"node_dim", "edge_dim", "out", "node_blocks", "edge_blocks", "seed", "label_context", "graph_learners"}
	for _, f := range c.fields() {
		known = append(known, f.name)
		if text, ok := values[f.name]; ok {
			if err := json.Unmarshal(text, f.place); err != nil {
				if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
					kind.Field = strings.TrimSuffix(f.name+"."+kind.Field, ".")
				}
				return fail(fmt.Errorf("%s: %w", f.name, err))
			}
		}
	}
	for key := range values {
		if !slices.Contains(known, key) {
			return fail(fmt.Errorf("unknown key %q, did you mean %q?", key, didyoumean.Name(key, known, math.MaxInt-1)))
		}
	}
	return c, nil
}

// Largest returns the largest value of an integer setting in the parts of a model, or 0 if no part
// has it.
func (c *Config) Largest(name string) int {
	out := 0
	for _, at := range c.At(name) {
		out = max(out, *at.(*int))
	}
	return out
}
