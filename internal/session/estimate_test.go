package session

import (
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// Larger sizes increase the estimates of memory and of work.
func TestEstimateGrows(t *testing.T) {
	path := foldSet(t, "SET", 40)
	of := func(change func(*Request)) (int64, float64) {
		r := Request{Path: path, Model: "hyperdrop", Given: quick().Over(settings.Values{"split": settings.SplitFold})}
		change(&r)
		return mustOpen(t, r).Estimate()
	}
	memory, work := of(func(*Request) {})
	tests := []struct {
		name    string
		change  func(*Request)
		works   bool // work grows, too
		unequal bool
	}{
		{"hidden", func(r *Request) { r.Given["hidden"] = 256 }, true, true},
		{"layers", func(r *Request) { r.Given["layers"] = 9 }, true, true},
		{"epochs", func(r *Request) { r.Given["epochs"] = 50 }, true, false},
		{"clusters", func(r *Request) { r.Model, r.Given["clusters"] = "diffpool", 2000 }, false, true},
		{"spectra", func(r *Request) { r.Model = "haarpool" }, false, false},
	}
	for _, test := range tests {
		m, w := of(test.change)
		if test.unequal && m <= memory || test.works && w <= work {
			t.Errorf("%s: memory %d and work %v, without %d and %v", test.name, m, w, memory, work)
		}
	}
	if less, _ := of(func(r *Request) { r.Given["batch-size"] = 4 }); less >= memory {
		t.Errorf("smaller batches: %d, whole %d", less, memory)
	}
}
