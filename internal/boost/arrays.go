package boost

// Names of the arrays of a model.
const (
	arrayShape      = "shape"            // number of outputs and of columns
	arrayBase       = "base"             // initial score of each output
	arrayTrees      = "trees"            // number of nodes of each tree
	arrayColumns    = "columns"          // column of each node, -1 for a leaf
	arrayThresholds = "thresholds"       // threshold, number of the category set, or leaf value of each node
	arrayChildren   = "children"         // number of the left child in its tree, 0 for a leaf
	arrayMissing    = "missing"          // 1 if missing values go right
	arrayCovers     = "covers"           // training rows of each node
	arrayCategorial = "category_columns" // categorical columns
	arrayCodeCounts = "category_counts"  // number of categories in each categorical column
	arrayCodes      = "category_codes"   // categories of all columns, ascending in each column
	arraySetCounts  = "set_counts"       // number of categories in each set
	arraySetBins    = "set_bins"         // numbers of the categories that go left: 0 is missing, codes count from 1, the last number is all other categories
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
