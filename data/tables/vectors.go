package tables

import (
	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// vectors reads the lists of numbers of a table, whose columns have roles, as a column per position where they are features.
func (o Options) vectors(r tablefile.Reader, h *header, of Level, b *data.Budget) (tablefile.Reader, error) {
	x := tablefile.VectorOptions{File: h.file, Budget: b, Missing: o.Missing}
	if o.known != nil {
		x.Widths = schema.VectorWidths(o.fields(of))
	}
	wants := o.wants()
	x.May = func(c int) bool {
		return h.roles[c] == feature && wants.of(h.names[c]) != schema.CategoryOnly
	}
	return tablefile.Vectors(r, x)
}
