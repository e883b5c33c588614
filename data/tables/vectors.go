package tables

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// withRoles assigns the roles of the columns of a table, and reads features that are lists of numbers as a column for
// each position. If it fails, it returns the given reader.
func (o Options) withRoles(r tablefile.Reader, file string, of Level, b *data.Budget, roles func(*header) error) (tablefile.Reader, *header, error) {
	h := newHeader(file, r.Columns())
	if err := roles(h); err != nil {
		return r, nil, withNote(err, r.Notes())
	}
	if of == OfEdges {
		r = o.withDate(r, h)
	}
	x := tablefile.VectorOptions{File: file, Budget: b, Missing: o.Missing}
	if o.known != nil {
		x.Widths = schema.VectorWidths(o.fields(of))
	}
	wants := o.wants()
	x.May = func(c int) bool {
		return h.roles[c] == feature && wants.want(h.names[c]) != schema.CategoryOnly
	}
	v, err := tablefile.Vectors(r, x)
	if err != nil || slices.Equal(v.Columns(), h.names) {
		return v, h, err
	}
	before := h
	h = newHeader(file, v.Columns())
	if err = roles(h); err == nil && before.at[momentDate] >= 0 {
		h.setMoment(h.find(before.name(moment)))
		h.setRole(h.find(before.name(momentDate)), momentDate)
		h.absent = before.absent
	}
	return v, h, err
}
