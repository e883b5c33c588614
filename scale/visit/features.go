package visit

import (
	"fmt"
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// layout is the layout of features of nodes or edges. Packed rows have a number for each
// categorical column. They are expanded to the width that a model reads a few rows at a time.
type layout struct {
	what  string
	dim   int
	codes []int
	// constant features are the 1 of nodes or edges without features. They are not packed.
	constant bool
}

// layoutOf returns the layout of an encoder's fields.
func layoutOf(what string, fields []tables.Field) layout {
	f := schema.Layout(fields)
	return layout{what: what, dim: f.Dim, codes: f.Codes, constant: len(fields) == 0}
}

// width returns the width of a row as a model reads it.
func (l layout) width() int { return graph.Features{Dim: l.dim, Codes: l.codes}.Width() }

// packed returns the width of a packed row.
func (l layout) packed() int {
	if l.constant {
		return 0
	}
	return l.dim + len(l.codes)
}

// check returns an error if features have another layout.
func (l layout) check(f graph.Features, rows int) error {
	if f.Dim != l.dim || !slices.Equal(f.Codes, l.codes) || len(f.Dense) != rows*f.Dim || len(f.Code) != rows*len(f.Codes) {
		return fmt.Errorf("visit: features of %ss have %d numbers and categories of %v, expected %d and %v", l.what, f.Dim, f.Codes, l.dim, l.codes)
	}
	return nil
}

// pack packs feature row i. Codes are below 2²⁴, which float32 represents exactly.
func (l layout) pack(f graph.Features, i int, to []float32) {
	if l.constant {
		return
	}
	copy(to, f.Dense[i*l.dim:][:l.dim])
	for c := range l.codes {
		to[l.dim+c] = float32(f.Code[i*len(l.codes)+c])
	}
}

// unpack expands a packed row to a row as a model reads it.
func (l layout) unpack(from, to []float32) {
	if l.constant {
		to[0] = 1
		return
	}
	copy(to, from[:l.dim])
	clear(to[l.dim:])
	at := l.dim
	for c, k := range l.codes {
		if code := int(from[l.dim+c]); code >= 0 {
			to[at+code] = 1
		}
		at += k
	}
}
