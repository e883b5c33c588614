package graphfile

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// Kinds of edges, by their names in GraphML and GEXF.
const (
	directed   = "directed"
	undirected = "undirected"
)

// form is the kind of the edges of a file. All edges must have the same kind.
type form struct {
	usual string // the kind of edges that name none; empty if the file does not say
	found string // the kind of the edges so far; empty at first
}

// set sets the kind of edges that name none.
func (f *form) set(kind string) error {
	f.usual = strings.ToLower(kind)
	if f.usual != "" && f.usual != directed && f.usual != undirected {
		return fmt.Errorf("is %q, expected directed or undirected", kind)
	}
	return nil
}

// add checks the kind of an edge. It is empty for an edge that names none.
func (f *form) add(kind string) error {
	if kind == "" {
		kind = f.usual
	}
	if kind == "" {
		return nil
	}
	if f.found != "" && kind != f.found {
		return fmt.Errorf("an edge that is %s after edges that are %s; graphs with both are not read", kind, f.found)
	}
	f.found = kind
	return nil
}

// edges returns the kind of all edges.
func (f *form) edges() data.Edges {
	kind := f.found
	if kind == "" {
		kind = f.usual
	}
	switch kind {
	case directed:
		return data.Directed
	case undirected:
		return data.Undirected
	}
	return data.Auto
}
