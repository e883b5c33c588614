package tables

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// withRoles gives the columns of a table their roles, and reads lists of numbers that are features as a column per position. The reader
// is the given one where it fails.
func (o Options) withRoles(r tablefile.Reader, file string, of Level, b *data.Budget, roles func(*header) error) (tablefile.Reader, *header, error) {
	h := newHeader(file, r.Columns())
	if err := roles(h); err != nil {
		return r, nil, withNote(err, r.Notes())
	}
	x := tablefile.VectorOptions{File: file, Budget: b, Missing: o.Missing}
	if o.known != nil {
		x.Widths = schema.VectorWidths(o.fields(of))
	}
	wants := o.wants()
	x.May = func(c int) bool {
		return h.roles[c] == feature && wants.of(h.names[c]) != schema.CategoryOnly
	}
	v, err := tablefile.Vectors(r, x)
	if err != nil || slices.Equal(v.Columns(), h.names) {
		return v, h, err
	}
	h = newHeader(file, v.Columns())
	return v, h, roles(h)
}
