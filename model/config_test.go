package model

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// full is a config in which every setting differs from its zero and its default.
func full(s Spec) Config {
	c := s.Config()
	c.Dims = Dims{Node: 5, Edge: 3, Out: 2, NodeBlocks: []int{4, 1}, EdgeBlocks: []int{3}}
	c.Seed, c.Encode, c.Members = math.MaxUint64-1, true, 3
	for _, f := range c.fields() {
		switch at := f.place.(type) {
		case *int:
			*at += 7 + len(f.name)
		case *float64:
			*at += 1.0 / 3 / float64(len(f.name))
		case *bool:
			*at = true
		case *string:
			*at += "x" + f.name
		}
	}
	return c
}

// A config of every model is the same after it was written and read, full as zero, and
// no setting is forgotten.
func TestConfigJSON(t *testing.T) {
	for _, s := range registry {
		zero := s.Config()
		for _, part := range zero.Parts {
			for _, f := range fieldsOf(part) {
				reflect.ValueOf(f.place).Elem().SetZero()
			}
		}
		for _, c := range []Config{full(s), s.Config(), valid(s.Name), zero} {
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Decode(text)
			if err != nil || !reflect.DeepEqual(got, c) {
				t.Errorf("%s: %s is read as %+v, error %v", s.Name, text, got, err)
			}
			for key, value := range map[string]string{"model_name": `"` + s.Name + `"`, "seeds": "1", "Hidden": "8"} {
				more := strings.TrimSuffix(string(text), "}") + `,"` + key + `":` + value + "}"
				if _, err := s.Decode([]byte(more)); err == nil || !strings.HasPrefix(err.Error(), "model: "+s.Name+`: config: unknown key "`+key+`", did you mean "`) {
					t.Errorf("%s: unknown key %s: %v", s.Name, key, err)
				}
			}
		}
	}
}

func TestConfigDecodeErrors(t *testing.T) {
	s := must(Find("hyperdrop"))
	for _, text := range []string{"", "[]", "3", `{"hidden":1.5}`, `{"hidden":"8"}`, `{"seed":-1}`, `{"encode":1}`, `{"hidden":8} {}`, `{"node_blocks":3}`} {
		if c, err := s.Decode([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "model: hyperdrop: config: ") {
			t.Errorf("%q: %+v, error %v", text, c, err)
		}
	}
	// What is not there has the model's default.
	c := must(must(Find("topkpool")).Decode([]byte(`{"hidden":8}`)))
	if want := (SelectConfig{HierarchicalConfig{Stack: Stack{Hidden: 8}}, 0.25}); !reflect.DeepEqual(c.Parts, []any{&want}) {
		t.Errorf("parts %+v", c.Parts[0])
	}
}

// The parts of a committee have one value for each setting.
func TestCommitteeConfig(t *testing.T) {
	c := valid("hyperdrop-committee")
	if text, err := json.Marshal(c); err != nil || strings.Count(string(text), `"hidden":8`) != 1 {
		t.Errorf("%s, error %v", text, err)
	}
	if places := c.At("edge-hidden"); len(places) != 2 || len(c.At("hidden")) != 3 {
		t.Errorf("edge-hidden is in %d parts, want 2; hidden in %d, want 3", len(places), len(c.At("hidden")))
	}
	*c.At("hidden")[1].(*int) = 9
	if text, err := json.Marshal(c); err == nil || !strings.Contains(err.Error(), "parts have hidden 8 and 9") {
		t.Errorf("%s, error %v", text, err)
	}
}

// Every exported field of every config but those with "-" for a name is a setting.
func TestAt(t *testing.T) {
	for _, s := range registry {
		c := s.Config()
		for _, part := range c.Parts {
			for _, f := range reflect.VisibleFields(reflect.TypeOf(part).Elem()) {
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous || tag == "-" {
					continue
				}
				want := reflect.ValueOf(part).Elem().FieldByIndex(f.Index).Addr().Interface()
				if tag == "" || !slices.Contains(c.At(tag), want) || !slices.Contains(c.At(strings.ReplaceAll(tag, "_", "-")), want) {
					t.Errorf("%s: field %s is not found as %q", s.Name, f.Name, tag)
				}
			}
		}
		for name, want := range map[string]any{"encode": &c.Encode, "members": &c.Members} {
			if !slices.Equal(c.At(name), []any{want}) {
				t.Errorf("%s: %s is not found", s.Name, name)
			}
		}
		for _, name := range []string{"", "-", "seed", "node_dim", "Hidden", "variant", "Conv"} {
			if at := c.At(name); at != nil {
				t.Errorf("%s: %q is found: %v", s.Name, name, at)
			}
		}
	}
	if at := (&Config{Parts: []any{3, nil, (*Stack)(nil), Stack{}}}).At("hidden"); at != nil {
		t.Errorf("parts that are no pointers to configs have a width: %v", at)
	}
}

func TestDefault(t *testing.T) {
	c := must(Find("topkpool")).Config()
	for range 2 {
		c.Default("ratio", 0.85) // the model's own stays
		c.Default("hidden", 64)
		c.Default("layer-norm", true) // which the model has not
		c.Default("encode", true)
	}
	c.Default("hidden", 32) // is there already
	if want := (SelectConfig{HierarchicalConfig{Stack: Stack{Hidden: 64}}, 0.25}); !reflect.DeepEqual(c.Parts, []any{&want}) || !c.Encode {
		t.Errorf("%+v", c.Parts[0])
	}
	defer func() {
		if recover() == nil {
			t.Error("a number for a name is taken")
		}
	}()
	c.Default("conv", 3)
}

// What follows from the data is filled in where it is not given.
func TestSize(t *testing.T) {
	st := Stats{Nodes: []int{10, 12, 18, 30}, MeanEdges: 20}
	for name, want := range map[string]int{"hypercluster": 6, "hypercluster-graph": 10, "gmt": 5, "hyperdrop-gmt": 5, "diffpool": 5, "mincutpool": 5} {
		s := must(Find(name))
		for _, given := range []int{0, 3} {
			c := s.Config()
			c.Default("ratio", 0.15)
			c.Default("clusters", given)
			s.Size(&c, st)
			if got := *c.At("clusters")[0].(*int); given == 0 && got != want || given > 0 && got != given {
				t.Errorf("%s: given %d clusters, has %d, want %d", name, given, got, want)
			}
		}
	}
	s := must(Find("sortpool"))
	c := s.Config()
	s.Size(&c, st)
	if got := *c.At("sort-k")[0].(*int); got != 18 {
		t.Errorf("sortpool keeps %d nodes", got)
	}
}
