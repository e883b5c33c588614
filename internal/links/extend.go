package links

import "slices"

// Extend is the data with further nodes, behind the others, and further pairs. target says of each node that
// is added, where Kind is Bipartite, whether it is a target. It has no rows and so no times and parts.
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

// Extend is the features with empty rows for further nodes, so that there are as many rows as nodes.
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
