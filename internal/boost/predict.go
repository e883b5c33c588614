package boost

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/par"
)

// predictRows is how many rows go through all trees at a time: their values and the nodes of one
// tree fit the first-level cache.
const predictRows = 64

// Predict writes the raw scores of all rows: score k of row i has index i*Outputs()+k.
func (m *Model) Predict(x *Matrix, out []float32) error {
	if err := x.check(); err != nil {
		return fmt.Errorf("boost: %w", err)
	}
	if x.Columns != m.columns {
		return fmt.Errorf("boost: %d columns, expected the %d of the training rows", x.Columns, m.columns)
	}
	rows := x.Rows()
	if len(out) != rows*m.outputs {
		return fmt.Errorf("boost: room for %d scores, expected %d for each of %d rows", len(out), m.outputs, rows)
	}
	par.New(m.Threads).Tiles(rows, predictRows, predictRows, func(lo, hi int) {
		sum := make([]float64, predictRows*m.outputs)
		prepared := make([]float32, predictRows*m.columns)
		x.each(lo, hi, func(first int, values []float32) {
			for at := 0; at < len(values); at += predictRows * m.columns {
				part := values[at:min(at+predictRows*m.columns, len(values))]
				row := first + at/m.columns
				n := len(part) / m.columns
				m.block(m.prepare(part, prepared), sum, out[row*m.outputs:(row+n)*m.outputs])
			}
		})
	})
	return nil
}

// prepare replaces the categories in rows of values by their numbers, in the buffer.
func (m *Model) prepare(values, buffer []float32) []float32 {
	if len(m.lookups) == 0 {
		return values
	}
	values = append(buffer[:0], values...)
	for i := range m.lookups {
		l := &m.lookups[i]
		c := column{codes: l.codes, other: uint8(len(l.codes) + 1)}
		for at := l.column; at < len(values); at += m.columns {
			values[at] = float32(c.category(values[at]))
		}
	}
	return values
}

// block writes the scores of a few rows.
func (m *Model) block(x []float32, sum []float64, out []float32) {
	sum = sum[:len(out)]
	for i := range sum {
		sum[i] = float64(m.base[i%m.outputs])
	}
	for t := range len(m.starts) - 1 {
		if len(m.sets) == 0 {
			m.tree(m.starts[t], x, sum[t%m.outputs:])
		} else {
			m.treeOfSets(m.starts[t], x, sum[t%m.outputs:])
		}
	}
	for i, v := range sum {
		out[i] = float32(v)
	}
}

// tree adds the values of one tree to the sums of rows. Four rows descend at the same time, so that
// the processor does not wait for one row's node.
func (m *Model) tree(root int32, x []float32, sum []float64) {
	nodes, width := m.nodes, m.columns
	r, at := 0, 0
	for ; at+4*width <= len(x); at += 4 * width {
		x0, x1, x2, x3 := x[at:at+width], x[at+width:at+2*width], x[at+2*width:at+3*width], x[at+3*width:at+4*width]
		a, b, c, d := root, root, root, root
		for {
			a1, b1, c1, d1 := nodes[a].next(x0), nodes[b].next(x1), nodes[c].next(x2), nodes[d].next(x3)
			if a == a1 && b == b1 && c == c1 && d == d1 {
				break
			}
			a, b, c, d = a1, b1, c1, d1
		}
		sum[r] += float64(m.value[a])
		sum[r+m.outputs] += float64(m.value[b])
		sum[r+2*m.outputs] += float64(m.value[c])
		sum[r+3*m.outputs] += float64(m.value[d])
		r += 4 * m.outputs
	}
	for ; at < len(x); at += width {
		n := root
		for next := nodes[n].next(x[at : at+width]); next != n; next = nodes[n].next(x[at : at+width]) {
			n = next
		}
		sum[r] += float64(m.value[n])
		r += m.outputs
	}
}

// next is the child that a row goes to, for a node that is not categorical.
func (n *node) next(row []float32) int32 {
	v := row[n.column]
	r := int32(0)
	if v > n.threshold {
		r = 1
	}
	if v != v {
		r = int32(n.missing)
	}
	return n.left + r
}

// treeOfSets is tree for models with categorical columns.
func (m *Model) treeOfSets(root int32, x []float32, sum []float64) {
	for r := 0; len(x) > 0; r++ {
		n := root
		for next := m.next(n, x); next != n; next = m.next(n, x) {
			n = next
		}
		sum[r*m.outputs] += float64(m.value[n])
		x = x[m.columns:]
	}
}

// next is the child that a prepared row goes to.
func (m *Model) next(n int32, row []float32) int32 {
	p := &m.nodes[n]
	if !p.categorical {
		return p.next(row)
	}
	if m.sets[int(p.threshold)].has(uint8(row[p.column])) {
		return p.left
	}
	return p.left + 1
}
