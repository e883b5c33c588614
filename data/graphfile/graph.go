package graphfile

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
)

// Formats that the package reads.
const (
	GraphML  = "graphml"
	GEXF     = "gexf"
	MTX      = "mtx"
	EdgeList = "edge-list"
	Triples  = "triples"
)

// Formats lists the formats that the package reads.
func Formats() []string { return []string{GraphML, GEXF, MTX, EdgeList, Triples} }

// Names of columns that the formats define.
const (
	sourceColumn   = "source"
	targetColumn   = "target"
	relationColumn = "relation"
	weightColumn   = "weight"
	timeColumn     = "time"
	partColumn     = tablefile.PartColumn
	idColumn       = "id"
	labelColumn    = "label"
	kindColumn     = "kind"
)

// Graph is one graph in a file, as a table of edges and possibly a table of nodes.
type Graph struct {
	Format string // one of Formats
	// Edges has the columns "source" and "target" first, then attributes.
	Edges tablefile.Reader
	// Nodes has the column "id" first, then attributes. It is nil if the file lists no nodes. It
	// comes from the same file as Edges and has the same checksum.
	Nodes tablefile.Reader
	// Directed is data.Auto if the file does not say whether its edges have a direction.
	Directed data.Edges
	// Label is the column of edges that is the label in this format: "relation" for triples, else
	// empty.
	Label string
	// Relation is the field of a line, counted from 0, with the relation of a triple. It is 0 for
	// other formats.
	Relation int
	// Part is the column that names the part of an edge ("train", "valid", "test") in a folder of
	// triples, else empty.
	Part string
	// Notes say what the reader did that a user might not expect. The readers of edges and nodes
	// may have further notes.
	Notes []string
}

// Close closes the readers of the graph. It returns the first error.
func (g *Graph) Close() error {
	_, err := g.Edges.Close()
	if g.Nodes != nil {
		if _, e := g.Nodes.Close(); err == nil {
			err = e
		}
	}
	return err
}

// Open opens the graph at a path of the operating system. If format is empty, Recognise decides.
func Open(path, format string, b *data.Budget) (*Graph, error) {
	if format == "" {
		var ok bool
		if format, ok = Recognise(path); !ok {
			return nil, unknown(path)
		}
	}
	switch format {
	case GraphML, GEXF:
		return openXML(path, format, b)
	case MTX:
		return openMTX(path, b)
	case EdgeList:
		return openEdgeList(path, b)
	case Triples:
		return openTriples(path, b)
	}
	return nil, fmt.Errorf("graphfile: format %q, expected one of %s", format, strings.Join(Formats(), ", "))
}

// unknown returns the error for a path that has no graph in a known format.
func unknown(path string) error {
	if err := Refuse(path); err != nil {
		return err
	}
	return &data.ParseError{File: filepath.Base(path), Msg: "is no graph in one of the formats " + strings.Join(Formats(), ", "), Err: data.ErrUnknownFormat}
}
