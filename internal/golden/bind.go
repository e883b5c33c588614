package golden

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/tensor"
)

// Bind sets parameters to the values of the case, by name, and watches them on the tape. It returns
// a variable for each gradient of the case. Parameters and the case must have the same names and
// shapes.
func (c Case) Bind(t *testing.T, tape *tensor.Tape, params []*tensor.Param) map[string]*tensor.Tensor {
	t.Helper()
	vars := map[string]*tensor.Tensor{}
	learned := 0
	for _, w := range params {
		name := "params." + w.Name
		if w.Buffer {
			name = "buffers." + w.Name
		}
		if !c.Has(name) {
			t.Fatalf("the case has no %s", name)
		}
		v := c.Tensor(name)
		if !slices.Equal(v.Shape(), w.Value.Shape()) {
			t.Fatalf("%s has shape %v, want %v", name, w.Value.Shape(), v.Shape())
		}
		w.Value = v
		if !w.Buffer {
			learned++
			vars[name] = tape.Watch(w)
		}
	}
	if learned != len(c.Params) {
		t.Fatalf("%d parameters, the case has %d", learned, len(c.Params))
	}
	for name := range c.Grads {
		if !strings.HasPrefix(name, "params.") {
			vars[name] = tape.Variable(c.Tensor(name))
		}
	}
	return vars
}

// Only fails the test if there is an option that is not known.
func (c Config) Only(t *testing.T, known ...string) {
	t.Helper()
	for name := range c {
		if !slices.Contains(known, name) {
			t.Fatalf("option %s is not handled", name)
		}
	}
}
