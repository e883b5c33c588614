package links

import "slices"

// Extend returns the data with additional nodes, numbered after the existing ones, and additional
// pairs. target says for each added node whether it is a target, if Kind is Bipartite. The result
// has no rows and so no times and parts.
func (d *Data) Extend(ids []string, target []bool, pairs [][2]int32) *Data {
	out := *d
	out.Time, out.Part = nil, nil
	out.IDs, out.Hash = slices.Concat(d.IDs, ids), slices.Clone(d.Hash)
	for _, id := range ids {
		out.Hash = append(out.Hash, FNV1a64(id))
	}
	if d.Kind == Bipartite {
		out.Target = slices.Concat(d.Target, target)
	}
	out.gather(len(d.Pairs)+len(pairs), func(r int) [2]int32 {
		if r < len(d.Pairs) {
			return d.Pairs[r]
		}
		return out.Orient(pairs[r-len(d.Pairs)])
	})
	out.Row, out.Loops = nil, d.Loops
	return &out
}

// Extend returns the features with empty rows for additional nodes, so that there is a row for each
// node.
func (f *Features) Extend(nodes int) *Features {
	if f == nil {
		return nil
	}
	out := *f
	out.ptr = slices.Clone(f.ptr)
	for len(out.ptr) < nodes+1 {
		out.ptr = append(out.ptr, len(f.col))
	}
	return &out
}
