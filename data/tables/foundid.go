package tables

import (
	"io/fs"
	"path"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// findID finds the column of ids of the only table of nodes if its name does not tell: the only column whose values are
// all different and include the ids of the edges. It reads both tables once more.
func (l *loader) findID(nodes, edges *openTable) error {
	o, f := &l.set.Options, l.folder
	n, e := newHeader(nodes.file, nodes.reader.Columns()), newHeader(edges.file, edges.reader.Columns())
	switch {
	case o.known != nil, o.NodeID != "", o.nodeRoles(n) == nil, o.edgeRoles(e) != nil, e.at[graphID] >= 0: // not requested, or invalid
		return nil
	case o.Bipartite, o.Kinds != Kinds{}, kindsOf(e.name(source), e.name(target)) != Kinds{}: // may have the nodes of only one end
		return nil
	case !f.isFile(nodes.file), !f.isFile(edges.file):
		return nil
	}
	ends := newVocabulary(f.budget)
	if _, err := o.ids(f.fsys, path.Join(f.dir, edges.file), f.budget, func(*header) []int { return []int{e.at[source], e.at[target]} }, func(_ int, id string) (bool, error) {
		_, err := ends.add(id)
		return true, err
	}); err != nil {
		return err
	}
	values := lists.Map(n.names, func(string) *vocabulary { return newVocabulary(f.budget) })
	rows, found, again := make([]int, len(values)), make([]int, len(values)), make([]bool, len(values)) // for each column
	if _, err := o.ids(f.fsys, path.Join(f.dir, nodes.file), f.budget, func(*header) []int { return lists.Range[int](len(values)) }, func(c int, id string) (bool, error) {
		if again[c] {
			return true, nil
		}
		if _, ok := ends.find(id); ok {
			found[c]++
		}
		rows[c]++
		_, err := values[c].add(id)
		again[c] = len(values[c].texts) < rows[c]
		return true, err
	}); err != nil {
		return err
	}
	names := lists.Filter(lists.Range[int](len(values)), func(c int) bool { return n.roles[c] == feature && !again[c] && found[c] == len(ends.texts) })
	switch len(names) {
	case 0:
		return nil
	case 1:
		o.NodeID = n.names[names[0]]
		l.note("%s: column %q has the ids of the nodes: its values differ, and include those at the ends of edges; --node-id names another", n.file, o.NodeID)
		return nil
	}
	return n.errorf("the ids of nodes may be in column %q or %q, whose values differ and include those at the ends of edges: --node-id says which", n.names[names[0]], n.names[names[1]])
}

// isFile reports whether a table is a file or a folder, which can be read twice; a pipe cannot.
func (f *folder) isFile(name string) bool {
	if f.fsys == nil {
		return false
	}
	info, err := fs.Stat(f.fsys, path.Join(f.dir, name))
	return err == nil && (info.Mode().IsRegular() || info.IsDir())
}
