package tables

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/schema"
)

// tablesOf finds the table of edges among the tables of an archive that are named neither edges nor nodes, and the
// table of nodes if there are two.
func (o *Options) tablesOf(a fs.FS, others []string, b *data.Budget) (edges string, err error) {
	others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(o.Nodes, path.Base(name)) })
	switch {
	case len(others) == 1:
		return others[0], nil
	case len(others) < 2 || len(others) > 3:
		return "", fmt.Errorf("%w: no table of edges in it", data.ErrUnknownFormat)
	}
	var found []string // pairs of edges and nodes
	for i := 0; len(others) == 2 && i < 2; i++ {
		name, other := others[i], others[1-i]
		id, err := o.nodesOf(a, name, other, b)
		if err != nil {
			return "", err
		}
		if id != "" && path.Dir(name) == path.Dir(other) && len(o.Nodes) == 0 {
			found = append(found, name)
			o.Nodes, o.NodeID = Files{path.Base(other)}, id
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("it has the tables %s: if one or two list nodes, name them in --nodes; else unpack it and name the table of edges", strings.Join(others, ", "))
	}
	return found[0], nil
}

// sampleEdges is how many edges are compared with a table that may have their nodes.
const sampleEdges = 1000

// nodesOf is the column of ids in the table nodes, the first or a named one, if it has the ids at the ends of the first
// edges of another table. It is empty if an id is missing, or if the other table has no ends.
func (o *Options) nodesOf(a fs.FS, edges, nodes string, b *data.Budget) (id string, err error) {
	ends := newVocabulary(b)
	if _, err := o.ids(a, edges, b, func(h *header) []int {
		if h.assign(source, o.Source, nil) != nil || h.assign(target, o.Target, nil) != nil || h.ends(*o) != nil {
			return nil
		}
		return []int{h.at[source], h.at[target]}
	}, func(_ int, id string) (bool, error) {
		_, err := ends.add(id)
		return len(ends.texts) < sampleEdges, err
	}); err != nil || len(ends.texts) == 0 {
		return "", err
	}
	seen, left := make([]bool, len(ends.texts)), len(ends.texts)
	h, err := o.ids(a, nodes, b, func(h *header) []int {
		if h.assign(nodeID, o.NodeID, idNames) != nil {
			return nil
		}
		return []int{max(h.at[nodeID], 0)}
	}, func(_ int, id string) (bool, error) {
		if k, ok := ends.find(id); ok && !seen[k] {
			seen[k] = true
			left--
		}
		return left > 0, nil
	})
	if err != nil || left > 0 {
		return "", err
	}
	return h.names[max(h.at[nodeID], 0)], nil
}

// ids calls each with the ids in some columns of a table, and their columns, until it returns false.
func (o *Options) ids(a fs.FS, name string, b *data.Budget, columns func(*header) []int, each func(column int, id string) (bool, error)) (*header, error) {
	r, err := (&folder{fsys: a, dir: path.Dir(name), budget: b, sheet: o.Sheet}).open(path.Base(name))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := newHeader(name, r.Columns())
	h.ignore(o.Ignore)
	at := columns(h)
	for more := len(at) > 0; more; {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, c := range at {
			id, err := row[c].ID()
			if err != nil {
				continue // Open reports the error
			}
			if more, err = each(c, schema.WholeOf(id)); err != nil {
				return nil, err
			}
		}
	}
	return h, nil
}
