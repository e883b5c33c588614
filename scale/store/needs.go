package store

import (
	"slices"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/graph"
)

// Needs is the memory, disk space and traffic of one layer of a model on a store, in bytes.
type Needs struct {
	Width int `json:"width"`
	// Memory is the memory for the sums (8 bytes each) and rows (4 bytes each) of all nodes.
	// PartMemory is that of the largest part.
	Memory     int64 `json:"memory"`
	PartMemory int64 `json:"part_memory"`
	// Disk is the size of two states of all edges: the one that is read and the one that is
	// written.
	Disk int64 `json:"disk"`
	// Shuffle is the largest traffic between blocks and parts: for each node of a block its rank,
	// its number of ends in the block and a sum in one direction, and a row in the other.
	Shuffle int64 `json:"shuffle"`
}

// Needs returns the needs of a layer of the given width.
func (m *Manifest) Needs(width int) Needs {
	w := int64(width)
	return Needs{Width: width, Memory: m.Nodes * w * 12, PartMemory: int64(slices.Max(m.Parts)) * w * 12, Disk: 8 * m.Edges * w, Shuffle: m.Shuffled(width, width)}
}

// Shuffled returns the largest number of bytes that blocks and parts send each other in a turn, if
// messages have width said and rows of nodes width row.
func (m *Manifest) Shuffled(said, row int) int64 { return m.Met * int64(8+8*said+4*row) }

// Bytes returns the size of all files except the manifest.
func (m *Manifest) Bytes() int64 {
	sum := int64(0)
	for _, f := range m.Files {
		sum += f.Bytes
	}
	return sum
}

// EdgeLayout returns the layout of the features of edges, without rows.
func (m *Manifest) EdgeLayout() graph.Features { return schema.Layout(m.Encoder.Edges) }

// NodeLayout returns the layout of the features of nodes, without rows.
func (m *Manifest) NodeLayout() graph.Features { return schema.Layout(m.Encoder.Nodes) }
