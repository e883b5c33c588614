package boost

// The names of a model's arrays.
const (
	arrayShape      = "shape"            // outputs and columns
	arrayBase       = "base"             // first score of each output
	arrayTrees      = "trees"            // number of nodes of each tree
	arrayColumns    = "columns"          // of each node its column, -1 for a leaf
	arrayThresholds = "thresholds"       // the threshold, the number of the set of categories, or the value of a leaf
	arrayChildren   = "children"         // number of the left child in its tree, 0 for a leaf
	arrayMissing    = "missing"          // 1 where missing values go right
	arrayCovers     = "covers"           // training rows
	arrayCategorial = "category_columns" // columns of categories
	arrayCodeCounts = "category_counts"  // number of categories in each
	arrayCodes      = "category_codes"   // the categories of all, ascending in each
	arraySetCounts  = "set_counts"       // number of categories in each set
	arraySetBins    = "set_bins"         // the numbers of the categories that go left: 0 missing, from 1 in the order of codes, then all others
)

// Arrays returns the model as arrays of numbers, all of them exact in float32.
func (m *Model) Arrays() map[string][]float32 {
	out := map[string][]float32{
		arrayShape:  {float32(m.outputs), float32(m.columns)},
		arrayBase:   append([]float32{}, m.base...),
		arrayCovers: append([]float32{}, m.cover...),
	}
	add := func(name string, v float32) { out[name] = append(out[name], v) }
	for _, name := range []string{arrayTrees, arrayColumns, arrayThresholds, arrayChildren, arrayMissing,
		arrayCategorial, arrayCodeCounts, arrayCodes, arraySetCounts, arraySetBins} {
		out[name] = []float32{}
	}
	for t, start := range m.starts[:len(m.starts)-1] {
		end := m.starts[t+1]
		add(arrayTrees, float32(end-start))
		for i := start; i < end; i++ {
			n := m.nodes[i]
			if m.leaf(int(i)) {
				n = node{column: -1, threshold: m.value[i], left: start}
			}
			add(arrayColumns, float32(n.column))
			add(arrayThresholds, n.threshold)
			add(arrayChildren, float32(n.left-start))
			add(arrayMissing, float32(n.missing))
		}
	}
	for _, l := range m.lookups {
		add(arrayCategorial, float32(l.column))
		add(arrayCodeCounts, float32(len(l.codes)))
		out[arrayCodes] = append(out[arrayCodes], l.codes...)
	}
	for _, s := range m.sets {
		count := 0
		for b := range 256 {
			if s.has(uint8(b)) {
				add(arraySetBins, float32(b))
				count++
			}
		}
		add(arraySetCounts, float32(count))
	}
	return out
}
